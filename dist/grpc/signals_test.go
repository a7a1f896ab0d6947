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
	silence  = 3 * time.Second // the default; its precision is tested with simulated time
	exitTime = 2 * time.Second // time for a process to exit, on a busy machine
)

// TestPausedRankIsKept: a rank that is stopped for less than the silence limit is not lost. All ranks must complete
// further collectives after the pause, since on a slow machine a failure may take long to show.
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
				if !k.waitForSteps(t) {
					t.Errorf("rank %d: %s", r, k.out)
				}
			}
		})
	}
}

// TestFrozenRanksOfADeepTree freezes ranks among ten, of which some watch others than rank 0. All name the frozen one,
// also where they cannot reach the coordinator.
func TestFrozenRanksOfADeepTree(t *testing.T) {
	if testing.Short() {
		t.Skip("thirty processes")
	}
	const n = 10
	for _, victim := range []int{0, 1, 2} { // rank 2 is a child of rank 1
		t.Run(fmt.Sprintf("rank %d", victim), func(t *testing.T) {
			children := startChildren(t, "collectives", n)
			for _, k := range children {
				k.wait(t, k.running)
			}
			if err := children[victim].cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			for r, k := range children {
				if r == victim {
					continue
				}
				k.wait(t, k.ended)
				if want := fmt.Sprintf("rank %d: lost", victim); !strings.Contains(k.out, want) {
					t.Errorf("rank %d printed %q, want %q", r, k.out, want)
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
					when := time.Now()
					if err := children[victim].cmd.Process.Signal(sig); err != nil {
						t.Fatal(err)
					}
					for r, k := range children {
						if r == victim {
							continue
						}
						k.wait(t, k.ended)
						if want := fmt.Sprintf("rank %d: lost", victim); !strings.Contains(k.out, want) {
							t.Errorf("rank %d printed %q, want %q", r, k.out, want)
						}
						took := k.endedAt.Sub(when)
						t.Logf("rank %d ended after %v", r, took)
						if took > silence+exitTime {
							t.Errorf("rank %d ended %v after the signal", r, took)
						}
					}
				})
			}
		}
	}
}
