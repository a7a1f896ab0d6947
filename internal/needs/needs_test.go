package needs

import (
	"fmt"
	"testing"
)

// recorder is a test that records calls of Skipf and Fatalf, and continues.
type recorder struct {
	testing.TB
	calls []string
}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) {
	r.calls = append(r.calls, "skip: "+fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.calls = append(r.calls, "fail: "+fmt.Sprintf(format, args...))
}

// TestProgram: a test that needs a missing program is skipped, and fails in CI.
func TestProgram(t *testing.T) {
	const missing = "frobnicate is not installed (Debian: apt-get install frob)"
	for _, c := range []struct{ program, ci, want string }{
		{"frobnicate", "", "skip: not tested: " + missing},
		{"frobnicate", "true", "fail: not tested, although CI has everything but GPUs: " + missing},
		{"sh", "true", ""},
	} {
		t.Setenv("CI", c.ci)
		var r recorder
		path := Program(&r, c.program, "frob")
		first := append(r.calls, "")[0]
		if first != c.want || (path == "") != (c.want != "") {
			t.Errorf("%s with CI=%q: got call %q, path %q; want call %q", c.program, c.ci, first, path, c.want)
		}
	}
}
