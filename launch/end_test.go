//go:build linux

package launch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestKillEachRank(t *testing.T) {
	for victim := range 4 {
		t.Run(fmt.Sprint(victim), func(t *testing.T) {
			o := startRun(t, 4, "detect", nil)
			for r := range 4 {
				o.pid(r)
			}
			if err := syscall.Kill(o.pid(victim), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			err := o.wait()
			var failure *RankError
			if !errors.As(err, &failure) || failure.Rank != victim || failure.Signal != syscall.SIGKILL ||
				failure.Killed != nil || ExitCode(err) != 1 {
				t.Fatalf("got %v, want rank %d killed", err, victim)
			}
			if want := fmt.Sprintf("rank %d was killed by signal 9 (killed)", victim); err.Error() != want {
				t.Errorf("got %q, want %q", err, want)
			}
			// The other ranks may lose one another too, but the first of them has lost the victim.
			stderr := o.stderr.String()
			if !strings.Contains(stderr, fmt.Sprintf("lost rank %d\n", victim)) || !strings.Contains(stderr, "[rank ") {
				t.Errorf("got stderr %q, want output of another rank that lost rank %d", stderr, victim)
			}
		})
	}
}

// Ranks that do not detect the failure of another rank are ended after Grace: by SIGTERM, then by SIGKILL.
func TestRanksThatDoNotDetectFailure(t *testing.T) {
	o := startRun(t, 4, "fail 3/wait/ignore-signals/wait", func(c *LocalConfig) { c.Grace = 300 * time.Millisecond })
	for r := range 3 {
		o.pid(r)
	}
	if err := syscall.Kill(o.pid(3), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(o.pid(0), syscall.SIGUSR1); err != nil { // rank 0 fails, when all ranks have started
		t.Fatal(err)
	}
	err := o.wait()
	var failure *RankError
	if !errors.As(err, &failure) || failure.Rank != 0 || failure.Code != 3 || fmt.Sprint(failure.Killed) != "[2 3]" {
		t.Error(err)
	}
}

func TestStoppedRankAndTimeout(t *testing.T) {
	o := startRun(t, 3, "checkpoint", func(c *LocalConfig) { c.Drain = 500 * time.Millisecond })
	for r := range 3 {
		o.pid(r)
	}
	if err := syscall.Kill(o.pid(1), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	o.cancel(context.DeadlineExceeded)
	err := o.wait()
	var failure *RankError
	if !errors.As(err, &failure) || failure.Rank != 1 || !errors.Is(err, context.DeadlineExceeded) || ExitCode(err) != 1 {
		t.Fatal(err)
	}
	want := "rank 1 had not stopped in time and was killed after the run was told to stop: context deadline exceeded"
	if err.Error() != want {
		t.Errorf("got %q\nwant %q", err, want)
	}
}

func TestExitCodes(t *testing.T) {
	for _, test := range []struct {
		roles string
		code  int
	}{
		{"exit 2/exit 2/exit 2", 2},
		{"exit 2/exit 0/exit 2", 2},
		{"exit 2/exit 1/exit 2", 1},
		{"exit 75/exit 75/exit 75", 75},
		{"exit 75/exit 2/exit 75", 1},
		{"exit 7/exit 7/exit 7", 1},
	} {
		o := startRun(t, 3, test.roles, nil)
		if err := o.wait(); ExitCode(err) != test.code {
			t.Errorf("%s: got exit code %d for %v, want %d", test.roles, ExitCode(err), err, test.code)
		}
	}
}

// When ranks exit with code 75, the others have Drain for their checkpoint, not the shorter Grace.
func TestSlowCheckpointIsAwaited(t *testing.T) {
	o := startRun(t, 3, "checkpoint/slow-checkpoint/checkpoint", func(c *LocalConfig) { c.Grace = 50 * time.Millisecond })
	for r := range 3 {
		o.pid(r)
	}
	if err := syscall.Kill(o.pid(0), syscall.SIGTERM); err != nil { // rank 0 exits with code 75
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	o.cancel(nil)
	if err := o.wait(); ExitCode(err) != 75 {
		t.Error(err)
	}
	if strings.Contains(o.stderr.String(), "[rank") {
		t.Errorf("got stderr %q, want no output of ranks that stopped with a checkpoint", o.stderr.String())
	}
}

func TestCommandThatDoesNotExist(t *testing.T) {
	o := startRun(t, 2, "", func(c *LocalConfig) { c.Command = "/nonexistent/solver" })
	if err := o.wait(); err == nil || !strings.Contains(err.Error(), "start rank 0 of 2") || ExitCode(err) != 1 {
		t.Error(err)
	}
}

func TestCanceledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Local(ctx, LocalConfig{Ranks: 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
