package shallow

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/series"
)

// TestBudgetCloses proves that the change of mass in the basin is the sum of the volumes that have come in through each
// of its sides, to round-off.
func TestBudgetCloses(t *testing.T) {
	oneLayerDam := func(x, y float64) (depth, h1, h2 float64) {
		depth, h1, h2 = dam(x, y)
		return depth, 0, h1 + h2
	}
	tide := []series.Row{{T: 0, Value: .2}, {T: .5, Value: .6}, {T: 1, Value: -.3}}
	for order := 1; order <= 2; order++ {
		for precision, tolerance := range map[string]float64{"float64": 1e-13, "float32": 1e-6} {
			for _, layers := range []int{1, 2} {
				t.Run(fmt.Sprint("order ", order, " ", precision, " ", layers), func(t *testing.T) {
					cfg, water := config("roe"), dam
					cfg.Order, cfg.Boundary = order, []bool{true, false, true, true} // open sides; Given opens side 1 too
					if layers == 1 {
						water = oneLayerDam
						cfg.Given = []*Given{{Kind: "level", Value: tide}, {Kind: "radiation", Value: series.Constant(0), Wave: tide},
							{Kind: "discharge", Value: series.Constant(.5)}, nil}
					}
					err := onRanks(t, 1, 800, precision, cfg, water, func(_ dist.Comm, _ *mesh.Part, s *Solver) error {
						return checkBudget(t, s, tolerance, layers)
					})
					if err != nil {
						t.Fatal(err)
					}
				})
			}
		}
	}
}

func checkBudget(t *testing.T, s *Solver, tolerance float64, layers int) error {
	ctx := context.Background()
	start, err := s.Diagnose(ctx)
	if err != nil {
		return err
	}
	for s.Time() < 1 {
		if _, err := s.Step(ctx, 1); err != nil {
			return err
		}
	}
	now, err := s.Diagnose(ctx)
	if err != nil {
		return err
	}
	sides := map[int]int{1: 4, 2: 3}[layers]
	if len(start.Sources) != sides || len(now.Sources) != sides {
		t.Fatalf("%d and %d sides, want %d", len(start.Sources), len(now.Sources), sides)
	}
	unexplained1, unexplained2 := now.Mass1-start.Mass1, now.Mass2-start.Mass2
	moved1, moved2 := 0.0, 0.0
	for k, c := range now.Sources {
		if start.Sources[k].Volume1 != 0 || start.Sources[k].Volume2 != 0 || c.Volume2 == 0 ||
			(c.Volume1 == 0) != (layers == 1) {
			t.Errorf("through side %d came %+v, at the start %+v", k, c, start.Sources[k])
		}
		unexplained1, unexplained2 = unexplained1-c.Volume1, unexplained2-c.Volume2
		moved1, moved2 = moved1+math.Abs(c.Volume1), moved2+math.Abs(c.Volume2)
	}
	if math.Abs(unexplained1) > tolerance*now.Mass1 || math.Abs(unexplained2) > tolerance*now.Mass2 ||
		moved2 < .001*now.Mass2 {
		t.Errorf("%g and %g m³ are unexplained of %g and %g; %g and %g moved", unexplained1, unexplained2, now.Mass1,
			now.Mass2, moved1, moved2)
	}
	if layers == 1 && math.Abs(now.Sources[2].Volume2-.5*10*s.Time()) > 1e-3*now.Sources[2].Volume2 {
		t.Errorf("through a side of 10 m that is given 0.5 m²/s came %g m³ in %g s", now.Sources[2].Volume2, s.Time())
	}
	return nil
}
