package atomics

import (
	"math"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

var edges = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1, -1, math.MaxFloat32,
	-math.MaxFloat32, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32}

func same[F Float](a, b F) bool {
	return a != a && b != b || math.Float64bits(float64(a)) == math.Float64bits(float64(b))
}

func floats[F Float](t *rapid.T) []F {
	all := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(edges), rapid.Float64Range(-1e30, 1e30)), 1, 20).Draw(t, "x")
	var out []F
	for _, x := range all {
		out = append(out, F(x))
	}
	return out
}

// TestOrderFree proves that the results are Go's min and max for any order of the operations.
func TestOrderFree(t *testing.T) {
	t.Run("float32", func(t *testing.T) { rapid.Check(t, orderFree[float32]) })
	t.Run("float64", func(t *testing.T) { rapid.Check(t, orderFree[float64]) })
}

func orderFree[F Float](t *rapid.T) {
	x := floats[F](t)
	low, high := x[0], x[0]
	for _, v := range x {
		low, high = min(low, v), max(high, v)
	}
	y := rapid.Permutation(x).Draw(t, "order")
	var least Least[F]
	var most Most[F]
	a, b := y[0], y[0]
	for _, v := range y {
		least.Take(v)
		most.Take(v)
		Min(&a, v)
		Max(&b, v)
	}
	if !same(least.Value(), low) || !same(a, low) {
		t.Fatalf("least %v, Min %v, want %v", least.Value(), a, low)
	}
	if !same(most.Value(), high) || !same(b, high) {
		t.Fatalf("most %v, Max %v, want %v", most.Value(), b, high)
	}
}

func TestEmpty(t *testing.T) {
	var l Least[float32]
	var m Most[float64]
	l.Take(1)
	l.Reset()
	if l.Value() != float32(math.Inf(1)) || m.Value() != math.Inf(-1) {
		t.Errorf("empty: %v and %v, want +Inf and -Inf", l.Value(), m.Value())
	}
}

func TestConcurrentIntegers(t *testing.T) {
	low, high := int64(math.MaxInt64), uint32(0)
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			for i := range 1000 {
				Min(&low, int64(g*1000-i))
				Max(&high, uint32(g*1000+i))
			}
		})
	}
	wait.Wait()
	if low != -999 || high != 7999 {
		t.Errorf("minimum %d, maximum %d, want -999 and 7999", low, high)
	}
}
