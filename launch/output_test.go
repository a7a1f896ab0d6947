//go:build linux

package launch

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
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

// A rank does not wait for a receiver that takes nothing more.
func TestOutputOfWhichTheRestCannotBePassedOn(t *testing.T) {
	for _, log := range []bool{false, true} {
		o := run(t, 1, "flood 200", func(c *LocalConfig) { c.Stdout, c.LogRanks = brokenWriter{}, log })
		var failure *RankError
		if err := o.wait(); !errors.As(err, &failure) || failure.Signal != syscall.SIGPIPE {
			t.Errorf("logged %v: %v, want a broken pipe", log, err)
		}
	}
}

// slowReceiver counts what it takes, and starts after the time that the end of an output is waited for.
type slowReceiver struct {
	begun bool
	full  int // bytes of the lines of flood
}

func (s *slowReceiver) Write(p []byte) (int, error) {
	if !s.begun {
		time.Sleep(outputDelay + 300*time.Millisecond)
	}
	s.begun = true
	s.full += bytes.Count(p, []byte{'x'})
	return len(p), nil
}

// check wants the lines of rank 0, or of ranks 0 and 1.
func (s *slowReceiver) check(t *testing.T, lines int, both bool) {
	t.Helper()
	want := lines * 1023
	if both {
		want *= 2
	}
	if s.full != want {
		t.Errorf("%d bytes were passed on, want %d", s.full, want)
	}
}

func TestSlowReceiver(t *testing.T) {
	for _, log := range []bool{false, true} {
		t.Run(fmt.Sprint(log), func(t *testing.T) {
			var out slowReceiver
			o := run(t, 2, "flood 60", func(c *LocalConfig) { c.Stdout, c.LogRanks = &out, log })
			if err := o.wait(); ExitCode(err) != 1 {
				t.Error(err)
			}
			out.check(t, 60, log)
		})
	}
}

// receiver is a function that takes output.
type receiver func([]byte) (int, error)

func (r receiver) Write(p []byte) (int, error) { return r(p) }

// Output that nobody takes does not keep the failure of its rank from the others.
func TestFailureIsNoticedBeforeItsOutputIsTaken(t *testing.T) {
	take := make(chan struct{})
	o := run(t, 2, "flood 1/wait", func(c *LocalConfig) {
		c.Grace = 100 * time.Millisecond
		c.Stdout = receiver(func(p []byte) (int, error) { <-take; return len(p), nil })
	})
	pid := o.pid(1)
	defer func() {
		var failure *RankError
		if err := o.wait(); !errors.As(err, &failure) || failure.Rank != 0 {
			t.Error(err)
		}
	}()
	defer close(take)
	eventually(t, "rank 1 is gone", 10*time.Second, func() bool { return !runs(pid) })
}
