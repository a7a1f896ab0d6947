// Package disttest is the conformance suite for communicators: it tests the contract of dist.Comm on any transport.
//
// Each case is a function that every rank calls with its own communicator, so that the same cases run with ranks as
// goroutines of the test (Run) and with one process per rank (RunRank, under mpirun). Cases use only the
// communicator and share no memory.
package disttest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist"
)

// Case is a test. Run is called on every rank; an error on any rank fails the test.
type Case struct {
	Name string
	Min  int // smallest number of ranks
	Run  func(ctx context.Context, c dist.Comm) error
}

// Limit is the time limit of a case: the context of all ranks ends after it, and the case fails. It is long, since a
// machine under load is slow.
const Limit = time.Hour

// Run runs all cases for each number of ranks n in sizes, on the n communicators that open returns. Cases share them,
// except for LastCases, which leave a communicator closed or failed and get fresh ones each.
func Run(t *testing.T, open func(t *testing.T, n int) []dist.Comm) {
	for _, n := range sizes {
		t.Run(fmt.Sprintf("ranks=%d", n), func(t *testing.T) {
			comms := open(t, n)
			for _, k := range Cases() {
				if n >= k.Min {
					t.Run(k.Name, func(t *testing.T) { Each(t, comms, k.Run) })
				}
			}
			Close(t, comms)
			for _, k := range LastCases() {
				if n >= k.Min {
					t.Run(k.Name, func(t *testing.T) {
						comms := open(t, n)
						Each(t, comms, k.Run)
						Close(t, comms)
					})
				}
			}
		})
	}
}

// RunRank runs Cases, which leave a communicator usable, on the one rank of this process. All
// processes must run it.
func RunRank(t *testing.T, c dist.Comm) {
	for _, k := range Cases() {
		if c.Size() >= k.Min {
			t.Run(k.Name, func(t *testing.T) { Each(t, []dist.Comm{c}, k.Run) })
		}
	}
}

// Each calls f for all communicators at once and fails the test with every error.
func Each(t testing.TB, comms []dist.Comm, f func(ctx context.Context, c dist.Comm) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Limit)
	defer cancel()
	errs := make([]error, len(comms))
	var wg sync.WaitGroup
	for i, c := range comms {
		wg.Go(func() { errs[i] = f(ctx, c) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("rank %d of %d: %v", comms[i].Rank(), comms[i].Size(), err)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// Close closes all communicators at once.
func Close(t testing.TB, comms []dist.Comm) {
	t.Helper()
	Each(t, comms, func(_ context.Context, c dist.Comm) error { return c.Close() })
}
