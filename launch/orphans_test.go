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
)

// A child in the process group of its rank is killed when the rank ends, and the run does not wait for it.
func TestChildEndsWithItsRank(t *testing.T) {
	o := startRun(t, 2, "child 0", nil)
	if err := o.wait(); err != nil {
		t.Error(err)
	}
	for r := range 2 {
		pid, ok := readPID(o.pids, r, "child")
		if !ok {
			t.Fatal("no child was started")
		}
		eventually(t, "the child has ended", patience, func() bool { return !isRunning(pid) })
	}
}

// Local does not kill a child that has left its rank's process group, does not wait for it although the child holds the
// rank's output open, and does not lose output of the rank.
func TestDetachedChildIsNotAwaited(t *testing.T) {
	for _, role := range []string{"detach-silent", "detach-slow", "detach-fast"} {
		for _, log := range []bool{false, true} {
			t.Run(fmt.Sprint(role, log), func(t *testing.T) {
				var out slowReceiver
				o := startRun(t, 2, role+" 60", func(c *LocalConfig) { c.Stdout, c.LogRanks = &out, log })
				err := o.wait()
				for r := range 2 {
					pid, ok := readPID(o.pids, r, "child")
					if !ok || role == "detach-silent" && !isRunning(pid) {
						t.Errorf("rank %d: the detached child does not run", r)
						continue
					}
					_ = syscall.Kill(pid, syscall.SIGKILL) // children that write may have ended by SIGPIPE
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
		want string // in the output
	}{
		{"checkpoint", []syscall.Signal{syscall.SIGTERM}, 75, "checkpoint after terminated and 0 more\n"},
		{"checkpoint", []syscall.Signal{syscall.SIGINT}, 75, "checkpoint after interrupt and 0 more\n"},
		{"wait", []syscall.Signal{syscall.SIGHUP}, 1,
			"was killed by signal 1 (hangup) after the run was told to stop: signal 1 (hangup)"},
		{"ignore-signals", []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}, 1, "had not stopped in time and was killed"},
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
				eventually(t, fmt.Sprintf("rank %d has ended", r), patience, func() bool { return !isRunning(pid) })
			}
			_ = cmd.Wait() // ProcessState has the exit code
			if code := cmd.ProcessState.ExitCode(); code != test.code || !strings.Contains(out.String(), test.want) {
				t.Errorf("code %d, output %q; want code %d, output with %q", code, out, test.code, test.want)
			}
			if entries, err := os.ReadDir(tmp); err != nil || len(entries) != 0 {
				t.Errorf("the directory of sockets was not removed: %v %v", entries, err)
			}
		})
	}
}

func TestRanksEndWithKilledParent(t *testing.T) {
	cmd, pids, _, _ := startParent(t, "ignore-signals")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for r, pid := range pids {
		eventually(t, fmt.Sprintf("rank %d has ended", r), patience, func() bool { return !isRunning(pid) })
	}
}
