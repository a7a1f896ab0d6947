package needs

import (
	"fmt"
	"testing"
)

// ending is a test that notes how it ends, and goes on.
type ending struct {
	testing.TB
	said []string
}

func (e *ending) Helper() {}

func (e *ending) Skipf(format string, args ...any) {
	e.said = append(e.said, "skip: "+fmt.Sprintf(format, args...))
}

func (e *ending) Fatalf(format string, args ...any) {
	e.said = append(e.said, "fail: "+fmt.Sprintf(format, args...))
}

// TestProgram: a program that is not there is a reason to skip a test, but not in CI.
func TestProgram(t *testing.T) {
	const what = "frobnicate is not installed (Debian: apt-get install frob)"
	for _, c := range []struct{ program, ci, want string }{
		{"frobnicate", "", "skip: not tested: " + what},
		{"frobnicate", "true", "fail: not tested, although CI has everything but GPUs: " + what},
		{"sh", "true", ""},
	} {
		t.Setenv("CI", c.ci)
		var e ending
		path := Program(&e, c.program, "frob")
		first := append(e.said, "")[0]
		if first != c.want || (path == "") != (c.want != "") {
			t.Errorf("%s with CI=%s: %q at %q, want %q", c.program, c.ci, first, path, c.want)
		}
	}
}
