package exact

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Fixed adds up numbers below 2 without rounding and, unlike [Part], without branches: as a fixed-point number of 146
// bits after the point, in three overlapping integers. Each has room for 2048 numbers. The zero value is empty.
type Fixed struct {
	High   int64 // in units of 2^-50
	Middle int64 // of 2^-98
	Low    int64 // of 2^-146
}

// highOnes is so large that a float64 near it is a multiple of 2^-50. So x + highOnes - highOnes is x rounded to a
// multiple k·2^-50, and the bits of x + highOnes, as an integer, are highBits + k. middleOnes and lowOnes do the same
// for the remainders, with 2^-98 and 2^-146.
const (
	highOnes, highBits     = 0x1.8p2, 0x4018 << 48
	middleOnes, middleBits = 0x1.8p-46, 0x3d18 << 48
	lowOnes, lowBits       = 0x1.8p-94, 0x3a18 << 48
)

// split returns the multiples of 2^-50, 2^-98 and 2^-146 that make up x, with highOnes, middleOnes and lowOnes added,
// and what is left of x.
func split(x float64) (high, middle, low, remainder float64) {
	high = x + highOnes
	remainder = x - (high - highOnes)
	middle = remainder + middleOnes
	remainder -= middle - middleOnes
	low = remainder + lowOnes
	return high, middle, low, remainder - (low - lowOnes)
}

// Add adds x and returns true, or adds nothing and returns false if |x| is 2 or more, NaN, or has bits below 2^-146.
func (s *Fixed) Add(x float64) bool {
	high, middle, low, remainder := split(x)
	if !(num.Abs(x) < 2) || remainder != 0 {
		return false
	}
	s.High += int64(math.Float64bits(high)) - highBits
	s.Middle += int64(math.Float64bits(middle)) - middleBits
	s.Low += int64(math.Float64bits(low)) - lowBits
	return true
}

// Fits reports whether a Fixed can add x.
func Fits(x float64) bool {
	var s Fixed
	return s.Add(x)
}

// AddTo adds the sum to one in memory, atomically.
func (s *Fixed) AddTo(words []int64) {
	// 2^-50 is the lowest bit of words[highWord], 2^-146 that of words[highWord-3], and 2^-98 bit 16 of
	// words[highWord-2].
	const highWord = (1074 - 50) / 32
	addAtomically(&words[highWord-3], s.Low&lowestWord)
	addAtomically(&words[highWord-2], s.Low>>32+s.Middle<<16&lowestWord)
	addAtomically(&words[highWord-1], s.Middle>>16)
	addAtomically(&words[highWord], s.High&lowestWord)
	addAtomically(&words[highWord+1], s.High>>32)
}

func addAtomically(word *int64, n int64) {
	if n != 0 {
		atomic.AddInt64(word, n)
	}
}

// AddTo adds one number to a sum in memory, atomically.
func AddTo(words []int64, x float64) {
	var p Part
	p.Add(x, words)
	p.Flush(words)
}

// FixedRoom is how many numbers a Fixed can add up.
const FixedRoom = 2048

// AddAll adds those numbers that Add can add. It moves the others to the front of the slice, and returns their number.
func (s *Fixed) AddAll(numbers []float64) (others int) {
	sum := *s // so that the compiler keeps it in registers
	for _, x := range numbers {
		high, middle, low, remainder := split(x)
		if !(math.Abs(x) < 2) || remainder != 0 {
			numbers[others] = x
			others++
			continue
		}
		sum.High += int64(math.Float64bits(high)) - highBits
		sum.Middle += int64(math.Float64bits(middle)) - middleBits
		sum.Low += int64(math.Float64bits(low)) - lowBits
	}
	*s = sum
	return others
}
