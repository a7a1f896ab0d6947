package exact

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
)

// TestFixed proves that a Fixed of as many numbers as it has room for equals their exact sum, and that it refuses
// exactly those that it cannot represent.
func TestFixed(t *testing.T) {
	below2 := math.Nextafter(2, 0)
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-2, 2), rapid.Float64Range(-0x1p-44, 0x1p-44),
		rapid.Float64Range(-0x1p-93, 0x1p-93),
		rapid.SampledFrom([]float64{0, 1, -1, 2, -2, below2, -below2, math.Inf(1), math.Inf(-1), math.NaN(),
			math.Copysign(0, -1), 0x1p-146, -0x1p-147, 0x1p-51, 0x1p-99, math.Nextafter(1, 0), math.Nextafter(1, 2),
			math.MaxFloat64, math.SmallestNonzeroFloat64}))
	rapid.Check(t, func(t *rapid.T) {
		var words [Words]int64
		var want, got dist.Accumulator
		for range rapid.IntRange(1, 3).Draw(t, "groups") {
			var sum Fixed
			x := rapid.SliceOfN(number, 1, 32).Draw(t, "x")
			for range FixedRoom / len(x) {
				for _, v := range x {
					want.Add(v)
					units := math.Ldexp(v, 146)
					if fits := math.Abs(v) < 2 && units == math.Trunc(units); sum.Add(v) != fits {
						t.Fatalf("%g is added: %v", v, !fits)
					} else if !fits {
						AddTo(words[:], v)
					}
				}
			}
			sum.AddTo(words[:])
		}
		got.AddWords(&words)
		if a, b := got.Float64(), want.Float64(); math.Float64bits(a) != math.Float64bits(b) {
			t.Errorf("%v, want %v", a, b)
		}
		x := rapid.SliceOfN(number, 0, 40).Draw(t, "x")
		var one, all Fixed
		var others []float64
		for _, v := range x {
			if !one.Add(v) {
				others = append(others, v)
			}
		}
		bits := func(x []float64) (b []uint64) {
			for _, v := range x {
				b = append(b, math.Float64bits(v))
			}
			return b
		}
		if n := all.AddAll(x); all != one || !slices.Equal(bits(x[:n]), bits(others)) {
			t.Errorf("AddAll gives %+v without %g, Add %+v without %g", all, x[:n], one, others)
		}
	})
}

// TestWide proves that a Wide of as many numbers as it has room for, merged from columns, equals their exact sum, and
// that exactly those fit that it can represent.
func TestWide(t *testing.T) {
	below := math.Nextafter(1<<33, 0)
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-1<<33, 1<<33), rapid.Float64Range(-0x1p-12, 0x1p-12),
		rapid.Float64Range(-0x1p-61, 0x1p-61),
		rapid.SampledFrom([]float64{0, 1, -1, 1 << 33, -1 << 33, below, -below, math.Inf(1), math.Inf(-1), math.NaN(),
			math.Copysign(0, -1), 0x1p-114, -0x1p-115, 0x1p-19, 0x1p-67, math.MaxFloat64, math.SmallestNonzeroFloat64}))
	rapid.Check(t, func(t *rapid.T) {
		var words [Words]int64
		var want, got dist.Accumulator
		x := rapid.SliceOfN(number, 1, 32).Draw(t, "x")
		var columns [WideColumns * Threads]int64
		for k := range int32(Threads) {
			var sum Wide
			for n := range FixedRoom / Threads {
				v := x[(n+int(k))%len(x)]
				want.Add(v)
				units := math.Ldexp(v, 114)
				w, fits := WideOf(v)
				if representable := math.Abs(v) < 1<<33 && units == math.Trunc(units); fits != representable {
					t.Fatalf("%g fits: %v", v, fits)
				}
				if fits {
					sum = sum.Plus(w)
				} else {
					AddTo(words[:], v)
				}
			}
			sum.Store(columns[:], 0, k)
		}
		for k := range int32(WideColumns * Groups) {
			AddGroup(columns[:], k)
		}
		WideOfColumns(columns[:], 0).AddTo(words[:])
		got.AddWords(&words)
		if a, b := got.Float64(), want.Float64(); math.Float64bits(a) != math.Float64bits(b) {
			t.Errorf("%v, want %v", a, b)
		}
	})
}
