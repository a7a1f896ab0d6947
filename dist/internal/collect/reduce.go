package collect

import (
	"encoding/binary"
	"math"

	"github.com/atoll-hpc/atoll/dist"
)

// Elements are read from bytes, since data from the network may be unaligned.

func reduceFloat64(op dist.Op, acc, data []byte) {
	data = data[:len(acc)]
	for i := 0; i+8 <= len(acc); i += 8 {
		a := math.Float64frombits(binary.NativeEndian.Uint64(acc[i:]))
		b := math.Float64frombits(binary.NativeEndian.Uint64(data[i:]))
		if op == dist.Min {
			a = min(a, b) // -0 is less than +0, and NaN propagates
		} else {
			a = max(a, b)
		}
		putFloat64(acc[i:], a)
	}
}

// canonicalizeNaNs replaces every NaN by the same one. Otherwise the bit pattern of the result would depend on the
// order.
func canonicalizeNaNs(acc []byte) []byte {
	for i := 0; i+8 <= len(acc); i += 8 {
		putFloat64(acc[i:], math.Float64frombits(binary.NativeEndian.Uint64(acc[i:])))
	}
	return acc
}

func putFloat64(b []byte, x float64) {
	if x != x {
		x = math.NaN()
	}
	binary.NativeEndian.PutUint64(b, math.Float64bits(x))
}

func reduceInt64(op dist.Op, acc, data []byte) {
	data = data[:len(acc)]
	for i := 0; i+8 <= len(acc); i += 8 {
		a := int64(binary.NativeEndian.Uint64(acc[i:]))
		b := int64(binary.NativeEndian.Uint64(data[i:]))
		switch op {
		case dist.Min:
			a = min(a, b)
		case dist.Max:
			a = max(a, b)
		case dist.Sum:
			a += b
		case dist.Or:
			a |= b
		}
		binary.NativeEndian.PutUint64(acc[i:], uint64(a))
	}
}
