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
	o := startRun(t, 3, "exit 0", func(c *LocalConfig) { c.Threads = 5 })
	if err := o.wait(); err != nil {
		t.Fatal(err)
	}
	out := o.stdout.String()
	if !strings.HasPrefix(out, "environment: rank 0 of 3, started by atoll, coordinator unix:"+o.tmp+"/atoll-") ||
		!strings.HasSuffix(out, "/c.sock, threads 5\n") || strings.Count(out, "\n") != 1 {
		t.Errorf("got stdout %q, want that of rank 0 only", out)
	}
	if o.stderr.String() != "code 0\n" {
		t.Errorf("got stderr %q, want that of rank 0 only", o.stderr.String())
	}
}

func TestOutputOfFailedRanks(t *testing.T) {
	o := startRun(t, 3, "exit 0/flood 200/exit 0", nil)
	if err := o.wait(); err == nil {
		t.Fatal("no error")
	}
	lines := strings.SplitAfter(o.stderr.String(), "\n")
	full := "[rank 1] " + strings.Repeat("x", 1023) + "\n"
	if lines[0] != "code 0\n" || lines[1] != "[rank 1] (earlier output omitted)\n" || lines[2] != full ||
		lines[len(lines)-2] != "[rank 1] the end\n" || len(lines) != 2+63+2 {
		t.Errorf("%d lines, %.60q … %q", len(lines), lines[:3], lines[len(lines)-2:])
	}
}

func TestLogRanks(t *testing.T) {
	o := startRun(t, 3, "exit 0/exit 4/exit 0", func(c *LocalConfig) { c.LogRanks = true })
	if err := o.wait(); ExitCode(err) != 1 {
		t.Fatal(err)
	}
	for r, want := range []string{"\nenvironment: rank 0 of 3", "\n[rank 1] environment: rank 1 of 3",
		"\n[rank 2] environment: rank 2 of 3"} {
		if strings.Count("\n"+o.stdout.String(), want) != 1 {
			t.Errorf("stdout %q, want one line of rank %d", o.stdout.String(), r)
		}
	}
	// Output that LogRanks has shown is not shown again when the run has failed.
	if want := "[rank 1] code 4\n"; strings.Count(o.stderr.String(), want) != 1 ||
		strings.Count(o.stderr.String(), "\n") != 3 {
		t.Errorf("got stderr %q, want one line per rank", o.stderr.String())
	}
}

func TestErrorOfStdoutIsReturned(t *testing.T) {
	o := startRun(t, 2, "exit 0", func(c *LocalConfig) { c.Stdout = brokenWriter{} })
	if err := o.wait(); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

// If Stdout fails, the rank gets SIGPIPE instead of blocking.
func TestRankDoesNotBlockWhenStdoutFails(t *testing.T) {
	for _, log := range []bool{false, true} {
		o := startRun(t, 1, "flood 200", func(c *LocalConfig) { c.Stdout, c.LogRanks = brokenWriter{}, log })
		var failure *RankError
		if err := o.wait(); !errors.As(err, &failure) || failure.Signal != syscall.SIGPIPE {
			t.Errorf("LogRanks %v: got %v, want rank 0 killed by SIGPIPE", log, err)
		}
	}
}

// slowReceiver counts the bytes x that it receives. Its first Write takes longer than outputDelay.
type slowReceiver struct {
	begun bool
	count int
}

func (s *slowReceiver) Write(p []byte) (int, error) {
	if !s.begun {
		time.Sleep(outputDelay + 300*time.Millisecond)
	}
	s.begun = true
	s.count += bytes.Count(p, []byte{'x'})
	return len(p), nil
}

// check checks that all lines of flood were received, from rank 0 or, with both, from ranks 0 and 1.
func (s *slowReceiver) check(t *testing.T, lines int, both bool) {
	t.Helper()
	want := lines * 1023
	if both {
		want *= 2
	}
	if s.count != want {
		t.Errorf("%d bytes were received, want %d", s.count, want)
	}
}

func TestSlowReceiver(t *testing.T) {
	for _, log := range []bool{false, true} {
		t.Run(fmt.Sprint(log), func(t *testing.T) {
			var out slowReceiver
			o := startRun(t, 2, "flood 60", func(c *LocalConfig) { c.Stdout, c.LogRanks = &out, log })
			if err := o.wait(); ExitCode(err) != 1 {
				t.Error(err)
			}
			out.check(t, 60, log)
		})
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// The failure of a rank is detected although Stdout blocks.
func TestFailureIsDetectedWhileStdoutBlocks(t *testing.T) {
	unblock := make(chan struct{})
	o := startRun(t, 2, "flood 1/wait", func(c *LocalConfig) {
		c.Grace = 100 * time.Millisecond
		c.Stdout = writerFunc(func(p []byte) (int, error) { <-unblock; return len(p), nil })
	})
	pid := o.pid(1)
	defer func() {
		var failure *RankError
		if err := o.wait(); !errors.As(err, &failure) || failure.Rank != 0 {
			t.Error(err)
		}
	}()
	defer close(unblock)
	eventually(t, "rank 1 has ended", patience, func() bool { return !isRunning(pid) })
}

// TestLastWords: of the output of a process that ended without a report, the line that says why.
func TestLastWords(t *testing.T) {
	for output, want := range map[string]string{
		"": "", "\n\n": "",
		"step 1\nstep 2\n": "step 2",
		"step 1\npanic: out of range\n\ngoroutine 1:\nmain.main()\n":      "panic: out of range",
		"step 1\nfatal error: no memory\n\nruntime stack:\nruntime.throw": "fatal error: no memory",
		"atoll: the disk is full\nbye\n":                                  "atoll: the disk is full",
		strings.Repeat("x", 1000):                                         strings.Repeat("x", maxWords) + "…",
		"a\n" + strings.Repeat("µ", maxWords/2) + "µ":                     strings.Repeat("µ", maxWords/2) + "…",
		"bad \xff byte": "bad ? byte",
	} {
		kept := new(tail)
		_, _ = kept.Write([]byte(output)) // never fails
		if got := kept.lastWords(); got != want {
			t.Errorf("%.60q: got %q, want %q", output, got, want)
		}
	}
	for _, c := range []struct {
		Exit
		want string
	}{
		{Exit{Rank: 3, Code: 2, Output: "panic: a"}, "rank 3 exited with code 2: panic: a"},
		{Exit{Rank: 0, Code: 7}, "rank 0 exited with code 7 and reported no error: its output may say why"},
	} {
		if got := c.Text(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
