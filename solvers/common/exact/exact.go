// Package exact adds up numbers in kernels without rounding, and finds the largest, both with integers: so the order of
// the numbers does not matter. Exact sums have [Words] integers in memory, to which all threads add atomically; a
// thread adds its own numbers in registers first, to a [Part] or a [Fixed].
package exact

import (
	"math"
	"sync/atomic"
)

// Words is the number of integers of a sum. Word i < 68 counts multiples of 2^(32·i-1074); the last three words count
// how many NaN, +Inf and -Inf were added. Sums of package backend have the same layout, and dist.Accumulator reads it.
// No carries are needed: adding a number changes a word by less than 2^32, so that an int64 holds 2^31 of them.
const Words = 71

const (
	limbs      = 68
	oneWord    = 1074 / 32 // 1 is 1<<oneShift in word oneWord
	oneShift   = 1074 % 32
	mantissa   = 1<<52 - 1
	lowestWord = 1<<32 - 1
)

// Part is the sum of the numbers that one thread of a kernel adds. Numbers of similar magnitude belong to the same
// three words of the sum, which the thread keeps in registers, and adds to memory when a number of another magnitude
// comes. A tile should merge the parts of its threads before it adds them to memory, since threads that add to the same
// word wait for each other. The zero value is empty.
type Part struct {
	at         int32 // w0, w1 and w2 are to be added to the words at, at+1 and at+2
	w0, w1, w2 int64
	ones       int64 // how many numbers were 1, the most frequent number
}

// Add adds x. words has the sum in memory.
func (p *Part) Add(x float64, words []int64) {
	if x == 0 {
		return
	}
	if x == 1 {
		p.ones++
		return
	}
	bits := math.Float64bits(x)
	exponent, m := int32(bits>>52&0x7ff), bits&mantissa
	if exponent == 0x7ff {
		special(x, words)
		return
	}
	if exponent == 0 {
		exponent = 1
	} else {
		m |= mantissa + 1
	}
	at, shift := (exponent-1)/32, uint64(exponent-1)%32
	if at != p.at {
		p.spill(words)
		p.at = at
	}
	low, high := m<<shift, m>>(64-shift)
	sign := int64(bits) >> 63 // 0 or -1: (v^sign)-sign is v or -v
	p.w0 += (int64(low&lowestWord) ^ sign) - sign
	p.w1 += (int64(low>>32) ^ sign) - sign
	p.w2 += (int64(high) ^ sign) - sign
}

// special counts x, which is NaN or an infinity.
func special(x float64, words []int64) {
	which := limbs
	if x > 0 {
		which = limbs + 1
	}
	if x < 0 {
		which = limbs + 2
	}
	atomic.AddInt64(&words[which], 1)
}

// Merge adds the sum of another part, which does not change.
func (p *Part) Merge(o *Part, words []int64) {
	p.ones += o.ones
	if o.w0 == 0 && o.w1 == 0 && o.w2 == 0 {
		return
	}
	if o.at != p.at {
		p.spill(words)
		p.at = o.at
	}
	p.w0 += o.w0
	p.w1 += o.w1
	p.w2 += o.w2
}

// Flush adds the part to the sum in memory, and empties the part.
func (p *Part) Flush(words []int64) {
	p.spill(words)
	if p.ones != 0 {
		atomic.AddInt64(&words[oneWord], p.ones<<oneShift)
		p.ones = 0
	}
}

// spill adds the three words to the sum in memory.
func (p *Part) spill(words []int64) {
	if p.w0 != 0 {
		atomic.AddInt64(&words[p.at], p.w0)
	}
	if p.w1 != 0 {
		atomic.AddInt64(&words[p.at+1], p.w1)
	}
	if p.w2 != 0 {
		atomic.AddInt64(&words[p.at+2], p.w2)
	}
	p.w0, p.w1, p.w2 = 0, 0, 0
}
