package tables

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/solverstest"
)

// observedSweeper counts sweeps and measures, later, their sum over all ranks. The measurement after sweep `bad` is an
// error.
type observedSweeper struct {
	solverstest.Plain
	swept  int
	queued []int64
	bad    int64
}

func (s *observedSweeper) Clock() solvers.Clock {
	return solvers.Clock{Time: float64(s.swept), Steps: s.swept, Dt: 1}
}

func (s *observedSweeper) Advance(context.Context, float64, float64, int) (bool, error) {
	return false, nil
}

func (s *observedSweeper) Observe(context.Context) error {
	s.queued = append(s.queued, int64(s.swept))
	return nil
}

func (s *observedSweeper) Observed(_ context.Context, to *dist.Joint) (dist.Result[[]solvers.Quantity], error) {
	sum, own := []int64{s.queued[0]}, s.queued[0]
	s.queued = s.queued[1:]
	to.SumInt64(sum)
	return func(context.Context) ([]solvers.Quantity, error) {
		if own == s.bad {
			return nil, fmt.Errorf("sweep %d is bad", own)
		}
		return []solvers.Quantity{{Name: "sum", Value: float64(sum[0]), Outputs: solvers.Column}}, nil
	}, nil
}

// countingComm counts reductions.
type countingComm struct {
	dist.Comm
	reductions int
}

func (c *countingComm) AllreduceInt64(ctx context.Context, op dist.Op, buf []int64) error {
	c.reductions++
	return c.Comm.AllreduceInt64(ctx, op, buf)
}

// TestRowsAreReducedTogether proves that ranks reduce four rows of conservation.csv at a time, that a row is written at
// most eight rows later, and that rows before an invalid state are written.
func TestRowsAreReducedTogether(t *testing.T) {
	const ranks, rows = 2, 18
	for _, bad := range []int64{0, 7} { // 0 for none
		dir := t.TempDir()
		var wait sync.WaitGroup
		for rank, comm := range local.New(ranks) {
			wait.Go(func() {
				s, counting := &observedSweeper{bad: bad}, &countingComm{Comm: comm}
				err := func() (err error) {
					run := &recorder.Run{Comm: counting, Solver: s, Fence: folder.Fence{Dir: dir}}
					totals, err := solvers.NewTotals(t.Context(), counting, s)
					if err != nil || !totals.CanObserve() {
						return errors.Join(err, errors.New("rows cannot be queued"))
					}
					c := NewConservation(run, totals, nil, 1)
					c.queued = true
					if err := c.Create(t.Context()); err != nil {
						return err
					}
					defer func() { err = errors.Join(err, c.Close()) }()
					counting.reductions = 0
					for s.swept = 1; s.swept <= rows; s.swept++ {
						if err := c.Write(t.Context(), s.Clock(), false); err != nil {
							return err
						}
						if want := max(0, s.swept-5) / 4; counting.reductions != want {
							t.Errorf("%d reductions after %d rows, want %d", counting.reductions, s.swept, want)
						}
					}
					return c.Settle(t.Context())
				}()
				if bad == 0 && err != nil || bad > 0 && (err == nil || err.Error() != fmt.Sprintf("sweep %d is bad", bad)) {
					t.Errorf("rank %d: bad sweep %d: error %v", rank, bad, err)
				}
				if err := comm.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		want := []string{"step,t,dt,sum"}
		for k := 1; k <= rows && int64(k) != bad; k++ {
			want = append(want, fmt.Sprintf("%d,%d,1,%d", k, k, ranks*k))
		}
		got, err := os.ReadFile(filepath.Join(dir, ConservationFile))
		if err != nil || string(got) != strings.Join(want, "\n")+"\n" {
			t.Errorf("bad sweep %d: the table is %q, error %v; want %q", bad, got, err, want)
		}
	}
}
