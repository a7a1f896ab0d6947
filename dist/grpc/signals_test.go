//go:build unix

package grpc_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	silence = 3 * time.Second // the default; how exactly it is kept to is tested with a clock that does not depend on load
	exits   = 2 * time.Second // of a process that has noticed, on a busy machine
)

// TestPausedRankIsKept: a rank that is stopped for less than the silence limit is not taken for lost. All ranks go on
// with collectives after it: that none has ended yet would prove nothing on a slow machine.
func TestPausedRankIsKept(t *testing.T) {
	if testing.Short() {
		t.Skip("nine processes that run TestConformance's collectives for seconds")
	}
	const n = 3
	for victim := range n {
		t.Run(fmt.Sprintf("rank %d", victim), func(t *testing.T) {
			t.Parallel()
			children := startChildren(t, "collectives", n)
			for _, k := range children {
				k.wait(t, k.running)
			}
			process := children[victim].cmd.Process
			for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
				if err := process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				if sig == syscall.SIGSTOP {
					time.Sleep(2500 * time.Millisecond)
				}
			}
			for r, k := range children {
				if !k.advances(t) {
					t.Errorf("rank %d: %s", r, k.out)
				}
			}
		})
	}
}

// TestSignals kills and freezes each rank; rank 0 also hosts the coordinator.
func TestSignals(t *testing.T) {
	const n = 3
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		for _, job := range []string{"messages", "collectives"} {
			for victim := range n {
				t.Run(fmt.Sprintf("%v/%s/rank %d", sig, job, victim), func(t *testing.T) {
					if sig == syscall.SIGSTOP {
						t.Parallel()
					}
					children := startChildren(t, job, n)
					for _, k := range children {
						k.wait(t, k.running)
					}
					at := time.Now()
					if err := children[victim].cmd.Process.Signal(sig); err != nil {
						t.Fatal(err)
					}
					for r, k := range children {
						if r == victim {
							continue
						}
						k.wait(t, k.ended)
						if want := fmt.Sprintf("rank %d: lost", victim); !strings.Contains(k.out, want) {
							t.Errorf("rank %d says %q, want %q", r, k.out, want)
						}
						took := k.last.Sub(at)
						t.Logf("rank %d ended after %v", r, took)
						if took > silence+exits {
							t.Errorf("rank %d noticed after %v", r, took)
						}
					}
				})
			}
		}
	}
}
