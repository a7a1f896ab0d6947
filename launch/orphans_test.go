//go:build linux

package launch

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a rank leaves running ends with it, and does not hold up the run.
func TestNothingOutlivesItsRank(t *testing.T) {
	o := run(t, 2, "family 0", nil)
	if err := o.wait(); err != nil {
		t.Error(err)
	}
	for r := range 2 {
		pid, ok := noted(o.notes, r, "child")
		if !ok {
			t.Fatal("no child was started")
		}
		eventually(t, "the child is gone", 5*time.Second, func() bool { return !runs(pid) })
	}
}

// A process that has left its rank's group is not Local's to kill, and does not hold up the run either, whatever it
// does with the rank's output. Nor does it cost anything that the rank has written.
func TestStrayProcessIsNotWaitedFor(t *testing.T) {
	for _, role := range []string{"mute", "drip", "gush"} {
		for _, log := range []bool{false, true} {
			t.Run(fmt.Sprint(role, log), func(t *testing.T) {
				var out slowReceiver
				o := run(t, 2, role+" 60", func(c *LocalConfig) { c.Stdout, c.LogRanks = &out, log })
				err := o.wait()
				for r := range 2 {
					pid, ok := noted(o.notes, r, "child")
					if !ok || role == "mute" && !runs(pid) {
						t.Errorf("rank %d: no stray process was left", r)
						continue
					}
					_ = syscall.Kill(pid, syscall.SIGKILL) // those that write may have gone
				}
				if err != nil {
					t.Error(err)
				}
				out.check(t, 60, log)
			})
		}
	}
}

func TestSignalsToTheParent(t *testing.T) {
	for _, test := range []struct {
		role string
		send []syscall.Signal
		code int
		says string
	}{
		{"checkpoint", []syscall.Signal{syscall.SIGTERM}, 75, "checkpoint after terminated and 0 more\n"},
		{"checkpoint", []syscall.Signal{syscall.SIGINT}, 75, "checkpoint after interrupt and 0 more\n"},
		{"wait", []syscall.Signal{syscall.SIGHUP}, 1,
			"was killed by signal 1 (hangup) after the run was told to stop: signal 1 (hangup)"},
		{"stubborn", []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}, 1, "had not stopped in time and was killed"},
	} {
		t.Run(fmt.Sprint(test.role, test.send), func(t *testing.T) {
			if slices.ContainsFunc(test.send, func(s syscall.Signal) bool { return signal.Ignored(s) }) {
				t.Skip("this process ignores the signal, as its children do")
			}
			cmd, pids, tmp, out := startParent(t, test.role)
			for _, s := range test.send {
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			for r, pid := range pids { // long before the 30 s that ranks have for a checkpoint
				eventually(t, fmt.Sprintf("rank %d is gone", r), 10*time.Second, func() bool { return !runs(pid) })
			}
			_ = cmd.Wait() // the exit code is looked at below
			if code := cmd.ProcessState.ExitCode(); code != test.code || !strings.Contains(out.String(), test.says) {
				t.Errorf("code %d, output %q; want code %d, output with %q", code, out, test.code, test.says)
			}
			if entries, err := os.ReadDir(tmp); err != nil || len(entries) != 0 {
				t.Errorf("the directory of sockets is left behind: %v %v", entries, err)
			}
		})
	}
}

func TestKilledParentLeavesNoOrphan(t *testing.T) {
	cmd, pids, _, _ := startParent(t, "stubborn")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for r, pid := range pids {
		eventually(t, fmt.Sprintf("rank %d is gone", r), 5*time.Second, func() bool { return !runs(pid) })
	}
}
