// Package runtest has tests that every solver must pass, such as Restarts and OutputChangesNothing, and functions that
// run cases in tests: on ranks of one process, which an Open function connects in different ways.
package runtest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/grpc/grpctest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// patience is how long tests wait for a run: a machine under load is slow, and go test ends a run that hangs, with the
// stacks of its goroutines.
const patience = time.Hour

// Open returns the communicators of n ranks of this process.
type Open func(t testing.TB, n int) []dist.Comm

// Local connects ranks through memory.
func Local(_ testing.TB, n int) []dist.Comm { return local.New(n) }

// Delayed connects ranks through memory, with messages delayed and reordered.
func Delayed(_ testing.TB, n int) []dist.Comm {
	return local.New(n, local.Delay(uint64(n), 200*time.Microsecond))
}

// GRPC connects ranks by gRPC over a Unix socket.
func GRPC(t testing.TB, n int) []dist.Comm {
	t.Helper()
	return grpctest.Open(t, n)
}

// Parse decodes the text of a case, which is named "case".
func Parse(t testing.TB, text string, sets ...string) *config.Case {
	t.Helper()
	c, err := solvers.Parse("case.toml", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Run runs a case to its end on ranks with the given number of threads, and returns the summary of rank 0.
func Run(t testing.TB, text string, ranks, threads int, open Open, dir string, sets ...string) (*summary.Summary,
	error) {
	t.Helper()
	c := Parse(t, text, sets...)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	results, errs := make([]*summary.Summary, ranks), make([]error, ranks)
	var wg sync.WaitGroup
	for rank, comm := range open(t, ranks) {
		wg.Go(func() {
			dev := cpu.New(threads)
			defer dev.Close()
			results[rank], errs[rank] = run.Run(ctx, run.Options{Case: c, Comm: comm, Device: dev, Dir: dir})
			errs[rank] = errors.Join(errs[rank], comm.Close())
		})
	}
	wg.Wait()
	return results[0], errors.Join(errs...)
}

// RunEach runs a case on every communicator that is not nil, each with its own device, and returns their errors.
func RunEach(t testing.TB, c *config.Case, comms []dist.Comm, dev func() backend.Device) []error {
	t.Helper()
	return runEachIn(t.TempDir(), c, comms, dev)
}

func runEachIn(dir string, c *config.Case, comms []dist.Comm, dev func() backend.Device) []error {
	errs := make([]error, len(comms))
	var wg sync.WaitGroup
	for rank, comm := range comms {
		if comm == nil {
			continue
		}
		wg.Go(func() {
			dev := dev()
			defer dev.Close()
			_, errs[rank] = run.Run(context.Background(), run.Options{Case: c, Comm: comm, Device: dev, Dir: dir})
		})
	}
	wg.Wait()
	return errs
}
