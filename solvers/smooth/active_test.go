package smooth

import (
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// TestActive proves that without culling every sweep visits all moving vertices, and with it fewer and fewer, the
// same on any number of ranks, until no vertex moves.
func TestActive(t *testing.T) {
	m := smoothtest.Rectangle(t, 800, 3)
	cfg := Config{Smoother: "smart", Guard: "none", Gain: 1e-3, Rescale: true}
	l, err := layout.New(m, defaultSetting().layout)
	if err != nil {
		t.Fatal(err)
	}
	if got := defaultSetting().run(t, m, swirl(t), cfg, 3).diagnostics.Active; got != int64(l.Moving()) {
		t.Errorf("%d vertices are active, of %d that may move", got, l.Moving())
	}
	cfg.Cull = true
	var want []int64
	for _, ranks := range []int{1, 3} {
		s := defaultSetting()
		s.ranks = ranks
		var got []int64
		err := s.onEachRank(t, m, swirl(t), cfg, func(c dist.Comm, _ *layout.Part, solver *Solver) error {
			for range 400 {
				move, err := solver.Sweep(t.Context(), 1)
				if err != nil {
					return err
				}
				d, err := solver.Diagnose(t.Context())
				if err != nil {
					return err
				}
				if d.Active == 0 && move != 0 {
					t.Errorf("a move of %g of vertices that were not visited", move)
				}
				if c.Rank() == 0 {
					got = append(got, d.Active)
				}
				if d.Active == 0 {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(got); got[0] != int64(l.Moving()) || got[n-1] != 0 || got[n/2] >= got[0] {
			t.Errorf("%d ranks: active vertices %v", ranks, got)
		}
		if want == nil {
			want = got
		} else if len(want) != len(got) || want[len(want)/2] != got[len(want)/2] {
			t.Errorf("%d ranks: active vertices %v, on one %v", ranks, got, want)
		}
	}
}
