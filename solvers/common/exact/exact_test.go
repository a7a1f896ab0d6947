package exact

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// TestWords proves that sums of Parts, in any grouping, equal those of dist.Accumulator, and that its words have the
// same layout.
func TestWords(t *testing.T) {
	if Words != backend.SumWords {
		t.Fatalf("%d words, in package backend %d", Words, backend.SumWords)
	}
	inf := math.Inf(1)
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-1, 1),
		rapid.SampledFrom([]float64{0, 1, -1, inf, -inf, math.NaN(), math.SmallestNonzeroFloat64, -math.MaxFloat64, 0x1p-1022,
			math.Copysign(0, -1), math.Nextafter(1, 0)}))
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(number, 0, 40).Draw(t, "x")
		var want, got dist.Accumulator
		var words [Words]int64
		for _, v := range x {
			want.Add(v)
		}
		for len(x) > 0 {
			n := rapid.IntRange(1, len(x)).Draw(t, "n")
			var p, other Part
			for k, v := range x[:n] {
				if k%3 == 0 {
					other.Add(v, words[:])
				} else {
					p.Add(v, words[:])
				}
			}
			p.Merge(&other, words[:])
			p.Flush(words[:])
			if p != (Part{at: p.at}) {
				t.Fatalf("not empty after Flush: %+v", p)
			}
			x = x[n:]
		}
		got.AddWords(&words)
		if a, b := got.Float64(), want.Float64(); math.Float64bits(a) != math.Float64bits(b) {
			t.Errorf("%v, want %v", a, b)
		}
	})
}

// TestOrderedBits proves that OrderedBits is monotonic and FromOrderedBits its inverse.
func TestOrderedBits(t *testing.T) {
	inf := math.Inf(1)
	order := []float64{-inf, -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0,
		math.SmallestNonzeroFloat64, 1, math.MaxFloat64, inf, math.NaN()}
	var bits []uint64
	for _, x := range order {
		bits = append(bits, OrderedBits(x))
		if back := FromOrderedBits(OrderedBits(x)); math.Float64bits(back) != math.Float64bits(x) {
			t.Errorf("%v becomes %v", x, back)
		}
	}
	if !slices.IsSorted(bits) || bits[0] == 0 || FromOrderedBits(0) != -inf {
		t.Errorf("ordered bits %x of %v", bits, order)
	}
}
