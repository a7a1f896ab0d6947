package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/solvers/smooth"
)

// strips lets the vertices of a strip, one row of boxes whose vertices slide on two lines, come to rest under a size h
// that falls from 0.5 to 0.05. The alternating diagonals make this a problem in one dimension.
//
// The derivative of ½Σ u²/h² vanishes where u/h is the same everywhere. As printed, the step holds the metric fixed
// while it derives, and rests where u/h² is the same: in the limit of many boxes spacings then differ by (0.5/0.05)² =
// 100 instead of 10. The bound for it is the solution of that condition by another method (printedSpacing).
func strips(ctx context.Context, p *page) error {
	boxes := []int{20, 32, 64}
	if p.opts.Quick {
		boxes = boxes[:1]
	}
	metric, err := smooth.Sizes(unitSquare, []smooth.Ends{{H0: .5, H1: .05, D0: -.45, D1: -.45}},
		[]smooth.Ends{{H0: 1, H1: 1}})
	if err != nil {
		return err
	}
	t := p.table("spacings u at rest, h from 0.5 to 0.05", "smoother", "boxes", "sweeps", "u/h, largest by least",
		"u, largest by least", "theirs")
	for _, n := range boxes {
		for _, smoother := range []string{"pain-exact", "pain"} {
			p.progress("%s, %d boxes", smoother, n)
			cfg := smooth.Config{Smoother: smoother, Guard: "halve", Rescale: true, Relax: 1.9}
			err := p.smoothing(ctx, alternating(n, 1, 1, 1), metric, cfg, func(part *smooth.Part, s smooth.Solver) error {
				sweeps, err := settle(ctx, s, 1e-10, 50, 200_000)
				if err != nil {
					return err
				}
				x, _, err := places(part, s)
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
					t.row(near(ratio(u), theirs, 1e-3), smoother, n, sweeps, ratio(scaled), ratio(u), theirs)
					return nil
				}
				t.row(atMost(ratio(scaled)-1, 0.05/float64(n)), smoother, n, sweeps, fmt.Sprintf("%.6f", ratio(scaled)),
					ratio(u), 10.0)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	t.flush()
	return nil
}

// printedSpacing is the ratio of the largest to the least spacing of n boxes that satisfy M u = c with the mean M of
// both ends, found box after box for a c that bisection fits to the length.
func printedSpacing(n int, h func(float64) float64) float64 {
	m := func(x float64) float64 { return 1 / (h(x) * h(x)) }
	march := func(c float64) (end float64, u []float64) {
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
		if end, _ := march(c); end < 1 {
			low = c
		} else {
			high = c
		}
	}
	_, u := march(low)
	return ratio(u)
}

// relaxation counts sweeps until no vertex moves by more than 1e-5 of an edge, for ω = 1 and for over-relaxation, on
// meshes of n × n boxes. A plain sweep is that of Gauss and Seidel for an elliptic problem, whose sweeps grow with n²,
// and those of over-relaxation with n. The factor is 2/(1 + 2/n); for Laplace's equation on squares it would be 2/(1 +
// sin π/n), which takes a third more sweeps here. The bounds are on the ratio, and on the quality, which is the same.
// On the largest mesh plain sweeps end when they are patience times as many, without rest.
func relaxation(ctx context.Context, p *page) error {
	metric, err := smooth.Linear(unitSquare, .05, .5)
	if err != nil {
		return err
	}
	const patience = 22
	sides := []int{32, 64, 128, 256}
	if p.opts.Quick {
		sides = []int{16}
	}
	t := p.table("pain-exact to rest, linear metric 10:1, alternating mesh", "boxes a side", "ω", "sweeps, ω = 1",
		"with ω", "ratio", "quality, ω = 1", "with ω")
	for _, n := range sides {
		var sweeps [2]int // by over-relaxation, and without
		var quality [2]float64
		var settled bool
		best, most := 2/(1+2/float64(n)), 100_000
		for k, relax := range []float64{best, 1} {
			p.progress("%d boxes a side, ω = %.3f", n, relax)
			cfg := smooth.Config{Smoother: "pain-exact", Guard: "halve", Rescale: true, Relax: relax}
			err := p.smoothing(ctx, alternating(n, n, 1, 1), metric, cfg, func(_ *smooth.Part, s smooth.Solver) error {
				var err error
				if settled, err = settles(ctx, s, 1e-5*relax, 10, most); err != nil {
					return err
				}
				if !settled && k == 0 {
					return fmt.Errorf("%d boxes a side: no rest after %d sweeps with ω = %g", n, most, relax)
				}
				sweeps[k] = s.Sweeps()
				d, err := s.Diagnose(ctx)
				quality[k] = d.QualityMean
				return err
			})
			if err != nil {
				return err
			}
			if n > 128 {
				most = patience * sweeps[0]
			}
		}
		gain, plain := float64(sweeps[1])/float64(sweeps[0]), fmt.Sprint(sweeps[1])
		same := near(quality[0], quality[1], 0.01)
		if !settled { // and so not yet as good
			plain, same = "> "+plain, atLeast(quality[0], quality[1]-0.01)
		}
		bound := info
		if n >= 64 {
			bound = atLeast(gain, 20)
		}
		t.row(bound, n, fmt.Sprintf("%.3f", best), plain, sweeps[0], gain, quality[1], quality[0])
		t.row(same, fmt.Sprintf("%d, quality", n), "", "", "", "", quality[1], quality[0])
	}
	t.flush()
	return nil
}
