package runtest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/solvers"
)

// RestartReads tests what restarts read of a checkpoint that 64 ranks have written after a number of steps: on 64 ranks
// the file once, in at most 64 reads a rank. On these and on other numbers of ranks the state has the hash of the saved
// one.
func RestartReads(t *testing.T, text string, steps int, sets ...string) {
	t.Helper()
	const writers, mostReads = 64, 64
	c, fence := Parse(t, text, sets...), folder.Fence{Dir: t.TempDir()}
	want := ""
	onRanks(t, c, writers, func(ctx context.Context, comm dist.Comm, s solvers.Restarter) error {
		if err := advance(ctx, s, steps); err != nil {
			return err
		}
		snapshot, err := solvers.Save(ctx, s)
		if err != nil {
			return err
		}
		w, err := checkpoint.Begin(ctx, comm, fence, checkpoint.Info{}, snapshot, new(checkpoint.Layouts), nil)
		if err != nil {
			return err
		}
		hash, err := solvers.Hash(ctx, comm, s)
		if comm.Rank() == 0 {
			want = hash
		}
		return errors.Join(err, w.Finish(ctx))
	})
	path := checkpoint.Path(fence.Dir, steps)
	file, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{writers, 7, 3, 1} {
		got := restartFrom(t, c, path, ranks)
		if got.hash != want {
			t.Errorf("restarted on %d ranks: hash %s, want %s", ranks, got.hash, want)
		}
		if got.bytes != file.Size() || got.reads > mostReads {
			t.Errorf("a restart on %d ranks read %d bytes, in up to %d reads a rank, of a checkpoint of %d bytes: want these "+
				"once, in up to %d", ranks, got.bytes, got.reads, file.Size(), mostReads)
		}
	}
}

// restarted is what a restart has read, and the hash of its state.
type restarted struct {
	hash         string
	bytes, reads int64 // bytes of all ranks, and the most reads of one
}

// restartFrom makes the solver of a case on some number of ranks, and restores the state in a checkpoint.
func restartFrom(t *testing.T, c *config.Case, path string, ranks int) (r restarted) {
	t.Helper()
	var lock sync.Mutex
	onRanks(t, c, ranks, func(ctx context.Context, comm dist.Comm, s solvers.Restarter) error {
		from, err := checkpoint.OpenState(ctx, comm, path)
		if err != nil {
			return err
		}
		sums, err := from.Read(ctx)
		if err != nil {
			return err
		}
		if err := from.CheckHash(ctx, sums); err != nil {
			return err
		}
		if err := solvers.Restore(ctx, s, from.Info.Clock(), from.Info.ScalarValues(), from); err != nil {
			return err
		}
		hash, err := solvers.Hash(ctx, comm, s)
		lock.Lock()
		defer lock.Unlock()
		r.bytes, r.reads, r.hash = r.bytes+from.Bytes, max(r.reads, from.Reads), hash
		return err
	})
	return r
}

// onRanks makes the solver of a case on some number of ranks, and calls f on each.
func onRanks(t *testing.T, c *config.Case, ranks int, f func(ctx context.Context, comm dist.Comm,
	s solvers.Restarter) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	kind, _ := solvers.Find(c.Solver)
	errs := make([]error, ranks)
	var wg sync.WaitGroup
	for rank, comm := range Local(t, ranks) {
		wg.Go(func() {
			dev := cpu.New(1)
			defer dev.Close()
			s, err := kind.New(ctx, solvers.Env{Comm: comm, Device: dev}, c)
			if err == nil {
				err = f(ctx, comm, s.(solvers.Restarter))
				s.Close()
			}
			if err != nil {
				comm.Abort(1, err)
			}
			errs[rank] = errors.Join(err, comm.Close())
		})
	}
	wg.Wait()
	for rank, err := range errs {
		if err != nil {
			t.Fatalf("rank %d of %d: %v", rank, ranks, err)
		}
	}
}
