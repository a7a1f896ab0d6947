package dist

import (
	"context"
	"math"
	"math/bits"
)

// The accumulator is a wide fixed-point number, the sum of word[i] · 2^(limbBits·i-1074) over i < limbs. Every
// finite float64 is a multiple of 2^-1074 and can be added exactly. Words are signed 64-bit integers, and an
// addition changes each by less than 2^32, so that carries can be deferred for 2^30 additions.
const (
	limbBits = 32
	limbMask = 1<<limbBits - 1

	// float64 spans 2098 bits, from 2^-1074 to 2^1024; 68 limbs have 78 more, for the growth of sums and the sign.
	limbs = 68

	// Three more words count the NaN, +Inf and -Inf that were added, so that one reduction combines everything.
	wordNaN = limbs
	wordPos = limbs + 1
	wordNeg = limbs + 2
	words   = limbs + 3

	carryEvery = 1 << 30
)

// Accumulator is the exact sum of any number of float64. The order of Add and Merge does not matter, to the last bit.
// The zero value is an empty sum. It is 576 bytes long and never allocates.
type Accumulator struct {
	word    [words]int64
	pending int64 // additions since the last carry, at most carryEvery
}

// Add adds x. NaN and infinities are counted and determine the result as in IEEE 754.
func (a *Accumulator) Add(x float64) {
	b := math.Float64bits(x)
	exp := uint(b>>52) & 0x7ff
	man := b & (1<<52 - 1)
	if exp-1 >= 0x7fe { // zero, subnormal, infinite or NaN
		if exp != 0 {
			a.addSpecial(x)
			return
		}
		exp = 1
	} else {
		man |= 1 << 52
	}
	if a.pending >= carryEvery {
		a.carry()
	}
	a.pending++

	position := exp - 1 // x is ±man · 2^(position-1074)
	shift := position % limbBits
	lo, hi := man<<shift, man>>(64-shift)
	sign := int64(b) >> 63 // 0 or -1: (v^sign)-sign is v or -v
	w := (*[3]int64)(a.word[position/limbBits:])
	w[0] += (int64(lo&limbMask) ^ sign) - sign
	w[1] += (int64(lo>>limbBits) ^ sign) - sign
	w[2] += (int64(hi) ^ sign) - sign
}

func (a *Accumulator) addSpecial(x float64) {
	switch {
	case math.IsNaN(x):
		a.word[wordNaN]++
	case x > 0:
		a.word[wordPos]++
	default:
		a.word[wordNeg]++
	}
}

// Merge adds the sum b, which is left unchanged in value.
func (a *Accumulator) Merge(b *Accumulator) {
	a.carry()
	b.carry()
	for i, w := range b.word {
		a.word[i] += w
	}
	a.pending = 1
}

// AddWords adds an exact sum computed elsewhere, for example on a device: word i < 68 counts multiples of
// 2^(32·i-1074), and the last three count how many NaN, +Inf and -Inf were added. Carries may be pending, but each
// of the first 67 words must lie within ±2^62. Package backend uses this layout for its sums.
func (a *Accumulator) AddWords(w *[words]int64) {
	b := Accumulator{word: *w}
	a.Merge(&b)
}

// Words returns the sum as AddWords takes it.
func (a *Accumulator) Words() [words]int64 { return a.word }

// carry brings every word but the last into [0, 2^32). The last one holds the sign; it overflows only after 2^109
// additions of the largest float64.
func (a *Accumulator) carry() {
	var c int64
	for i := range limbs - 1 {
		v := a.word[i] + c
		a.word[i] = v & limbMask
		c = v >> limbBits
	}
	a.word[limbs-1] += c
	a.pending = 0
}

// Float64 returns the sum, rounded once, to nearest and ties to even. An exact zero is +0. A sum beyond the largest
// float64 is infinite; partial sums are not limited.
func (a *Accumulator) Float64() float64 {
	nan, pos, neg := a.word[wordNaN] > 0, a.word[wordPos] > 0, a.word[wordNeg] > 0
	switch {
	case nan || pos && neg:
		return math.NaN()
	case pos:
		return math.Inf(1)
	case neg:
		return math.Inf(-1)
	}
	m := *a
	m.carry()
	sign := 1.0
	if m.word[limbs-1] < 0 {
		sign = -1
		for i := range limbs {
			m.word[i] = -m.word[i]
		}
		m.carry()
	}
	top := limbs - 1
	for top > 0 && m.word[top] == 0 {
		top--
	}
	if top < 2 { // less than 2^64 units: scaled rounds to 53 bits
		return sign * scaled(uint64(m.word[1])<<limbBits|uint64(m.word[0]), false, 0)
	}
	// The three highest words hold at least 65 bits: the top 64 are kept, and hasLowerBit says whether a bit below
	// them is set.
	hi, mid, lo := uint64(m.word[top]), uint64(m.word[top-1]), uint64(m.word[top-2])
	n := bits.Len64(hi)
	low := mid<<limbBits | lo
	kept := low>>n | hi<<(64-n)
	hasLowerBit := low&(1<<n-1) != 0
	for i := 0; i < top-2 && !hasLowerBit; i++ {
		hasLowerBit = m.word[i] != 0
	}
	return sign * scaled(kept, hasLowerBit, limbBits*(top-2)+n)
}

// scaled returns v · 2^(exp-1074), rounded to nearest even; inexact says that the true value exceeds v by less than
// one unit.
func scaled(v uint64, inexact bool, exp int) float64 {
	if drop := bits.Len64(v) - 53; drop > 0 {
		half := uint64(1) << (drop - 1)
		tail := v & (2*half - 1)
		v >>= drop
		exp += drop
		if tail > half || tail == half && (inexact || v&1 == 1) {
			v++
		}
	}
	return math.Ldexp(float64(v), exp-1074)
}

// AllreduceSum replaces each sum on every rank by the sum over all ranks, in one reduction. All ranks must call it,
// with as many sums.
func AllreduceSum(ctx context.Context, c Comm, sums ...*Accumulator) error {
	if len(sums) == 1 { // in place
		sums[0].carry()
		err := c.AllreduceInt64(ctx, Sum, sums[0].word[:])
		sums[0].carry()
		return err
	}
	joined := make([]int64, 0, len(sums)*words)
	for _, a := range sums {
		a.carry()
		joined = append(joined, a.word[:]...)
	}
	if err := c.AllreduceInt64(ctx, Sum, joined); err != nil {
		return err
	}
	for i, a := range sums {
		copy(a.word[:], joined[i*words:])
		a.carry()
	}
	return nil
}

// AllreduceSums is AllreduceSum of the elements of a slice.
func AllreduceSums(ctx context.Context, c Comm, sums []Accumulator) error {
	pointers := make([]*Accumulator, len(sums))
	for k := range sums {
		pointers[k] = &sums[k]
	}
	return AllreduceSum(ctx, c, pointers...)
}
