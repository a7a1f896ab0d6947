package vof

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
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
	volume, change, size exact.Fixed // sums of f, |f - reference| and the size of the interface
	room                 int         // how many more numbers these sums have room for
	// Among the cells that are empty or full and were so at the start: how many are full, and how many have changed.
	// volume and change do not contain these cells.
	full, changed   int64
	lowest, highest float64 // f
	mixed           int64   // number of mixed cells
	broken          int64   // the first cell that is not finite: see kernels.EncodeBroken
}

func (o *rowSurvey[F]) Grain() int { return rowGrain(o.block.N[0]) }

func (o *rowSurvey[F]) Range(lo, hi int) {
	nx, ny := o.block.N[0], o.block.N[1]
	t := rowTally{room: exact.FixedRoom}
	for r := lo; r < hi; r++ {
		first := o.block.Index(0, r%ny, r/ny)
		for i := 0; i < nx; i += exact.FixedRoom {
			n := min(exact.FixedRoom, nx-i)
			if n > t.room {
				t.addSums(o.found)
			}
			t.room -= n
			cell := r*nx + i
			o.add(&t, o.f[first+i:first+i+n], o.size[first+i:first+i+n], o.reference[cell:cell+n], int64(cell))
		}
	}
	t.addTo(o.found)
}

// add adds some cells of a row, the first of which has the given number in the block.
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
		if !t.volume.Add(x) {
			exact.AddTo(o.found[kernels.SurveyVolume:], x)
		}
		if change := num.Abs(x - was); !t.change.Add(change) {
			exact.AddTo(o.found[kernels.SurveyChange:], change)
		}
		t.lowest, t.highest = num.Smaller(x, t.lowest), num.Larger(x, t.highest)
		if v > o.roundOff && v < 1-o.roundOff {
			t.mixed++
			if s := float64(size[i]); !t.size.Add(s) {
				exact.AddTo(o.found[kernels.SurveySize:], s)
			}
		}
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
