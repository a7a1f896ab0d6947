package survey

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

func TestMain(m *testing.M) { kerneltest.Main(m, ".") }

// TestParity proves that surveys of several chunks give the same bits in Go and translated to CUDA, and what an exact
// accumulator and plain comparisons give, also with NaN, infinities and zeros of either sign.
func TestParity(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, r cudatest.Runner) {
		surveys[float64](t, r)
		surveys[float32](t, r)
	})
}

func surveys[F num.Float](t *testing.T, r cudatest.Runner) {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 6))
	zero := F(0)
	odd := []F{zero, -zero, F(math.Inf(1)), F(math.Inf(-1)), F(math.NaN()), 1, .2, .6, -3, 1e-30, 1e30}
	for _, n := range []int{0, 1, 700, 2500} {
		for _, spoilt := range []bool{false, true} {
			cells, sizesAndLengths, ids := make([]Cell[F], n), make([]F, 2*n), make([]int32, n)
			number := func() F {
				if spoilt && random.IntN(4) == 0 {
					return odd[random.IntN(len(odd))]
				}
				return F(random.Float64())
			}
			for i := range cells {
				cells[i] = Cell[F]{number(), number() - .1}
				ids[i] = int32(n - i)
			}
			for i := range sizesAndLengths {
				sizesAndLengths[i] = number() * 3
			}
			var listed []int32
			for i := range n {
				if i%3 == 1 {
					listed = append(listed, int32(i))
				}
			}
			for _, list := range [][]int32{listed, nil} {
				compareSurveys(t, r, cells, ids, sizesAndLengths, list)
			}
		}
	}
}

// compareSurveys surveys cells, edges and sides of the boundary. Element 2i of sizesAndLengths is the size of side i,
// and element 2i+1 the length of edge i. The sides that are added up are those listed, or all if listed is nil.
func compareSurveys[F num.Float](t *testing.T, r cudatest.Runner, cells []Cell[F], ids []int32, sizesAndLengths []F,
	listed []int32) {
	t.Helper()
	found := make([]Surveyed, 2)
	n, count := len(cells), len(listed)
	if listed == nil {
		count = n
	}
	run := []func(l backend.Loop, n int){func(l backend.Loop, n int) { l.Range(0, n) },
		func(l backend.Loop, n int) {
			if n > 0 {
				r.Run(t, l.(abi.Launcher), 0, n)
			}
		}}
	for k := range found {
		s := &found[k]
		s.Sums[9], s.Counts[2], s.Extremes[1], s.Best = 1, 1, 1, 1
		run[k](NewClearLoop(s), Sums)
		run[k](NewAddCellsLoop(cells, s), Chunks(n))
		const each, at = 2, 1 // elements of an edge or side, and the position of the length among them
		run[k](NewAddEdgesLoop(int32(n), each, at, sizesAndLengths, s), Chunks(n))
		run[k](NewAddSidesLoop(int32(count), each, listed, sizesAndLengths, s), Chunks(count))
		run[k](NewFindCellsLoop(ids, cells, s), n)
	}
	kerneltest.Same(t, "survey", found[:1], found[1:], nil)
	if listed == nil {
		listed = make([]int32, n)
		for i := range listed {
			listed[i] = int32(i)
		}
	}
	compareSums(t, &found[0], cells, sizesAndLengths, listed)
	compareCounts(t, &found[0], cells, sizesAndLengths)
	if n > 0 {
		compareExtremes(t, &found[0], cells, ids, sizesAndLengths)
	}
}

func compareSums[F num.Float](t *testing.T, got *Surveyed, cells []Cell[F], sizesAndLengths []F, listed []int32) {
	t.Helper()
	var want [Sums / exact.Words]dist.Accumulator
	for i, c := range cells {
		want[0].Add(float64(c.Quality))
		want[1].Add(float64(c.Size))
		length := float64(sizesAndLengths[2*i+1])
		want[2].Add(length)
		want[3].Add(length * length)
	}
	for _, side := range listed {
		want[4].Add(float64(sizesAndLengths[2*side]))
	}
	for k := range want {
		var sum dist.Accumulator
		sum.AddWords((*[exact.Words]int64)(got.Sums[k*exact.Words:]))
		if is, want := sum.Float64(), want[k].Float64(); is != want && (is == is || want == want) {
			t.Errorf("%d cells: sum %d is %v, want %v", len(cells), k, is, want)
		}
	}
}

func compareCounts[F num.Float](t *testing.T, got *Surveyed, cells []Cell[F], sizesAndLengths []F) {
	t.Helper()
	var want [Counts]int64
	for i, c := range cells {
		bin := 0
		for bin < QualityBins-1 && float64(c.Quality) >= 0.2*float64(bin+1) {
			bin++
		}
		want[bin]++
		if !(c.Size > 0) {
			want[Inverted]++
		}
		length := float64(sizesAndLengths[2*i+1])
		for bin = 0; bin < LengthBins-1 && length >= math.Ldexp(1, bin-3); {
			bin++
		}
		want[Histogram+bin]++
		if length >= math.Sqrt2/2 && length <= math.Sqrt2 {
			want[InRange]++
		}
	}
	if got.Counts != want {
		t.Errorf("%d cells: counts %v, want %v", len(cells), got.Counts, want)
	}
}

func compareExtremes[F num.Float](t *testing.T, got *Surveyed, cells []Cell[F], ids []int32, sizesAndLengths []F) {
	t.Helper()
	worst, best := math.Inf(1), math.Inf(-1)
	short, long := math.Inf(1), math.Inf(-1)
	for i, c := range cells {
		q, length := float64(c.Quality), float64(sizesAndLengths[2*i+1])
		worst, short, long = min(worst, q), min(short, length), max(long, length)
		if q > best {
			best = q
		}
	}
	for k, want := range []float64{best, -worst, long, -short} {
		if is := exact.FromOrderedBits(got.Extremes[k]); is != want && (is == is || want == want) {
			t.Errorf("%d cells: extreme %d is %v, want %v", len(cells), k, is, want)
		}
	}
	lowestID := func(value float64) int64 { // of the cells with this quality
		var same []int32
		for i, c := range cells {
			if q := float64(c.Quality); q == value || q != q && value != value {
				same = append(same, ids[i])
			}
		}
		return int64(slices.Min(same))
	}
	if FirstID(got.Worst) != lowestID(worst) || best > math.Inf(-1) && FirstID(got.Best) != lowestID(best) {
		t.Errorf("%d cells: worst and best are %d and %d, want %d and %d", len(cells), FirstID(got.Worst), FirstID(got.Best),
			lowestID(worst), lowestID(best))
	}
}
