package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
)

func TestMain(m *testing.M) { kerneltest.Main(m, ".") }

// TestParity proves that totals of several chunks of a block have the same bits in Go and translated to CUDA, and those
// of an exact accumulator, and that they find the first number that is not finite.
func TestParity(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, r cudatest.Runner) {
		totals[float64](t, r)
		totals[float32](t, r)
	})
}

func totals[F Float](t *testing.T, r cudatest.Runner) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range [][3]int{{1, 1, 1}, {1023, 1, 1}, {50, 41, 1}, {20, 15, 9}} {
		for _, spoilt := range []bool{false, true} {
			l := &Layout{First: 7, N: n, Stride: [3]int{2, 2*n[0] + 3, (2*n[0] + 3) * (n[1] + 1)}, Scale: .3}
			x := make([]F, l.First+l.Stride[2]*n[2])
			for i := range x {
				x[i] = F(random.NormFloat64() * math.Ldexp(1, random.IntN(80)))
			}
			count := n[0] * n[1] * n[2]
			want := -1
			if spoilt {
				want = count / 2
				x[l.index(want)], x[l.index(count-1)] = F(math.Inf(-1)), F(math.NaN())
				if want == count-1 {
					x[l.index(want)] = F(math.Inf(-1))
				}
			}
			compareTotals(t, r, l, x, count, want)
		}
	}
}

func compareTotals[F Float](t *testing.T, r cudatest.Runner, l *Layout, x []F, count, broken int) {
	t.Helper()
	found := make([]Total, 2)
	for k := range found {
		found[k].Words[5], found[k].Broken = 1, 1
	}
	NewClearLoop(&found[0]).Range(0, exact.Words)
	NewAddLoop(count, l, x, &found[0]).Range(0, ReduceChunks(count))
	r.Run(t, NewClearLoop(&found[1]), 0, exact.Words)
	r.Run(t, NewAddLoop(count, l, x, &found[1]), 0, ReduceChunks(count))
	kerneltest.Same(t, "total", found[:1], found[1:], nil)
	var want, got dist.Accumulator
	for i := range count {
		want.Add(float64(x[l.index(i)]) * l.Scale)
	}
	got.AddWords(&found[0].Words)
	if a, b := got.Float64(), want.Float64(); a != b && (a == a || b == b) {
		t.Errorf("%d numbers: total %v, want %v", count, a, b)
	}
	if at, v := exact.FirstBroken(found[0].Broken); at != broken || at >= 0 && v != math.Inf(-1) {
		t.Errorf("%d numbers: entity %d is %v, want %d", count, at, v, broken)
	}
}
