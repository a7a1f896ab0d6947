// Package runtest runs cases in tests: on ranks of one process that talk in different ways, and on a device with memory
// of its own.
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

// Open joins so many ranks of this process.
type Open func(t testing.TB, n int) []dist.Comm

// Local ranks talk through memory.
func Local(_ testing.TB, n int) []dist.Comm { return local.New(n) }

// Delayed ranks have their messages reordered and delayed.
func Delayed(_ testing.TB, n int) []dist.Comm {
	return local.New(n, local.Delay(uint64(n), 200*time.Microsecond))
}

// GRPC ranks talk over a unix socket.
func GRPC(t testing.TB, n int) []dist.Comm {
	t.Helper()
	return grpctest.Open(t, n)
}

// Parse decodes the text of a case named case.
func Parse(t testing.TB, text string, sets ...string) *config.Case {
	t.Helper()
	c, err := solvers.Parse("case.toml", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// On runs a case to the end on ranks of so many threads, within a minute, and returns rank 0's summary.
func On(t testing.TB, text string, ranks, threads int, open Open, dir string, sets ...string) (*summary.Summary,
	error) {
	t.Helper()
	c := Parse(t, text, sets...)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
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

// Each runs a case on every communicator that is not nil, each with a device, and returns their errors.
func Each(t testing.TB, c *config.Case, comms []dist.Comm, dev func() backend.Device) []error {
	t.Helper()
	dir := t.TempDir()
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
