package metric

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/portable"
)

// maxPasses is the largest number of passes over the edges in Graded; in each pass a change propagates across many
// edges.
const maxPasses = 1000

// gradationTolerance is the relative amount by which a metric may exceed the gradation, so that the iteration ends
// in spite of rounding.
const gradationTolerance = 1e-8

// Graded limits the growth of sizes along edges to the factor growth per unit of length in the metric (F. Alauzet,
// "Size gradation control of anisotropic meshes", doi:10.1016/j.finel.2009.06.028): along an edge u, a metric M grows
// to M/(1 + √(u'Mu) log growth)², with which the metric at the other end is intersected. Edges are visited in the
// order of their vertices' ids, descending and ascending alternately, until nothing changes. Sizes never grow. It
// returns the number of vertices that it has changed.
func (f Field) Graded(m *Mesh, growth float64) (int, error) {
	if !(growth > 1) || math.IsInf(growth, 0) {
		return 0, fmt.Errorf("a gradation of %g: give how much sizes may grow in an edge, above 1", growth)
	}
	if err := f.Check(m); err != nil {
		return 0, err
	}
	edges := m.edges()
	rate := portable.Log(growth)
	// A changed vertex affects its neighbours in the pass in which it changed and in the next.
	changed := make([]int, len(f))
	for pass := 1; pass <= maxPasses; pass++ {
		converged := true
		// The order alternates, so that changes propagate far in one pass in any direction.
		slices.Reverse(edges)
		for _, e := range edges {
			for _, direction := range [2][2]int32{e, {e[1], e[0]}} {
				from, to := direction[0], direction[1]
				if pass > 1 && changed[from] < pass-1 {
					continue
				}
				grown := Grown(m.Dim, f[from], m.edgeVector(from, to), rate)
				if isWithin(m.Dim, grown, f[to]) {
					continue
				}
				if both, smaller := intersection(m.Dim, f[to], grown, gradationTolerance); smaller {
					f[to] = both
					changed[to] = pass
					converged = false
				}
			}
		}
		if converged {
			count := 0
			for _, c := range changed {
				if c > 0 {
					count++
				}
			}
			return count, nil
		}
	}
	return 0, fmt.Errorf("a gradation of %g did not converge in %d passes over the edges", growth, maxPasses)
}

// Grown returns the metric at the other end of the edge u for which sizes grow from those of t as much as is
// allowed; rate is the logarithm of the growth per unit of length in t.
func Grown(dim int, t Tensor, u [3]float64, rate float64) Tensor {
	factor := 1 + t.Length(dim, u)*rate
	return t.Scaled(1 / (factor * factor))
}

// isWithin reports whether b has no larger size than a in any direction, that is, whether b - a is positive
// definite. It is a quick test that most edges pass; it may return false if in doubt.
func isWithin(dim int, a, b Tensor) bool {
	for k := range b {
		b[k] -= a[k]
	}
	return b.Check(dim) == nil
}
