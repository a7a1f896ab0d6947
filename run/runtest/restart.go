package runtest

import (
	"context"
	"errors"
	"maps"
	"math"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
)

// Restarts tests that restoring the saved state of a solver into a new one, on other numbers of ranks and after each of
// some numbers of steps, changes neither hash nor quantities at the end. It does so on the host and on a device with
// separate memory.
func Restarts(t *testing.T, text string, steps []int, sets ...string) {
	t.Helper()
	restarts(t, text, steps, sets, map[string]func() backend.Device{"host": onHost,
		"separate memory": func() backend.Device { return backendtest.NewFakeGPU(cpu.New(1), 1<<30) }})
}

// RestartsOnHost is Restarts for what runs on processors only.
func RestartsOnHost(t *testing.T, text string, steps []int, sets ...string) {
	t.Helper()
	restarts(t, text, steps, sets, map[string]func() backend.Device{"host": onHost})
}

func onHost() backend.Device { return cpu.New(1) }

func restarts(t *testing.T, text string, steps []int, sets []string, devices map[string]func() backend.Device) {
	t.Helper()
	c := Parse(t, text, sets...)
	for name, device := range devices {
		for _, n := range steps {
			want, saved := runFrom(t, c, 2, n, nil, device)
			if saved[0].Clock.Steps != n {
				t.Fatalf("%s: the run was saved after %d steps, want %d", name, saved[0].Clock.Steps, n)
			}
			for _, ranks := range []int{3, 1, 2} {
				got, restored := runFrom(t, c, ranks, n, saved, device)
				if got.hash != want.hash {
					t.Errorf("%s: restarted after %d steps on %d ranks: hash %s, want %s", name, n, ranks, got.hash, want.hash)
				}
				for i, q := range want.metrics {
					if got.metrics[i] != q {
						t.Errorf("%s: restarted after %d steps on %d ranks: %s is %v, want %v", name, n, ranks, q.Name,
							got.metrics[i].Value, q.Value)
					}
				}
				if a, b := saved[0], restored[0]; !maps.Equal(a.Scalars, b.Scalars) || a.Clock != b.Clock {
					t.Errorf("%s: after %d steps, %+v %v was restored on %d ranks as %+v %v", name, n, a.Clock, a.Scalars, ranks,
						b.Clock, b.Scalars)
				}
				saved = restored
			}
		}
	}
}

// rankResult is the state of one rank at the end of a run.
type rankResult struct {
	hash     string
	metrics  []solvers.Quantity
	snapshot *solvers.Snapshot // snapshot of the rank, taken during the run
	err      error
}

// runFrom runs a case to its end, from snapshots or, if they are nil, from the start. It returns the result of rank
// 0 and the snapshots that all ranks took after a number of steps.
func runFrom(t *testing.T, c *config.Case, ranks, steps int, snapshots []*solvers.Snapshot,
	device func() backend.Device) (
	rankResult, []*solvers.Snapshot) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	results, shares := make([]rankResult, ranks), make([]*solvers.Snapshot, ranks)
	var wg sync.WaitGroup
	for rank, comm := range Local(t, ranks) {
		wg.Go(func() {
			dev := device()
			defer dev.Close()
			result := &results[rank]
			if result.err = result.runRank(ctx, c, comm, dev, steps, snapshots); result.err != nil {
				comm.Abort(1, result.err)
			}
			result.err = errors.Join(result.err, comm.Close())
			shares[rank] = result.snapshot
		})
	}
	wg.Wait()
	for rank := range results {
		if err := results[rank].err; err != nil {
			t.Fatalf("rank %d of %d, %d steps: %v", rank, ranks, steps, err)
		}
	}
	return results[0], shares
}

// runRank runs one rank to the end. It takes a snapshot after the given steps, or at once if it starts from snapshots
// of that step.
func (r *rankResult) runRank(ctx context.Context, c *config.Case, comm dist.Comm, dev backend.Device, steps int,
	snapshots []*solvers.Snapshot) error {
	kind, _ := solvers.Find(c.Solver)
	solver, err := kind.New(ctx, solvers.Env{Comm: comm, Device: dev}, c)
	if err != nil {
		return err
	}
	defer solver.Close()
	s := solver.(solvers.Restarter)
	if snapshots != nil {
		source := solvers.SourceOf(snapshots, comm.Rank())
		if err := solvers.Restore(ctx, s, snapshots[0].Clock, snapshots[0].Scalars, source); err != nil {
			return err
		}
	}
	if err := advance(ctx, s, steps); err != nil {
		return err
	}
	if r.snapshot, err = solvers.Save(ctx, s); err != nil {
		return err
	}
	if err := advance(ctx, s, math.MaxInt); err != nil {
		return err
	}
	if err := r.snapshot.Detach(); err != nil {
		return err
	}
	if r.metrics, err = s.Measure(ctx); err != nil {
		return err
	}
	r.hash, err = solvers.Hash(ctx, comm, s)
	return err
}

// advance runs a solver up to a number of steps, or to the end of its case.
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
