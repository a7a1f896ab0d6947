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

// The victim drops out of a run of three ranks in one phase of a step, in one of several ways.
const victim = 1

var phases = []string{"posted", "waiting", "reduction", "barrier", "gather"}

// A rank that leaves the run or the world. None of them returns to the step.
var endings = map[string]func(c dist.Comm){
	"kill":      func(dist.Comm) { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} },
	"exit 3":    func(dist.Comm) { os.Exit(3) },
	"exit 0":    func(dist.Comm) { os.Exit(0) },
	"panic":     func(dist.Comm) { panic("a programmer's mistake") },
	"leave":     func(c dist.Comm) { _ = c.Close(); os.Exit(0) },
	"abort":     func(c dist.Comm) { c.Abort(7, errors.New("out of water")); _ = c.Close(); os.Exit(7) },
	"sleep":     func(dist.Comm) { time.Sleep(time.Hour) },
	"stop":      func(dist.Comm) { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) },
	"pause":     pause,
	"interrupt": func(dist.Comm) { _ = syscall.Kill(os.Getpid(), syscall.SIGTERM); select {} },
}

// watchSilence is how long a rank of these tests may be silent.
const watchSilence = 2 * time.Second

// pause stops this process for most of the silence.
func pause(dist.Comm) {
	script := fmt.Sprintf("sleep 0.2; kill -STOP %d; sleep 1.6; kill -CONT %[1]d", os.Getpid())
	if err := exec.Command("sh", "-c", script).Run(); err != nil {
		panic(err)
	}
}

// suffer is what a rank does when its role is a fault, as in "barrier: kill". It returns the exit code.
func suffer(role string) int {
	phase, how, _ := strings.Cut(role, ": ")
	limit := time.Minute
	if how == "sleep" { // nobody can tell a rank that sleeps from one that computes
		limit = time.Second
	}
	if how == "stop" || how == "pause" {
		warn := func(line string) { fmt.Fprintln(os.Stderr, line) }
		if err := Watch(context.Background(), job, watchSilence, warn); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	for i := range 6 {
		fault := ""
		if i == 3 && job.Rank() == victim {
			fault = phase
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		err := faultyStep(ctx, job, fault, endings[how])
		cancel()
		if err != nil {
			fmt.Fprintf(os.Stderr, "rank %d: step %d: %v\n", job.Rank(), i, err)
			_ = job.Close()
			return 1
		}
	}
	fmt.Fprintln(os.Stderr, "every step was done, as if nothing had happened")
	return 0
}

// faultyStep trades a short and a long message with both neighbours, then calls each collective of a solver's step.
func faultyStep(ctx context.Context, c dist.Comm, fault string, end func(dist.Comm)) error {
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
	switch fault {
	case "posted":
		end(c)
	case "waiting":
		time.AfterFunc(20*time.Millisecond, func() { end(c) })
		r, err := c.Irecv(ctx, 0, 99, nil) // nobody sends that
		add(r, err)
	}
	err := c.Wait(ctx, reqs)
	if fault == "waiting" {
		select {} // what ends the victim goes on beside it
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
		if fault == k.name {
			end(c)
		}
		if err := k.call(); err != nil {
			return err
		}
	}
	return nil
}

// Whatever happens to a rank, and when: the job ends within 10 s, with a code that says so, and names the rank.
func TestAJobOutlivesNoneOfItsRanks(t *testing.T) {
	drop := func(phase, how string) {
		t.Run(phase+"/"+how, func(t *testing.T) {
			t.Parallel()
			out, code := mpirun(t, 3, phase+": "+how, 10*time.Second)
			if code == 0 {
				t.Errorf("exit code 0:\n%s", out)
			}
			// mpirun names a process as [[job],rank] in some of its messages.
			if !strings.Contains(out, "rank 1") && !strings.Contains(out, ",1],1]") {
				t.Errorf("rank 1 is not named:\n%s", out)
			}
			if how == "abort" && !strings.Contains(out, "out of water") {
				t.Errorf("the cause is not told:\n%s", out)
			}
		})
	}
	for _, phase := range phases {
		for _, how := range []string{"kill", "abort", "leave"} {
			drop(phase, how)
		}
	}
	for _, how := range []string{"exit 3", "exit 0", "panic", "interrupt", "sleep"} {
		drop("waiting", how)
		drop("reduction", how)
	}
}

// A rank that is stopped is found by its signs of life, and one that is paused is kept.
func TestAJobWatchesItsRanks(t *testing.T) {
	for _, phase := range []string{"waiting", "reduction"} {
		t.Run(phase+"/stop", func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			out, code := mpirun(t, 3, phase+": stop", 10*time.Second)
			if code == 0 || !strings.Contains(out, "no sign of life for 2s") || !strings.Contains(out, "rank 1: lost") {
				t.Errorf("exit code %d:\n%s", code, out)
			}
			t.Logf("over after %v", time.Since(began))
		})
	}
	t.Run("reduction/pause", func(t *testing.T) {
		t.Parallel()
		out, code := mpirun(t, 3, "reduction: pause", 20*time.Second)
		if code != 0 || strings.Count(out, "every step was done") != 3 {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	})
}

// The same steps without a fault end well, or the test above would prove nothing.
func TestAJobWithoutFaultsEndsWell(t *testing.T) {
	out, code := mpirun(t, 3, "none: none", 10*time.Second)
	if code != 0 || strings.Count(out, "every step was done") != 3 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}
