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

// convergedMean is the tolerance on the mean quality within which a mesh counts as converged.
const convergedMean = 1e-5

// relaxation counts the sweeps of pain-exact until the mean quality has converged, for ω = 1 and for over-relaxation,
// on meshes of n × n boxes. A plain sweep is a Gauss-Seidel sweep for an elliptic problem, whose number grows with n²,
// with over-relaxation with n. The factor is 2/(1 + 2/n); for Laplace's equation on squares it would be 2/(1 + sin
// π/n), which needs a third more sweeps here. A mesh has converged when no vertex moves by more than 1e-5 of an edge.
// Over-relaxation must need 20 times fewer sweeps: plain sweeps converge too on the small meshes, to the same quality;
// on the others they stop at 20 times as many, and the quality must not have converged by then.
func relaxation(ctx context.Context, p *verify.Page) error {
	metric, err := sizing.Linear(unitSquare, .05, .5)
	if err != nil {
		return err
	}
	const times = 20
	sides := []int{32, 64, 128, 256}
	if p.Options.Quick {
		sides = []int{16}
	}
	t := p.Table("pain-exact, linear metric 10:1, alternating mesh", "boxes a side", "ω", "to convergence, ω = 1",
		"with ω", "to its quality, ω = 1", "with ω", "ratio", "quality, ω = 1", "with ω")
	for _, n := range sides {
		best := 2 / (1 + 2/float64(n))
		p.Progress("%d boxes a side, ω = %.3f", n, best)
		fast, err := sweepWithRelaxation(ctx, p, n, best, metric, 10, 100_000)
		if err != nil {
			return err
		}
		if !fast.converged {
			return fmt.Errorf("%d boxes a side: vertices still move after %d sweeps with ω = %g", n, fast.sweeps(), best)
		}
		final := fast.quality()
		good := fast.until(final)
		p.Progress("%d boxes a side, ω = 1", n)
		every, most := 10, 100_000
		if n > 64 {
			every, most = times*good, times*good
		}
		slow, err := sweepWithRelaxation(ctx, p, n, 1, metric, every, most)
		if err != nil {
			return err
		}
		plain := slow.until(final)
		untilStill, sweeps, ratio := fmt.Sprint(slow.sweeps()), fmt.Sprint(plain), fmt.Sprintf("%.1f",
			float64(plain)/float64(good))
		same := verify.Near(slow.quality(), final, 1e-6)
		enough := plain > times*good
		if !slow.converged { // so its quality must not have converged either
			untilStill, sweeps, ratio = "> "+untilStill, "> "+sweeps, fmt.Sprintf("> %d", times)
			same = verify.VerdictOf(final-slow.quality() > convergedMean, "lower")
			enough = plain == times*good && same.OK
		}
		bound := verify.Info
		if n >= 64 {
			bound = verify.VerdictOf(enough, fmt.Sprintf("> %d", times))
		}
		t.Row(bound, n, fmt.Sprintf("%.3f", best), untilStill, fast.sweeps(), sweeps, good, ratio, "", "")
		t.Row(same, fmt.Sprintf("%d, quality", n), "", "", "", "", "", "", slow.quality(), final)
	}
	t.Flush()
	return nil
}

// history holds the mean quality every few sweeps.
type history struct {
	every     int
	means     []float64
	converged bool
}

func (h *history) sweeps() int      { return h.every * len(h.means) }
func (h *history) quality() float64 { return h.means[len(h.means)-1] }

// until returns the number of sweeps after which the quality has reached final, or all if it never does.
func (h *history) until(final float64) int {
	k := len(h.means)
	for k > 0 && math.Abs(h.means[k-1]-final) <= convergedMean {
		k--
	}
	return h.every * min(k+1, len(h.means))
}

// sweepWithRelaxation sweeps until no vertex moves by more than 1e-5 of an edge times ω, or for maxSweeps sweeps.
func sweepWithRelaxation(ctx context.Context, p *verify.Page, n int, relax float64, metric *sizing.Metric, every,
	maxSweeps int) (history,
	error) {
	h := history{every: every}
	cfg := smooth.Config{Smoother: "pain-exact", Guard: guardOf(p), Rescale: true, Relax: relax}
	err := smoothing(ctx, p, alternatingMesh(n, n, 1, 1), metric, cfg, func(_ *layout.Part, s *smooth.Solver) error {
		for !h.converged && s.Sweeps() < maxSweeps {
			move, err := s.Sweep(ctx, every)
			if err != nil {
				return err
			}
			d, err := s.Diagnose(ctx)
			if err != nil {
				return err
			}
			if d.Inverted > 0 && move <= 1e-5*relax {
				return fmt.Errorf("%d boxes a side, ω = %g: %d triangles are inverted after convergence", n, relax, d.Inverted)
			}
			h.means, h.converged = append(h.means, d.QualityMean), move <= 1e-5*relax
		}
		return nil
	})
	return h, err
}
