package exact_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
)

// TestGridSumHasNoOrder: any order and division of the numbers gives the same bits, close to the exact sum.
func TestGridSumHasNoOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, scale := range []float64{1, 1e-300, 1e200} {
		x := make([]float64, 1000+r.IntN(100_000))
		largest := 0.0
		var want dist.Accumulator
		for i := range x {
			x[i] = scale * r.NormFloat64() * math.Exp(-20*r.Float64())
			largest = max(largest, math.Abs(x[i]))
			want.Add(x[i])
		}
		first := 0.0
		for n := range 20 {
			r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
			var g exact.GridSum
			g.Reset(int64(len(x)), largest)
			parts := make([]exact.GridSum, 1+n)
			for k := range parts {
				parts[k] = g.Part()
			}
			for i, v := range x {
				parts[r.IntN(1+n*i%(1+n))].Add(v)
			}
			for _, k := range r.Perm(len(parts)) {
				g.Merge(&parts[k])
			}
			got, valid := g.Value()
			if n == 0 {
				first = got
			}
			if exactSum := want.Float64(); !valid || got != first || math.Abs(got-exactSum) > 1e-15*largest*float64(len(x)) {
				t.Fatalf("scale %g: %v (%t), at first %v, exactly %v", scale, got, valid, first, exactSum)
			}
		}
		var g exact.GridSum
		g.Reset(10, largest/2)
		for _, v := range x {
			g.Add(v)
		}
		if _, valid := g.Value(); valid {
			t.Error("a number beyond the bound was not noticed")
		}
	}
}

// BenchmarkSums compares ways to add up products.
func BenchmarkSums(b *testing.B) {
	const n = 1 << 15
	x, y := make([]float64, n), make([]float64, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range x {
		x[i], y[i] = r.NormFloat64(), r.NormFloat64()
	}
	sink := 0.0
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			s := 0.0
			for i := range x {
				s += x[i] * y[i]
			}
			sink += s
		}
	})
	b.Run("accumulator", func(b *testing.B) {
		for b.Loop() {
			var a dist.Accumulator
			for i := range x {
				a.Add(x[i] * y[i])
			}
			sink += a.Float64()
		}
	})
	b.Run("part", func(b *testing.B) {
		for b.Loop() {
			var p exact.Part
			var words [exact.Words]int64
			for i := range x {
				p.Add(x[i]*y[i], words[:])
			}
			p.Flush(words[:])
			sink += float64(words[33])
		}
	})
	b.Run("grid", func(b *testing.B) {
		var g exact.GridSum
		g.Reset(n, 40)
		for b.Loop() {
			p := g.Part()
			for i := range x {
				p.Add(x[i] * y[i])
			}
			v, _ := p.Value()
			sink += v
		}
	})
	_ = sink
}
