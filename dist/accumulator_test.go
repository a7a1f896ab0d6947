package dist

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// exactSum is the reference: the sum in 5000 bits, more than any sum of these tests needs, rounded once.
func exactSum(xs []float64) float64 {
	sum := new(big.Float).SetPrec(5000)
	for _, x := range xs {
		sum.Add(sum, new(big.Float).SetFloat64(x))
	}
	f, _ := sum.Float64()
	return f + 0 // an exact zero is +0
}

func sumOf(xs []float64) *Accumulator {
	a := new(Accumulator)
	for _, x := range xs {
		a.Add(x)
	}
	return a
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// finite draws from all bit patterns, and from few exponents so that cancellation and ties are frequent.
func finite() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Map(rapid.Uint64(), func(b uint64) float64 {
			if f := math.Float64frombits(b); !math.IsNaN(f) && !math.IsInf(f, 0) {
				return f
			}
			return math.Float64frombits(b &^ (1 << 62))
		}),
		rapid.Map(rapid.IntRange(-9, 9), func(i int) float64 { return math.Ldexp(float64(i), 52) }),
		rapid.Map(rapid.IntRange(-9, 9), func(i int) float64 { return float64(i) / 2 }),
		rapid.Map(rapid.IntRange(-9, 9), func(i int) float64 { return float64(i) * math.SmallestNonzeroFloat64 }),
		rapid.SampledFrom([]float64{math.MaxFloat64, -math.MaxFloat64, 0x1p-1022, -0x1p-1022, 0x1p970, -0x1p970}),
	)
}

func TestAccumulatorRoundsTheExactSumOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(finite(), 0, 60).Draw(t, "xs")
		if got, want := sumOf(xs).Float64(), exactSum(xs); !sameBits(got, want) {
			t.Fatalf("sum of %v is %x, want %x", xs, got, want)
		}
	})
}

func TestAccumulatorIsFreeOfOrderAndSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(finite(), 1, 60).Draw(t, "xs")
		want := sumOf(xs).Float64()
		parts := make([]Accumulator, rapid.IntRange(1, 7).Draw(t, "parts"))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for _, i := range rng.Perm(len(xs)) {
			parts[rng.IntN(len(parts))].Add(xs[i])
		}
		var total Accumulator
		for _, i := range rng.Perm(len(parts)) {
			total.Merge(&parts[i])
		}
		if got := total.Float64(); !sameBits(got, want) {
			t.Fatalf("split into %d: %x, want %x", len(parts), got, want)
		}
	})
}

// AddWords accepts words with and without pending carries, mixed with Add in any order.
func TestAccumulatorAddsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.OneOf(finite(), rapid.SampledFrom([]float64{math.Inf(1), math.Inf(-1), math.NaN()})), 0,
			40).Draw(t, "xs")
		want := sumOf(xs).Float64()
		total := new(Accumulator)
		for len(xs) > 0 {
			n := rapid.IntRange(1, len(xs)).Draw(t, "part")
			if part := sumOf(xs[:n]); rapid.Bool().Draw(t, "words") {
				if rapid.Bool().Draw(t, "carried") {
					part.carry()
				}
				before := part.word
				total.AddWords(&part.word)
				if part.word != before {
					t.Fatal("the words were changed")
				}
			} else {
				for _, x := range xs[:n] {
					total.Add(x)
				}
			}
			xs = xs[n:]
		}
		if got := total.Float64(); !sameBits(got, want) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("got %x, want %x", got, want)
		}
	})
}

func TestAccumulatorAddsTheLargestWords(t *testing.T) {
	var w [words]int64
	want := new(big.Float).SetPrec(5000)
	for i := range limbs - 4 { // higher words would exceed the largest float64
		if w[i] = 1 << 62; i%3 == 1 {
			w[i] = -1 << 62
		}
		x := new(big.Float).SetPrec(5000).SetInt64(w[i])
		want.Add(want, x.SetMantExp(x, limbBits*i-1074))
	}
	var a Accumulator
	a.AddWords(&w)
	if f, _ := want.Float64(); !sameBits(a.Float64(), f) {
		t.Fatalf("got %x, want %x", a.Float64(), f)
	}
}

func TestAccumulatorOfSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		xs   []float64
		want float64
	}{
		{nil, 0},
		{[]float64{math.Copysign(0, -1)}, 0},
		{[]float64{1, -1}, 0},
		{[]float64{inf, 1, -math.MaxFloat64}, inf},
		{[]float64{-inf, 1}, -inf},
		{[]float64{inf, -inf}, nan},
		{[]float64{nan, inf}, nan},
		{[]float64{1, nan, -1}, nan},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, inf},
		{[]float64{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64}, math.MaxFloat64},
		{[]float64{math.MaxFloat64, 0x1p969}, math.MaxFloat64}, // just under half a unit
		{[]float64{math.MaxFloat64, 0x1p970}, inf},             // half a unit rounds to even
		{[]float64{1, 0x1p-53}, 1},
		{[]float64{1, 0x1p-53, math.SmallestNonzeroFloat64}, 1 + 0x1p-52},
		{[]float64{-1, -0x1p-53, -math.SmallestNonzeroFloat64}, -1 - 0x1p-52},
		{[]float64{0x1p-1022, -math.SmallestNonzeroFloat64}, 0x1p-1022 - math.SmallestNonzeroFloat64},
	} {
		got := sumOf(c.xs).Float64()
		if !sameBits(got, c.want) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("sum of %v is %v, want %v", c.xs, got, c.want)
		}
		var m Accumulator
		m.Merge(sumOf(c.xs))
		if got := m.Float64(); !sameBits(got, c.want) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("merged sum of %v is %v, want %v", c.xs, got, c.want)
		}
	}
}

// A tie is broken by any bit below it, down to the smallest subnormal number.
func TestAccumulatorSeesTheLastBit(t *testing.T) {
	for k := 54; k <= 1074; k++ {
		tiny := math.Ldexp(1, -k)
		for lead := range 64 { // shifts the sum to all positions in its words
			scale := math.Ldexp(1, lead)
			if got, want := sumOf([]float64{scale, 0x1p-53 * scale, tiny}).Float64(), (1+0x1p-52)*scale; got != want {
				t.Fatalf("2^%d + 2^%d + 2^-%d is %x, want %x", lead, lead-53, k, got, want)
			}
			if got := sumOf([]float64{scale, 0x1p-53 * scale, -tiny}).Float64(); got != scale {
				t.Fatalf("2^%d + 2^%d - 2^-%d is %x, want %x", lead, lead-53, k, got, scale)
			}
		}
	}
}

// Words are set to the values after 2^30 additions, which would take seconds.
func TestAccumulatorCarriesBeforeWordsOverflow(t *testing.T) {
	x := math.Nextafter(0x1p960, 0) // all 53 bits set
	a := sumOf([]float64{x})
	for i := range a.word {
		a.word[i] *= carryEvery
	}
	a.pending = carryEvery
	a.Add(x)
	if a.pending != 1 {
		t.Fatalf("%d additions pending after the limit was reached", a.pending)
	}
	want := new(big.Float).SetPrec(200).SetFloat64(x)
	want.Mul(want, big.NewFloat(carryEvery+1))
	if f, _ := want.Float64(); !sameBits(a.Float64(), f) {
		t.Fatalf("got %x, want %x", a.Float64(), f)
	}
}

func TestAccumulatorAllocatesNothing(t *testing.T) {
	a, b := new(Accumulator), sumOf([]float64{1, 2})
	n := testing.AllocsPerRun(100, func() {
		a.Add(0x1.8p100)
		a.Add(-3e-310)
		a.Merge(b)
		_ = a.Float64()
	})
	if n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func BenchmarkAccumulatorAdd(b *testing.B) {
	xs := make([]float64, 1024)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range xs {
		xs[i] = rng.NormFloat64() * math.Exp(rng.NormFloat64()*4)
	}
	var a Accumulator
	b.ReportAllocs()
	for i := range b.N {
		a.Add(xs[i&1023])
	}
	if math.IsNaN(a.Float64()) {
		b.Fatal("NaN")
	}
}
