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

func TestLogRanks(t *testing.T) {
	o := run(t, 3, "exit 0/exit 4/exit 0", func(c *LocalConfig) { c.LogRanks = true })
	if err := o.wait(); ExitCode(err) != 1 {
		t.Fatal(err)
	}
	for r, want := range []string{"\nplace: rank 0 of 3", "\n[rank 1] place: rank 1 of 3",
		"\n[rank 2] place: rank 2 of 3"} {
		if strings.Count("\n"+o.stdout.String(), want) != 1 {
			t.Errorf("stdout %q, want one line of rank %d", o.stdout.String(), r)
		}
	}
	// What was passed on is not shown again when the run has failed.
	if want := "[rank 1] code 4\n"; strings.Count(o.stderr.String(), want) != 1 ||
		strings.Count(o.stderr.String(), "\n") != 3 {
		t.Errorf("stderr %q, want one line a rank", o.stderr.String())
	}
}

func TestOutputThatCannotBePassedOn(t *testing.T) {
	o := run(t, 2, "exit 0", func(c *LocalConfig) { c.Stdout = brokenWriter{} })
	if err := o.wait(); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}
