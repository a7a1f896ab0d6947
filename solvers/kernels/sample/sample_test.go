package sample

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

// TestReductions proves that each kind of reduction has the same bits on a processor, in parts of any length, and
// translated to CUDA, and those of a plain loop, also with numbers that are not finite, both zeros, or no numbers.
func TestReductions(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, r cudatest.Runner) {
		for _, n := range []int{0, 1, 127, 128, 1023, 1024, 1025, 5000} {
			for name, special := range map[string][]float64{"finite": nil, "zeros": {0, math.Copysign(0, -1)},
				"NaN": {math.NaN()}, "infinite": {math.Inf(-1), math.NaN()}, "tiny": {1e-310, 1}} {
				compare[float64](t, r, name, n, special)
				compare[float32](t, r, name, n, special)
			}
		}
	})
}

func compare[F Float](t *testing.T, r cudatest.Runner, name string, n int, special []float64) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]F, n)
	for i := range x {
		x[i] = F(random.NormFloat64() * math.Ldexp(1, random.IntN(60)-30))
	}
	for k, v := range special {
		if at := n/2 + k; at < n {
			x[at] = F(v)
		}
	}
	var found [3]Result
	NewNumbersLoop(n, x, &found[0]).Range(0, ReduceChunks(n))
	r.Run(t, NewNumbersLoop(n, x, &found[1]), 0, ReduceChunks(n))
	loop := NewNumbersLoop(n, x, &found[2])
	for c := ReduceChunks(n) - 1; c >= 0; c-- {
		loop.Range(c, c+1)
	}
	if found[0] != found[1] || found[0] != found[2] {
		t.Fatalf("%s, %d numbers: %v on a processor, %v translated, %v in parts", name, n, found[0], found[1], found[2])
	}
	check(t, name, x, &found[0])
}

// check compares a result with a plain loop.
func check[F Float](t *testing.T, name string, x []F, found *Result) {
	t.Helper()
	var sum, got dist.Accumulator
	negative, least, most, first := int64(0), math.Inf(1), math.Inf(-1), -1
	for i, w := range x {
		v := float64(w)
		sum.Add(v)
		if v < 0 {
			negative++
		}
		least, most = min(least, v), max(most, v)
		if v-v != 0 && first < 0 {
			first = i
		}
	}
	got.AddWords(&found.Sum)
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }
	broken, v := exact.FirstBroken(found.Broken)
	if !same(sum.Float64(), got.Float64()) || found.Negative != negative || !same(found.Least.Value(), least) ||
		!same(found.Most.Value(), most) || broken != first || first >= 0 && !same(v, float64(x[first])) {
		t.Errorf("%s, %d numbers: sum %g, %d negative, from %g to %g, first %d (%g); want %g, %d, %g, %g, %d", name, len(x),
			got.Float64(), found.Negative, found.Least.Value(), found.Most.Value(), broken, v, sum.Float64(), negative, least,
			most, first)
	}
}

// TestBoxes proves that a reduction over a box takes each of its cells once.
func TestBoxes(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, r cudatest.Runner) {
		boxes[float32](t, r)
		boxes[float64](t, r)
	})
}

func boxes[F Float](t *testing.T, r cudatest.Runner) {
	t.Helper()
	const sy, sz = 20, 20 * 15
	x := make([]F, sz*11)
	for i := range x {
		x[i] = F(i) - 1000
	}
	for _, b := range []exact.Box{{Lo: [3]int{1, 2, 3}, Hi: [3]int{18, 12, 9}}, {Hi: [3]int{20, 15, 11}},
		{Hi: [3]int{7, 1, 1}}, {Hi: [3]int{0, 5, 1}}} {
		var inside []F
		for k := b.Lo[2]; k < b.Hi[2]; k++ {
			for j := b.Lo[1]; j < b.Hi[1]; j++ {
				for i := b.Lo[0]; i < b.Hi[0]; i++ {
					inside = append(inside, x[i+sy*j+sz*k])
				}
			}
		}
		var found [2]Result
		chunks := ReduceChunks(len(inside))
		NewCellsLoop(b, sy, sz, x, &found[0]).Range(0, chunks)
		r.Run(t, NewCellsLoop(b, sy, sz, x, &found[1]), 0, chunks)
		if found[0] != found[1] {
			t.Errorf("%v: %v on a processor, %v translated", b, found[0], found[1])
		}
		check(t, "box", inside, &found[0])
	}
}
