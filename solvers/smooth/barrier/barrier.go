// Package barrier has the stages of the smoother barrier, and what decides between them.
package barrier

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/dist"
)

// The smoother barrier minimizes Σ (1/q)ᵖ in stages, each until it has converged: opening with p = 1, lifting of
// the worst cells with a large p, and closing with p = 1 again. No move may lower the quality of a cell below a
// floor, which is the worst quality before each sweep and never falls. If a stage would leave the mean or the worst
// quality below those of the start, vertices return to saved positions, so that neither is lower in the end.
//
// In space, where the minimum of Σ 1/q is farther from the maximum of the mean quality, it then maximizes the mean,
// which gains 0.002 to 0.006; without that stage, one of the 33 cases compared with Mmg (atoll verify smooth) would
// be 0.0034 below its bound. The cost is bad tetrahedra; a floor of nearly half of the mean limits them: without it
// two to three times as many would be below 0.2, and the mean up to 0.03 higher. For good meshes, with means above
// 0.6, the floor is higher, so that they do not get bad cells for little gain. In the plane the mean would gain
// only 0.001 to 0.003, and interpolation on meshes that follow a field would be worse.

// Stage is one of the stages.
type Stage int

// The stages, in their order.
const (
	Opening  Stage = iota
	Cautious       // instead of the others if opening has lowered the mean: no move lowers the mean around its vertex
	Lifting
	Closing
	Averaging // in space only
	Ended
)

// Rule has the parameters of a stage.
type Rule struct {
	Doublings   [4]int32 // log₂ p by dimension; negative for the mean quality itself
	Rising      bool     // no move lowers the mean around its vertex
	maxSweeps   int      // largest number of sweeps
	mean, worst bool     // the stage continues while the mean, or the worst quality, rises

	// The floor is at least meanShare times the mean quality, and at least squareShare times its square.
	meanShare, squareShare float64
}

var rules = [Ended]Rule{
	Opening:   {maxSweeps: 100, mean: true, worst: true},
	Cautious:  {Rising: true, maxSweeps: 100, mean: true, worst: true},
	Lifting:   {Doublings: [4]int32{2: 3, 3: 2}, maxSweeps: 50, worst: true},
	Closing:   {maxSweeps: 50, mean: true},
	Averaging: {Doublings: [4]int32{3: -1}, maxSweeps: 50, mean: true, meanShare: .48, squareShare: .8},
}

const (
	measureInterval = 10   // sweeps between two measurements of the qualities
	minRise         = 1e-3 // least rise of a quality between measurements for which the stage continues

	// A stage also continues while the worst quality is below sliver and grows by this factor between measurements:
	// each sweep multiplies the quality of a sliver by a factor of up to 2.
	sliver, sliverGrowth = .01, 2
)

// Level is the mean and the worst quality of a mesh.
type Level struct{ Mean, Worst float64 }

// AtLeast reports whether neither the mean nor the worst quality is below another's.
func (l Level) AtLeast(other Level) bool {
	return l.Mean >= other.Mean && l.Worst >= other.Worst
}

// Measures reports whether the qualities are measured after so many sweeps of a stage.
func Measures(sweeps int) bool { return sweeps%measureInterval == 0 }

// UntilMeasured returns the number of sweeps from there up to the next measurement, at least 1.
func UntilMeasured(sweeps int) int { return measureInterval - sweeps%measureInterval }

// Rule returns the rule of a stage, except Ended.
func (s Stage) Rule() *Rule { return &rules[s] }

// Floor returns the worst quality that a move may leave, for a mesh of a level.
func (r *Rule) Floor(at Level) float64 {
	return max(at.Worst, r.meanShare*at.Mean, r.squareShare*at.Mean*at.Mean)
}

// Continues reports whether a stage continues after so many sweeps, from one measurement to the next.
func (r *Rule) Continues(sweeps int, last, at Level) bool {
	rises := r.mean && at.Mean-last.Mean > minRise || r.worst && at.Worst-last.Worst > minRise ||
		at.Worst < sliver && at.Worst > sliverGrowth*last.Worst
	return rises && sweeps < r.maxSweeps
}

// Next returns the stage after one that has ended at a level. With restore the vertices return to the saved positions
// before, and with save they are saved there.
func (s Stage) Next(dim int, start, at Level) (next Stage, restore, save bool) {
	switch {
	case s == Opening && at.AtLeast(start):
		return Lifting, false, true
	case s == Lifting:
		return Closing, false, false
	case s == Closing && dim == 3:
		return Averaging, false, false
	case at.AtLeast(start):
		return Ended, false, false
	case s == Opening:
		return Cautious, true, false
	}
	return Ended, true, false
}

// Relaxation returns the relaxation with which barrier needs the fewest sweeps: 2/(1 + 4/n), with n the
// square root, in space the cube root, of the number of vertices of the whole mesh.
func Relaxation(ctx context.Context, comm dist.Comm, owned, dim int) (float64, error) {
	n := []int64{int64(owned)}
	if err := comm.AllreduceInt64(ctx, dist.Sum, n); err != nil {
		return 0, err
	}
	side := math.Sqrt(float64(n[0]))
	if dim == 3 {
		side = math.Cbrt(float64(n[0]))
	}
	return 2 / (1 + 4/side), nil
}
