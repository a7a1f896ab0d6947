//go:build linux

package launch

import (
	"errors"
	"strings"
	"testing"
)

func TestNormalEnd(t *testing.T) {
	o := run(t, 3, "exit 0", func(c *LocalConfig) { c.Threads = 5 })
	if err := o.wait(); err != nil {
		t.Fatal(err)
	}
	out := o.stdout.String()
	if !strings.HasPrefix(out, "place: rank 0 of 3, started by atoll, coordinator unix:"+o.tmp+"/atoll-") ||
		!strings.HasSuffix(out, "/c.sock, threads 5\n") || strings.Count(out, "\n") != 1 {
		t.Errorf("stdout %q, want that of rank 0 alone", out)
	}
	if o.stderr.String() != "code 0\n" {
		t.Errorf("stderr %q, want that of rank 0 alone", o.stderr.String())
	}
}

func TestOutputOfFailedRanks(t *testing.T) {
	o := run(t, 3, "exit 0/flood 200/exit 0", nil)
	if err := o.wait(); err == nil {
		t.Fatal("no error")
	}
	lines := strings.SplitAfter(o.stderr.String(), "\n")
	full := "[rank 1] " + strings.Repeat("x", 1023) + "\n"
	if lines[0] != "code 0\n" || lines[1] != "[rank 1] (earlier output left out)\n" || lines[2] != full ||
		lines[len(lines)-2] != "[rank 1] the end\n" || len(lines) != 2+63+2 {
		t.Errorf("%d lines, %.60q … %q", len(lines), lines[:3], lines[len(lines)-2:])
	}
}

func TestOutputThatCannotBePassedOn(t *testing.T) {
	o := run(t, 2, "exit 0", func(c *LocalConfig) { c.Stdout = brokenWriter{} })
	if err := o.wait(); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }
