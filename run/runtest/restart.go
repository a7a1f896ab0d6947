package runtest

import (
	"context"
	"errors"
	"maps"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
)

// Restarts tests that a case goes on as if nothing had been where what its solver declares as saved is put into a
// fresh one, on other numbers of ranks, after each of some numbers of steps: hash and quantities end the same. It does
// so in the memory of the host and on a device with memory of its own.
func Restarts(t *testing.T, text string, steps []int, sets ...string) {
	t.Helper()
	c := Parse(t, text, sets...)
	for name, device := range map[string]func() backend.Device{
		"host": func() backend.Device { return cpu.New(1) },
		"far":  func() backend.Device { return backendtest.NewFakeGPU(cpu.New(1), 1<<30) },
	} {
		for _, n := range steps {
			want, saved := from(t, c, 2, n, nil, device)
			if saved[0].Clock.Steps != n {
				t.Fatalf("%s: the run was saved after %d steps instead of %d", name, saved[0].Clock.Steps, n)
			}
			for _, ranks := range []int{3, 1, 2} {
				got, again := from(t, c, ranks, n, saved, device)
				if got.hash != want.hash {
					t.Errorf("%s: from %d steps on, on %d ranks: %s, without a restart %s", name, n, ranks, got.hash, want.hash)
				}
				for i, q := range want.metrics {
					if got.metrics[i] != q {
						t.Errorf("%s: from %d steps on, on %d ranks: %s is %v, without a restart %v", name, n, ranks, q.Name,
							got.metrics[i].Value, q.Value)
					}
				}
				if a, b := saved[0], again[0]; !maps.Equal(a.Scalars, b.Scalars) || a.Clock != b.Clock {
					t.Errorf("%s: after %d steps %+v %v is restored on %d ranks as %+v %v", name, n, a.Clock, a.Scalars, ranks,
						b.Clock, b.Scalars)
				}
				saved = again
			}
		}
	}
}

// ending is what a run ends with, on one rank.
type ending struct {
	hash    string
	metrics []solvers.Quantity
	share   *solvers.Snapshot // of the rank, after some steps
	err     error
}

// from takes a case to its end on ranks, from a snapshot on, nil for the start. It returns rank 0's ending and the
// shares of all ranks after some steps.
func from(t *testing.T, c *config.Case, ranks, steps int, begin []*solvers.Snapshot, device func() backend.Device) (
	ending, []*solvers.Snapshot) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ends, shares := make([]ending, ranks), make([]*solvers.Snapshot, ranks)
	var wg sync.WaitGroup
	source := solvers.SourceOf(begin)
	for rank, comm := range Local(t, ranks) {
		wg.Go(func() {
			dev := device()
			defer dev.Close()
			e := &ends[rank]
			if e.err = e.through(ctx, c, comm, dev, steps, begin, source); e.err != nil {
				comm.Abort(1, e.err)
			}
			e.err = errors.Join(e.err, comm.Close())
			shares[rank] = e.share
		})
	}
	wg.Wait()
	for rank := range ends {
		if err := ends[rank].err; err != nil {
			t.Fatalf("rank %d of %d, %d steps: %v", rank, ranks, steps, err)
		}
	}
	return ends[0], shares
}

// through takes a rank to the end, and copies its share after some steps: at once where it begins from such shares.
func (e *ending) through(ctx context.Context, c *config.Case, comm dist.Comm, dev backend.Device, steps int,
	begin []*solvers.Snapshot, source solvers.Source) error {
	kind, _ := solvers.Find(c.Solver)
	of, err := kind.New(ctx, solvers.Env{Comm: comm, Device: dev}, c)
	if err != nil {
		return err
	}
	defer of.Close()
	s := of.(solvers.Restarter)
	if begin != nil {
		if err := solvers.Restore(ctx, s, begin[0].Clock, begin[0].Scalars, source); err != nil {
			return err
		}
	}
	if err := advance(ctx, s, steps); err != nil {
		return err
	}
	if e.share, err = solvers.Save(ctx, s); err != nil {
		return err
	}
	if err := advance(ctx, s, math.MaxInt); err != nil {
		return err
	}
	if err := e.share.Detach(); err != nil {
		return err
	}
	if e.metrics, err = s.Measure(ctx); err != nil {
		return err
	}
	e.hash, err = solvers.Hash(ctx, comm, s)
	return err
}

// advance takes a solver to a number of steps, or to the end of its case.
func advance(ctx context.Context, s solvers.Solver, steps int) error {
	size := s.Size()
	if size.MaxSteps > 0 {
		steps = min(steps, size.MaxSteps)
	}
	for now := s.Clock(); now.Steps < steps && now.Time < size.End; now = s.Clock() {
		if done, err := s.Advance(ctx, size.End, math.Inf(1), steps-now.Steps); done || err != nil {
			return err
		}
	}
	return nil
}
