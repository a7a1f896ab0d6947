package quality

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestTalliesMerge proves that merged tallies equal a single tally of all cells and edges, including ties and NaN.
func TestTalliesMerge(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		quality := rapid.SliceOfN(rapid.SampledFrom([]float64{0, .1, .5, .5, .9, 1, math.NaN()}), 0, 40).Draw(r, "quality")
		ids := rapid.Permutation(ascendingIDs(len(quality))).Draw(r, "ids")
		cut := rapid.IntRange(0, len(quality)).Draw(r, "cut")
		add := func(t *Tally, lo, hi int) {
			for i := lo; i < hi; i++ {
				t.AddCell(ids[i], quality[i], quality[i]-.2)
				t.AddEdge(quality[i] + .01)
			}
		}
		var one, first, second Tally
		one.Clear()
		first.Clear()
		second.Clear()
		add(&one, 0, len(quality))
		add(&first, 0, cut)
		add(&second, cut, len(quality))
		first.merge(&second)
		// NaN is not equal to itself, and sums may have different words.
		got, want := fmt.Sprint(first.state()), fmt.Sprint(one.state())
		if got != want {
			r.Fatalf("merged tallies have %s, one has %s", got, want)
		}
	})
}

func ascendingIDs(n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(i)
	}
	return ids
}

// state returns the state of a tally for comparison.
func (t *Tally) state() []any {
	return []any{t.quality.Float64(), t.lengths.Float64(), t.squares.Float64(), t.area.Float64(), t.minQuality,
		t.maxQuality, t.worst,
		t.best, t.shortest, t.longest, t.cells, t.edges, t.inverted, t.inRange, t.histogram, t.lengthHistogram}
}
