package metric

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/portable"
)

// passes over the edges after which Graded gives up; a pass carries a change across many edges.
const passes = 1000

// slack is by how much, as a share, a metric may exceed what gradation allows, so that rounding comes to rest.
const slack = 1e-8

// Graded limits how fast sizes grow along edges, by the factor growth in each unit of length in the metric (F. Alauzet,
// "Size gradation control of anisotropic meshes", doi:10.1016/j.finel.2009.06.028): along an edge u, a metric M grows
// to M/(1 + √(u'Mu) log growth)², and the metric at the other end is intersected with that. Edges are visited in the
// order of their vertices' ids, descending and ascending by turns, until none asks for a change. Sizes never become
// larger. It returns how many vertices changed.
func (f Field) Graded(m *Mesh, growth float64) (int, error) {
	if !(growth > 1) || math.IsInf(growth, 0) {
		return 0, fmt.Errorf("a gradation of %g: give how much sizes may grow in an edge, above 1", growth)
	}
	if err := f.Check(m); err != nil {
		return 0, err
	}
	edges := m.edges()
	rate := portable.Log(growth)
	// A vertex is new to those that look at it in the pass in which it changed and in the one after.
	changed := make([]int, len(f))
	for pass := 1; pass <= passes; pass++ {
		rest := true
		// Forth and back by turns: changes go far in one pass whichever way they go.
		slices.Reverse(edges)
		for _, e := range edges {
			for _, way := range [2][2]int32{e, {e[1], e[0]}} {
				from, to := way[0], way[1]
				if pass > 1 && changed[from] < pass-1 {
					continue
				}
				grown := Grown(m.Dim, f[from], m.between(from, to), rate)
				if within(m.Dim, grown, f[to]) {
					continue
				}
				if both, smaller := intersection(m.Dim, f[to], grown, slack); smaller {
					f[to] = both
					changed[to] = pass
					rest = false
				}
			}
		}
		if rest {
			count := 0
			for _, c := range changed {
				if c > 0 {
					count++
				}
			}
			return count, nil
		}
	}
	return 0, fmt.Errorf("gradation of %g has not come to rest after %d passes over the edges", growth, passes)
}

// Grown is what a metric may grow to along an edge, where rate is the logarithm of the growth in a unit of length.
func Grown(dim int, t Tensor, u [3]float64, rate float64) Tensor {
	by := 1 + t.Length(dim, u)*rate
	return t.Scaled(1 / (by * by))
}

// within tells whether b surely asks for no larger size than a in any direction: b - a is positive definite. It is
// quick, and most edges pass.
func within(dim int, a, b Tensor) bool {
	for k := range b {
		b[k] -= a[k]
	}
	return b.Check(dim) == nil
}
