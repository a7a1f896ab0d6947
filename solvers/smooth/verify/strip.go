package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// strip smooths a strip, one row of boxes whose vertices slide on two lines, to convergence under a size h that
// decreases from 0.5 to 0.05. The alternating diagonals make this a problem in one dimension.
//
// The derivative of ½Σ u²/h² vanishes where u/h is the same everywhere. The printed step takes the derivative
// at a fixed metric, and converges to where u/h² is the same: in the limit of many boxes spacings then differ by
// (0.5/0.05)² = 100 instead of 10. The bound for it is the solution of that condition by another method
// (printedSpacing), which for 20 boxes is 62.9, in agreement with another program.
func strip(ctx context.Context, p *verify.Page) error {
	boxes := []int{20, 32, 64}
	if p.Options.Quick {
		boxes = boxes[:1]
	}
	metric, err := sizing.Sizes(unitSquare, []sizing.Ends{{H0: .5, H1: .05, D0: -.45, D1: -.45}},
		[]sizing.Ends{{H0: 1, H1: 1}})
	if err != nil {
		return err
	}
	t := p.Table("spacings u after convergence, h from 0.5 to 0.05", "smoother", "boxes", "sweeps",
		"u/h, largest by least", "u, largest by least", "reference")
	for _, n := range boxes {
		for _, smoother := range []string{"pain-exact", "pain"} {
			p.Progress("%s, %d boxes", smoother, n)
			cfg := smooth.Config{Smoother: smoother, Guard: "halve", Rescale: true, Relax: 1.9}
			err := smoothing(ctx, p, alternatingMesh(n, 1, 1, 1), metric, cfg, func(part *layout.Part, s *smooth.Solver) error {
				sweeps, err := converge(ctx, s, 1e-10, 50, 200_000)
				if err != nil {
					return err
				}
				x, _, err := coordinates(part, s)
				if err != nil {
					return err
				}
				u, scaled := make([]float64, n), make([]float64, n)
				h := func(x float64) float64 { return .5 - .45*x }
				for i := range u {
					u[i] = x[i+1] - x[i]
					scaled[i] = u[i] * math.Sqrt((1/(h(x[i])*h(x[i]))+1/(h(x[i+1])*h(x[i+1])))/2)
				}
				if smoother == "pain" {
					theirs := printedSpacing(n, h)
					bound := verify.Near(ratio(u), theirs, 1e-6)
					if n == 20 {
						bound = both(bound, verify.Between(ratio(u), 62.85, 62.95))
					}
					t.Row(bound, smoother, n, sweeps, ratio(scaled), ratio(u), theirs)
					return nil
				}
				t.Row(verify.AtMost(ratio(scaled)-1, 1e-6), smoother, n, sweeps, fmt.Sprintf("%.6f", ratio(scaled)),
					ratio(u), 10.0)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	t.Flush()
	return nil
}

// printedSpacing returns the ratio of the largest to the smallest spacing of n boxes that satisfy M u = c with M the
// mean at both ends, computed box by box, with c found by bisection to match the length.
func printedSpacing(n int, h func(float64) float64) float64 {
	m := func(x float64) float64 { return 1 / (h(x) * h(x)) }
	spacings := func(c float64) (end float64, u []float64) {
		for range n {
			low, high := 0.0, 1.0
			for range 60 {
				mid := (low + high) / 2
				if mid*(m(end)+m(min(1.05, end+mid)))/2 < c {
					low = mid
				} else {
					high = mid
				}
			}
			u = append(u, low)
			end = min(1.05, end+low)
		}
		return end, u
	}
	low, high := 0.0, 100.0
	for range 100 {
		c := (low + high) / 2
		if end, _ := spacings(c); end < 1 {
			low = c
		} else {
			high = c
		}
	}
	_, u := spacings(low)
	return ratio(u)
}
