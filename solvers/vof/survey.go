package vof

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
	"github.com/atoll-hpc/atoll/solvers/vof/narrowband"
)

// rowSurvey is the survey of a device in the host's memory, by rows of cells: its results are those of kernels.Survey2
// and Survey3. Most cells are exactly empty or full, or have not changed; they are only counted.
type rowSurvey[F num.Float] struct {
	block     *grid.Block
	roundOff  F
	f         []F
	size      []F  // of the interface, in mixed cells
	errors    bool // as in kernels.Survey, like the following
	reference []float64
	found     []int64
}

// rowTally is the result of a thread.
type rowTally struct {
	volume, change, size exact.Fixed  // sums of f, |f - reference| and the size of the interface
	room                 int          // how many more numbers these sums have room for
	full, changed        int64        // cells with f = 1, and with |f - reference| = 1: not in volume and change
	lowest, highest      float64      // f
	mixed                int64        // number of mixed cells
	broken               int64        // the first cell that is not finite: see exact.Broken
	numbers              [256]float64 // a buffer for numbers to add to a sum
}

func (o *rowSurvey[F]) Grain() int { return narrowband.RowGrain(o.block.N[0]) }

func (o *rowSurvey[F]) Range(lo, hi int) {
	nx, ny := o.block.N[0], o.block.N[1]
	t := rowTally{room: exact.FixedRoom}
	for r := lo; r < hi; r++ {
		first := o.block.Index(0, r%ny, r/ny)
		for i := 0; i < nx; i += len(t.numbers) {
			n := min(len(t.numbers), nx-i)
			if n > t.room {
				t.addSums(o.found)
			}
			t.room -= n
			cell := r*nx + i
			f := o.f[first+i : first+i+n]
			o.add(&t, f, o.size[first+i:first+i+n], int64(cell))
			if o.errors {
				o.addChanges(&t, f, o.reference[cell:cell+n])
			}
		}
	}
	t.addTo(o.found)
}

// add adds some cells of a row, the first of which has the given number in the block.
func (o *rowSurvey[F]) add(t *rowTally, f, size []F, first int64) {
	size = size[:len(f)]
	n, full := 0, int64(0)
	for i, v := range f {
		if v == 0 {
			continue
		}
		if v == 1 {
			full++
			continue
		}
		x := float64(v)
		if x-x != 0 {
			t.broken = max(t.broken, exact.Broken(first+int64(i), x))
			continue
		}
		t.numbers[n] = x
		n++
		t.lowest, t.highest = num.Smaller(x, t.lowest), num.Larger(x, t.highest)
		if v > o.roundOff && v < 1-o.roundOff {
			t.mixed++
			if s := float64(size[i]); !t.size.Add(s) {
				exact.AddTo(o.found[kernels.SurveySize:], s)
			}
		}
	}
	t.full += full
	addNumbers(&t.volume, t.numbers[:n], o.found[kernels.SurveyVolume:])
}

// addChanges adds the changes of some cells.
func (o *rowSurvey[F]) addChanges(t *rowTally, f []F, reference []float64) {
	reference = reference[:len(f)]
	n, changed := 0, int64(0)
	for i, v := range f {
		x := float64(v)
		change := num.Abs(x - reference[i])
		switch {
		case change == 0:
		case change == 1:
			changed++
		case x-x == 0:
			t.numbers[n] = change
			n++
		}
	}
	t.changed += changed
	addNumbers(&t.change, t.numbers[:n], o.found[kernels.SurveyChange:])
}

// addNumbers adds numbers to a sum. Numbers that do not fit, which AddAll moves to the front, are added to the words of
// the exact result.
func addNumbers(sum *exact.Fixed, numbers []float64, words []int64) {
	for _, x := range numbers[:sum.AddAll(numbers)] {
		exact.AddTo(words, x)
	}
}

// addSums adds the sums to a survey's results, and clears them.
func (t *rowTally) addSums(found []int64) {
	t.volume.AddTo(found[kernels.SurveyVolume:])
	t.change.AddTo(found[kernels.SurveyChange:])
	t.size.AddTo(found[kernels.SurveySize:])
	t.volume, t.change, t.size, t.room = exact.Fixed{}, exact.Fixed{}, exact.Fixed{}, exact.FixedRoom
}

// addTo adds the tally to a survey's results.
func (t *rowTally) addTo(found []int64) {
	t.addSums(found)
	exact.AddTo(found[kernels.SurveyVolume:], float64(t.full))
	exact.AddTo(found[kernels.SurveyChange:], float64(t.changed))
	atomic.AddInt64(&found[kernels.SurveyMixed], t.mixed)
	if excess := max(-t.lowest, t.highest-1); excess > 0 {
		atomics.Max(&found[kernels.SurveyExcess], int64(math.Float64bits(excess)))
	}
	atomics.Max(&found[kernels.SurveyBroken], t.broken)
}
