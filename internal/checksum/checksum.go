// Package checksum computes CRC-32C checksums of files while they are written: in any order, and by several ranks. So
// a file need not be read again to know what was written to it.
package checksum

import (
	"hash/crc32"
	"sync"
)

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// Update adds bytes to a checksum, which begins with 0.
func Update(crc uint32, b []byte) uint32 { return crc32.Update(crc, castagnoli(), b) }

// Join returns the checksum of bytes whose checksum is crc, followed by n bytes whose own is next.
//
// A checksum is, but for its inversions, which cancel out, the remainder of the bytes as a polynomial over GF(2), times
// x³², by that of Castagnoli. So the first one is multiplied by x to the power 8n, modulo that polynomial.
func Join(crc, next uint32, n int64) uint32 {
	const one, x8 = 1 << 31, 1 << (31 - 8) // the polynomials 1 and x⁸: the highest bit is the coefficient of x⁰
	power := uint32(one)
	for square := uint32(x8); n > 0; n >>= 1 {
		if n&1 != 0 {
			power = multiply(power, square)
		}
		square = multiply(square, square)
	}
	return multiply(crc, power) ^ next
}

// multiply multiplies two polynomials modulo that of Castagnoli.
func multiply(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a&(1<<31) != 0 {
			product ^= b
		}
		if carry := b & 1; carry != 0 { // b times x
			b = b>>1 ^ crc32.Castagnoli
		} else {
			b >>= 1
		}
	}
	return product
}
