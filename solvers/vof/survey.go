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

// rowSurvey is the survey of a device in the host's memory, by rows of cells: its results are those of kernels.Survey2
// and Survey3. Most cells are empty or full and were so at the start; they are only counted.
type rowSurvey[F num.Float] struct {
	block     *grid.Block
	roundOff  F
	f         []F
	size      []F       // of the interface, in mixed cells
	reference []float64 // as in kernels.Survey
	found     []int64
}

// rowTally is the result of a thread.
type rowTally struct {
	volume, change, size dist.Accumulator // sums of f, |f - reference| and the size of the interface
	// Among the cells that are empty or full and were so at the start: how many are full, and how many have changed.
	// volume and change do not contain these cells until addTo.
	full, changed int64
	// Sums over numbers in [0.5, 2), in units of 1/unitsPerOne. volume and change do not contain them until the end of
	// add.
	units, changedUnits int64
	mixed               int64   // number of mixed cells
	broken              int64   // the first cell that is not finite: see kernels.EncodeBroken
	excess              float64 // the largest amount by which f is outside [0, 1]
}

func (o *rowSurvey[F]) Grain() int { return rowGrain(o.block.N[0]) }

func (o *rowSurvey[F]) Range(lo, hi int) {
	nx, ny := o.block.N[0], o.block.N[1]
	var t rowTally
	for r := lo; r < hi; r++ {
		first := o.block.Index(0, r%ny, r/ny)
		for i := 0; i < nx; i += maxUnits {
			n := min(maxUnits, nx-i)
			cell := r*nx + i
			o.add(&t, o.f[first+i:first+i+n], o.size[first+i:first+i+n], o.reference[cell:cell+n], int64(cell))
		}
	}
	t.addTo(o.found)
}

// Numbers in [0.5, 2), and their distances from 0 and 1, are multiples of 1/unitsPerOne, and the sum of maxUnits of
// them fits an int64.
const (
	unitsPerOne = 1 << 53
	maxUnits    = 256
)

// add adds at most maxUnits cells of a row, the first of which has the given number in the block.
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
			t.units += int64(x * unitsPerOne)
			t.changedUnits += int64(math.Abs(x-was) * unitsPerOne)
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
	sum.Add(float64(*units/half) * (half / float64(unitsPerOne)))
	sum.Add(float64(*units%half) / unitsPerOne)
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
