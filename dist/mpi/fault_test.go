//go:build mpi && cgo

package mpi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist"
)

// victim is the rank of three that fails in one phase of a step.
const victim = 1

var phases = []string{"posted", "waiting", "reduction", "barrier", "gather"}

// faults are the ways in which the victim fails. Most do not return.
var faults = map[string]func(c dist.Comm){
	"kill":      func(dist.Comm) { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} },
	"exit 3":    func(dist.Comm) { os.Exit(3) },
	"exit 0":    func(dist.Comm) { os.Exit(0) },
	"panic":     func(dist.Comm) { panic("a programmer's mistake") },
	"leave":     func(c dist.Comm) { _ = c.Close(); os.Exit(0) },
	"abort":     func(c dist.Comm) { c.Abort(7, errors.New("out of memory")); _ = c.Close(); os.Exit(7) },
	"sleep":     func(dist.Comm) { time.Sleep(time.Hour) },
	"stop":      func(dist.Comm) { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) },
	"pause":     pause,
	"terminate": func(dist.Comm) { _ = syscall.Kill(os.Getpid(), syscall.SIGTERM); select {} },
}

// patience is how long tests wait for the end of a job: a machine under load is slow.
const patience = time.Hour

// watchSilence is the silence limit of the ranks in these tests.
const watchSilence = 2 * time.Second

// pause stops this process for most of the silence limit.
func pause(dist.Comm) {
	script := fmt.Sprintf("sleep 0.2; kill -STOP %d; sleep 1.6; kill -CONT %[1]d", os.Getpid())
	if err := exec.Command("sh", "-c", script).Run(); err != nil {
		panic(err)
	}
}

// runFaultRole runs a rank whose role is a fault, as in "barrier: kill", and returns the exit code.
func runFaultRole(role string) int {
	phase, how, _ := strings.Cut(role, ": ")
	if how == "stop" || how == "pause" {
		warn := func(line string) { fmt.Fprintln(os.Stderr, line) }
		if err := Watch(context.Background(), job, watchSilence, warn); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	const faultyStepNumber = 3
	for i := range 6 {
		faultyPhase, limit := "", patience
		if i == faultyStepNumber && job.Rank() == victim {
			faultyPhase = phase
		}
		if how == "sleep" && i == faultyStepNumber {
			limit = time.Second // the others cannot distinguish a sleeping rank from a computing one: their calls time out
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		err := faultyStep(ctx, job, faultyPhase, faults[how])
		cancel()
		if err != nil {
			fmt.Fprintf(os.Stderr, "rank %d: step %d: %v\n", job.Rank(), i, err)
			_ = job.Close()
			return 1
		}
	}
	fmt.Fprintln(os.Stderr, "all steps completed")
	return 0
}

// faultyStep exchanges a short and a long message with both neighbours, then calls each collective of a solver's
// step. In the given phase, if any, it calls fault.
func faultyStep(ctx context.Context, c dist.Comm, phase string, fault func(dist.Comm)) error {
	var reqs []dist.Request
	var first error
	add := func(r dist.Request, err error) {
		reqs = append(reqs, r)
		first = errors.Join(first, err)
	}
	for tag, size := range []int{64, 200_000} {
		for _, side := range []int{1, c.Size() - 1} {
			peer := (c.Rank() + side) % c.Size()
			r, err := c.Irecv(ctx, peer, tag, make([]byte, size))
			add(r, err)
			r, err = c.Isend(ctx, peer, tag, make([]byte, size))
			add(r, err)
		}
	}
	if first != nil {
		return first
	}
	switch phase {
	case "posted":
		fault(c)
	case "waiting":
		time.AfterFunc(20*time.Millisecond, func() { fault(c) })
		r, err := c.Irecv(ctx, 0, 99, nil) // no rank sends this message
		add(r, err)
	}
	err := c.Wait(ctx, reqs)
	if phase == "waiting" {
		select {} // the fault happens in another goroutine
	}
	if err != nil {
		return err
	}
	calls := []struct {
		name string
		call func() error
	}{
		{"reduction", func() error { return c.AllreduceFloat64(ctx, dist.Min, make([]float64, 1)) }},
		{"barrier", func() error { return c.Barrier(ctx) }},
		{"gather", func() error {
			_, err := c.Gatherv(ctx, 0, make([]byte, 10_000))
			return err
		}},
	}
	for _, k := range calls {
		if phase == k.name {
			fault(c)
		}
		if err := k.call(); err != nil {
			return err
		}
	}
	return nil
}

// After any fault of a rank in any phase, the job ends, with a non-zero exit code and a message that names the rank.
func TestJobEndsWithAFailedRank(t *testing.T) {
	test := func(phase, fault string) {
		t.Run(phase+"/"+fault, func(t *testing.T) {
			t.Parallel()
			out, code := mpirun(t, 3, phase+": "+fault, patience)
			if code == 0 {
				t.Errorf("exit code 0:\n%s", out)
			}
			// mpirun names a process as [[job],rank] in some of its messages.
			if !strings.Contains(out, "rank 1") && !strings.Contains(out, ",1],1]") {
				t.Errorf("the output does not name rank 1:\n%s", out)
			}
			if fault == "abort" && !strings.Contains(out, "out of memory") {
				t.Errorf("the output does not have the cause:\n%s", out)
			}
		})
	}
	for _, phase := range phases {
		for _, fault := range []string{"kill", "abort", "leave"} {
			test(phase, fault)
		}
	}
	for _, fault := range []string{"exit 3", "exit 0", "panic", "terminate", "sleep"} {
		test("waiting", fault)
		test("reduction", fault)
	}
}

// A stopped rank is detected by its missing heartbeats. A rank that pauses for less than the limit is not lost.
func TestWatchDetectsAStoppedRank(t *testing.T) {
	for _, phase := range []string{"waiting", "reduction"} {
		t.Run(phase+"/stop", func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			out, code := mpirun(t, 3, phase+": stop", patience)
			if code == 0 || !strings.Contains(out, "no heartbeat for 2s") || !strings.Contains(out, "rank 1: lost") {
				t.Errorf("exit code %d:\n%s", code, out)
			}
			t.Logf("the job ended after %v", time.Since(began))
		})
	}
	t.Run("reduction/pause", func(t *testing.T) {
		t.Parallel()
		out, code := mpirun(t, 3, "reduction: pause", patience)
		if code != 0 || strings.Count(out, "all steps completed") != 3 {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	})
}

// The same steps without a fault succeed; otherwise the test above would prove nothing.
func TestJobWithoutFaults(t *testing.T) {
	out, code := mpirun(t, 3, "none: none", patience)
	if code != 0 || strings.Count(out, "all steps completed") != 3 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}
