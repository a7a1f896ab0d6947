// Package quality adds up the qualities, lengths and sizes of the cells and edges of a mesh, exactly, over threads
// (Tally) and ranks (Diagnostics).
package quality

import (
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Tally holds the sums and extremes of the cells and edges of one rank.
type Tally struct {
	quality, lengths, squares, area, Perimeter dist.Accumulator
	minQuality, maxQuality, shortest, longest  float64
	worst, best                                int32
	cells, edges, inverted, inRange            int64
	Moved, Limited, Refused, Active            int64
	histogram                                  [5]int64
	lengthHistogram                            [8]int64
}

// Clear resets a tally.
func (t *Tally) Clear() {
	*t = Tally{minQuality: math.Inf(1), maxQuality: math.Inf(-1), shortest: math.Inf(1), longest: math.Inf(-1)}
}

// AddInParallel calls f for n items on all processors, each with a tally of its own, and merges these in order.
func (t *Tally) AddInParallel(n int, f func(t *Tally, i int)) {
	parts := make([]Tally, parallel.Parts(n, 20_000))
	parallel.Ranges(n, len(parts), func(part, lo, hi int) {
		own := &parts[part]
		own.Clear()
		for i := lo; i < hi; i++ {
			f(own, i)
		}
	})
	for k := range parts {
		t.merge(&parts[k])
	}
}

// merge adds another tally, as if its cells and edges came after those of this one.
func (t *Tally) merge(o *Tally) {
	t.quality.Merge(&o.quality)
	t.lengths.Merge(&o.lengths)
	t.squares.Merge(&o.squares)
	t.area.Merge(&o.area)
	t.Perimeter.Merge(&o.Perimeter)
	if o.cells > 0 {
		t.addExtremes(o.worst, o.minQuality, o.best, o.maxQuality)
	}
	t.shortest, t.longest = min(t.shortest, o.shortest), max(t.longest, o.longest)
	t.cells, t.edges, t.inverted, t.inRange = t.cells+o.cells, t.edges+o.edges, t.inverted+o.inverted, t.inRange+o.inRange
	for k, n := range o.histogram {
		t.histogram[k] += n
	}
	for k, n := range o.lengthHistogram {
		t.lengthHistogram[k] += n
	}
}

// addExtremes updates the least and the greatest quality, each with its cell.
func (t *Tally) addExtremes(worst int32, least float64, best int32, most float64) {
	// NaN counts as the worst quality.
	if least < t.minQuality || least == t.minQuality && worst < t.worst || least != least && t.minQuality == t.minQuality {
		t.minQuality, t.worst = least, worst
	}
	if most > t.maxQuality || most == t.maxQuality && best < t.best {
		t.maxQuality, t.best = most, best
	}
}

func (t *Tally) AddCell(id int32, quality, area float64) {
	t.cells++
	t.quality.Add(quality)
	t.area.Add(area)
	if !(area > 0) {
		t.inverted++
	}
	t.addExtremes(id, quality, id, quality)
	bin := 0
	for bin < len(t.histogram)-1 && quality >= 0.2*float64(bin+1) {
		bin++
	}
	t.histogram[bin]++
}

func (t *Tally) AddEdge(length float64) {
	t.edges++
	t.lengths.Add(length)
	t.squares.Add(length * length)
	t.shortest, t.longest = min(t.shortest, length), max(t.longest, length)
	if length >= math.Sqrt2/2 && length <= math.Sqrt2 {
		t.inRange++
	}
	bin := 0
	for limit := 0.125; bin < len(t.lengthHistogram)-1 && length >= limit; limit *= 2 {
		bin++
	}
	t.lengthHistogram[bin]++
}
