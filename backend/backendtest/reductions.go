package backendtest

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
)

func (s *suite) reduce(t *testing.T, n int) {
	r := random(n)
	reduceAs(t, s, generate(n, func() int32 { return int32(r.Uint32()) }))
	reduceAs(t, s, generate(n, func() int64 { return int64(r.Uint64()) }))
	reduceAs(t, s, generate(n, r.Uint32))
	reduceAs(t, s, generate(n, r.Uint64))
	for _, scale := range []float64{1, 1e300, -1} {
		x := generate(n, func() float64 { return scale * (r.Float64() - 0.3) })
		y := generate(n, func() float32 { return float32(scale) * (r.Float32() - 0.3) })
		if scale < 0 { // -1 stands for an array of zeros of both signs
			x, y = generate(n, func() float64 { return math.Copysign(0, r.Float64()-0.5) }), make([]float32, n)
			if n > 2 {
				y[n/3] = float32(math.Copysign(0, -1))
			}
		}
		reduceAs(t, s, x)
		reduceAs(t, s, y)
		if n > 0 {
			x[n/2], y[n-1] = math.Inf(1), float32(math.Inf(-1))
			reduceAs(t, s, x)
			reduceAs(t, s, y)
			x[n-1], y[n/2] = math.NaN(), math.Float32frombits(0xff800001)
			reduceAs(t, s, x)
			reduceAs(t, s, y)
		}
	}
}

func reduceAs[T primitives.Number](t *testing.T, s *suite, x []T) {
	t.Helper()
	d := upload(t, s, x)
	least, err := primitives.Min(s.workspace, d)
	must(t, least, err)
	greatest, err := primitives.Max(s.workspace, d)
	must(t, greatest, err)
	if len(x) == 0 {
		if !(least > greatest) {
			t.Errorf("of an empty array: min %v and max %v, want min > max", least, greatest)
		}
		return
	}
	lo, hi := slices.Min(x), slices.Max(x)
	if lo != lo { // a NaN result has the bits of math.NaN
		nan := math.NaN()
		lo, hi = T(nan), T(nan)
	}
	compareBits(t, "min and max", []T{least, greatest}, []T{lo, hi})
}

func (s *suite) sum(t *testing.T, n int) {
	r := random(n)
	sumAs(t, s, generate(n, func() float64 { return r.NormFloat64() }))
	sumAs(t, s, generate(n, func() float32 { return float32(r.NormFloat64()) }))
	sumAs(t, s, generate(n, func() float32 { return math.Float32frombits(r.Uint32() &^ (1 << 30)) }))
	sumAs(t, s, generate(n,
		func() float64 { return math.Float64frombits(r.Uint64() &^ (1 << 62)) })) // exponents up to 0
	sumAs(t, s, generate(n, func() float64 { return math.Float64frombits(r.Uint64() & (1<<63 | 1<<53 - 1)) })) // subnormal
	sumAs(t, s, generate(n, func() float64 { return math.Copysign(math.MaxFloat64, r.Float64()-0.4) }))
	if n > 3 {
		x := generate(n, r.Float64)
		x[0], x[n/2], x[n-1] = math.NaN(), math.Inf(1), math.Inf(-1)
		var words [backend.SumWords]int64
		if err := primitives.SumInto(s.workspace, &words, upload(t, s, x)); err != nil {
			t.Fatal(err)
		}
		if [3]int64(words[backend.SumLimbs:]) != [3]int64{1, 1, 1} {
			t.Errorf("counts of NaN, +Inf and -Inf are %v, want 1 each", words[backend.SumLimbs:])
		}
	}
}

// sumAs compares the words with an integer sum in units of 2^-1074.
func sumAs[T primitives.Float](t *testing.T, s *suite, x []T) {
	t.Helper()
	words := [backend.SumWords]int64{3, 1} // SumInto adds to these values
	if err := primitives.SumInto(s.workspace, &words, upload(t, s, x)); err != nil {
		t.Fatal(err)
	}
	want := big.NewInt(3 + 1<<32)
	// Mantissas of numbers with the same exponent are summed first, as int64: then few additions of big.Int are needed.
	var sums [2048]int64
	for _, v := range x {
		b := math.Float64bits(float64(v))
		e, m := b>>52&0x7ff, int64(b&(1<<52-1))
		if e == 0 {
			e = 1
		} else {
			m |= 1 << 52
		}
		if b>>63 == 1 {
			m = -m
		}
		before := sums[e]
		sums[e] += m
		if (before^sums[e])&(m^sums[e]) < 0 || sums[e] > 1<<62 || sums[e] < -1<<62 {
			want.Add(want, new(big.Int).Lsh(big.NewInt(before), uint(e-1)))
			sums[e] = m
		}
	}
	for e, m := range sums {
		if m != 0 {
			want.Add(want, new(big.Int).Lsh(big.NewInt(m), uint(e-1)))
		}
	}
	got := new(big.Int)
	for i := backend.SumLimbs - 1; i >= 0; i-- {
		got.Add(got.Lsh(got, 32), big.NewInt(words[i]))
		if i < backend.SumLimbs-1 && words[i]>>32 != 0 && len(x) > 0 {
			t.Fatalf("word %d is %#x, want less than 2^32 after the carry", i, words[i])
		}
	}
	if got.Cmp(want) != 0 {
		t.Fatalf("sum of %d numbers is %x, want %x, in units of 2^-1074", len(x), got, want)
	}
}

func (s *suite) scan(t *testing.T, n int) {
	r := random(n)
	scanAs(t, s, generate(n, func() int32 { return r.Int32N(1000) }))
	scanAs(t, s, generate(n, func() int64 { return r.Int64N(1 << 40) }))
}

func scanAs[T int32 | int64](t *testing.T, s *suite, x []T) {
	t.Helper()
	src, dst := upload(t, s, x), upload(t, s, make([]T, len(x)))
	want, sum := make([]T, len(x)), T(0)
	for i, v := range x {
		want[i] = sum
		sum += v
	}
	total, err := primitives.ExclusiveScan(s.workspace, dst, src)
	compareBits(t, "total", []T{must(t, total, err)}, []T{sum})
	compareBits(t, "scan", download(t, s, dst), want)
	total, err = primitives.ExclusiveScan(s.workspace, src, src)
	compareBits(t, "total in place", []T{must(t, total, err)}, []T{sum})
	compareBits(t, "scan in place", download(t, s, src), want)
}
