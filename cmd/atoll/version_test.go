package main

import (
	"runtime"
	"strings"
	"testing"
)

// TestVersionIsPrinted: --version and version print the same line with the version, the Go release and the
// architecture.
func TestVersionIsPrinted(t *testing.T) {
	var lines []string
	for _, arg := range []string{"--version", "version"} {
		c := atoll(t, t.TempDir(), nil, arg)
		if code := c.code(t); code != exitDone || c.stderr.Len() > 0 {
			t.Fatalf("%s: exit code %d, stderr %q", arg, code, c.stderr.String())
		}
		lines = append(lines, c.stdout.String())
	}
	if lines[0] != lines[1] || strings.Count(lines[0], "\n") != 1 {
		t.Errorf("--version prints %q, version prints %q: want the same line", lines[0], lines[1])
	}
	version, rest, _ := strings.Cut(strings.TrimPrefix(lines[0], "atoll version "), " ")
	if version == "" || version == "unknown" || !strings.Contains(rest, runtime.Version()) ||
		!strings.Contains(rest, runtime.GOARCH) {
		t.Errorf("%q has not the version, the release of Go and the architecture", lines[0])
	}
}
