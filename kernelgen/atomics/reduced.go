package atomics

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// Float is a precision that a run may have.
type Float interface{ float32 | float64 }

// Least is the smallest number that it took. Its zero value is empty.
//
// It holds a key: numbers as unsigned integers, the larger for what wins. 0 is the key of nothing, so that zeroed
// memory is empty, and all bits of the precision are that of NaN. The memory of a Least is 8 bytes in both precisions.
type Least[F Float] struct{ key uint64 }

// Take takes a number. It may be called by many goroutines at a time.
func (l *Least[F]) Take(x F) { raise(&l.key, falling(x)) }

// Reset empties l. No other goroutine may use it meanwhile.
func (l *Least[F]) Reset() { l.key = 0 }

// Value is the smallest number taken, NaN if one was NaN, or +∞ if there was none. It does not wait for others.
func (l *Least[F]) Value() F {
	if l.key == 0 {
		return F(math.Inf(1))
	}
	return number[F](^l.key)
}

// Most is the largest number that it took, as Least is the smallest.
type Most[F Float] struct{ key uint64 }

// Take takes a number. It may be called by many goroutines at a time.
func (m *Most[F]) Take(x F) { raise(&m.key, rising(x)) }

// Reset empties m. No other goroutine may use it meanwhile.
func (m *Most[F]) Reset() { m.key = 0 }

// Value is the largest number taken, NaN if one was NaN, or -∞ if there was none. It does not wait for others.
func (m *Most[F]) Value() F {
	if m.key == 0 {
		return F(math.Inf(-1))
	}
	return number[F](m.key)
}

func raise(p *uint64, key uint64) {
	for {
		old := atomic.LoadUint64(p)
		if key <= old || atomic.CompareAndSwapUint64(p, old, key) {
			return
		}
	}
}

// rising is a key that grows with x, and is largest for NaN.
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

// falling is a key that grows as x falls, and is largest for NaN.
func falling[F Float](x F) uint64 {
	switch {
	case x != x:
		return rising(x)
	case unsafe.Sizeof(x) == 4:
		return uint64(^uint32(rising(x)))
	}
	return ^rising(x)
}

// number is the inverse of rising for numbers. The complement of NaN's key, 0, leads to NaN too.
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
