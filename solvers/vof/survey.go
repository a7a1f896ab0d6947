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
	units, changedUnits  int64 // of numbers in [0.5, 2), which volume and change lack until the end of add
	mixed, broken        int64
	excess               float64
}

func (o *rowSurvey[F]) Grain() int { return rowGrain(o.block.N[0]) }

func (o *rowSurvey[F]) Range(lo, hi int) {
	nx, ny := o.block.N[0], o.block.N[1]
	var t rowTally
	for r := lo; r < hi; r++ {
		first := o.block.Index(0, r%ny, r/ny)
		for i := 0; i < nx; i += mostUnits {
			n := min(mostUnits, nx-i)
			cell := r*nx + i
			o.add(&t, o.f[first+i:first+i+n], o.size[first+i:first+i+n], o.reference[cell:cell+n], int64(cell))
		}
	}
	t.addTo(o.found)
}

// Numbers in [0.5, 2), and their distances from 0 and 1, are multiples of 1/perUnit, and the sum of mostUnits of them
// fits an int64.
const (
	perUnit   = 1 << 53
	mostUnits = 256
)

// add adds at most mostUnits cells of a row, the first of which has the given number in the block.
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
		if x >= 0.5 && x < 2 && (was == 0 || was == 1) {
			t.units += int64(x * perUnit)
			t.changedUnits += int64(math.Abs(x-was) * perUnit)
		} else {
			t.volume.Add(x)
			t.change.Add(math.Abs(x - was))
		}
		t.excess = max(t.excess, -x, x-1)
		if v > o.roundOff && v < 1-o.roundOff {
			t.mixed++
			t.size.Add(float64(size[i]))
		}
	}
	addUnits(&t.volume, &t.units)
	addUnits(&t.change, &t.changedUnits)
}

// addUnits adds units to a sum, in two parts that are exact as float64, and clears them.
func addUnits(sum *dist.Accumulator, units *int64) {
	const half = 1 << 32
	sum.Add(float64(*units/half) * (half / float64(perUnit)))
	sum.Add(float64(*units%half) / perUnit)
	*units = 0
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
