package atomics

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// Float lists the precisions.
type Float interface{ float32 | float64 }

// Least holds the minimum of the numbers that Take was called with. Its zero value is empty.
//
// The number is stored as an unsigned integer key that is larger for smaller numbers. An empty Least has key 0, so that
// zeroed memory is empty. The key of a NaN has all 32 or 64 bits of the precision set. A Least has 8 bytes in both
// precisions.
type Least[F Float] struct{ key uint64 }

// Take sets l to the minimum of l and x. Many goroutines may call it at a time.
func (l *Least[F]) Take(x F) { raise(&l.key, falling(x)) }

// Reset empties l. No other goroutine may use l at the same time.
func (l *Least[F]) Reset() { l.key = 0 }

// Value returns the minimum: NaN if a number was NaN, +∞ if l is empty. Other goroutines must have finished with l.
func (l *Least[F]) Value() F {
	if l.key == 0 {
		return F(math.Inf(1))
	}
	return number[F](^l.key)
}

// Most holds the maximum of the numbers that Take was called with. It is stored in the same way as in a Least.
type Most[F Float] struct{ key uint64 }

// Take sets m to the maximum of m and x. Many goroutines may call it at a time.
func (m *Most[F]) Take(x F) { raise(&m.key, rising(x)) }

// Reset empties m. No other goroutine may use m at the same time.
func (m *Most[F]) Reset() { m.key = 0 }

// Value returns the maximum: NaN if a number was NaN, -∞ if m is empty. Other goroutines must have finished with m.
func (m *Most[F]) Value() F {
	if m.key == 0 {
		return F(math.Inf(-1))
	}
	return number[F](m.key)
}

// raise sets *p to the larger of *p and key, and tries again if another goroutine changed *p in between.
func raise(p *uint64, key uint64) {
	for {
		old := atomic.LoadUint64(p)
		if key <= old || atomic.CompareAndSwapUint64(p, old, key) {
			return
		}
	}
}

// rising returns a key that increases with x, and is greatest for NaN.
func rising[F Float](x F) uint64 {
	if unsafe.Sizeof(x) == 4 {
		bits := math.Float32bits(float32(x))
		switch {
		case x != x:
			return math.MaxUint32
		case bits>>31 != 0:
			return uint64(^bits)
		}
		return uint64(bits | 1<<31)
	}
	bits := math.Float64bits(float64(x))
	switch {
	case x != x:
		return math.MaxUint64
	case bits>>63 != 0:
		return ^bits
	}
	return bits | 1<<63
}

// falling returns a key that decreases with x, and is greatest for NaN.
func falling[F Float](x F) uint64 {
	switch {
	case x != x:
		return rising(x)
	case unsafe.Sizeof(x) == 4:
		return uint64(^uint32(rising(x)))
	}
	return ^rising(x)
}

// number is the inverse of rising. Key 0, the complement of a NaN's key, also gives NaN.
func number[F Float](key uint64) F {
	if unsafe.Sizeof(F(0)) == 4 {
		bits := uint32(key)
		if bits>>31 != 0 {
			return F(math.Float32frombits(bits &^ (1 << 31)))
		}
		return F(math.Float32frombits(^bits))
	}
	if key>>63 != 0 {
		return F(math.Float64frombits(key &^ (1 << 63)))
	}
	return F(math.Float64frombits(^key))
}
