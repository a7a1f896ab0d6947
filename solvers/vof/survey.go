package vof

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// rowSurvey is a survey on processors, by rows of cells: it adds up what kernels.Survey2 and Survey3 do. Most cells
// are empty or full, as they were at the start, and only counted.
type rowSurvey[F num.Float] struct {
	block     *grid.Block
	roundOff  F
	f         []F
	size      []F       // of the interface, in mixed cells
	reference []float64 // as in kernels.Survey
	found     []int64
}

// rowTally is what a thread finds.
type rowTally struct {
	volume, change, size dist.Accumulator
	full, changed        int64 // cells that are empty or full and were so at the start, which volume and change lack
	mixed, broken        int64
	excess               float64
}

func (o *rowSurvey[F]) Grain() int { return rowGrain(o.block.N[0]) }

func (o *rowSurvey[F]) Range(lo, hi int) {
	nx, ny := o.block.N[0], o.block.N[1]
	var t rowTally
	for r := lo; r < hi; r++ {
		first := o.block.Index(0, r%ny, r/ny)
		o.add(&t, o.f[first:first+nx], o.size[first:first+nx], o.reference[r*nx:(r+1)*nx], int64(r*nx))
	}
	t.addTo(o.found)
}

// add adds a row of cells, the first of which has the given number in the block.
func (o *rowSurvey[F]) add(t *rowTally, f, size []F, reference []float64, first int64) {
	size, reference = size[:len(f)], reference[:len(f)]
	for i, v := range f {
		x, was := float64(v), reference[i]
		if (x == 0 || x == 1) && (was == 0 || was == 1) {
			t.full += int64(x)
			t.changed += int64(math.Abs(x - was))
			continue
		}
		if x-x != 0 {
			t.broken = max(t.broken, kernels.EncodeBroken(first+int64(i), x))
			continue
		}
		t.volume.Add(x)
		t.change.Add(math.Abs(x - was))
		t.excess = max(t.excess, -x, x-1)
		if v > o.roundOff && v < 1-o.roundOff {
			t.mixed++
			t.size.Add(float64(size[i]))
		}
	}
}

// addTo adds the tally to a survey's results.
func (t *rowTally) addTo(found []int64) {
	t.volume.Add(float64(t.full))
	t.change.Add(float64(t.changed))
	add := func(at int, sum *dist.Accumulator) {
		for w, v := range sum.Words() {
			if v != 0 {
				atomic.AddInt64(&found[at+w], v)
			}
		}
	}
	add(kernels.SurveyVolume, &t.volume)
	add(kernels.SurveyChange, &t.change)
	add(kernels.SurveySize, &t.size)
	atomic.AddInt64(&found[kernels.SurveyMixed], t.mixed)
	atomics.Max(&found[kernels.SurveyExcess], int64(math.Float64bits(t.excess)))
	atomics.Max(&found[kernels.SurveyBroken], t.broken)
}
