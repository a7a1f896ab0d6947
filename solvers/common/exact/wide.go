package exact

import "math"

// Wide is a [Fixed] of units that are 2^32 times as large: it adds up numbers below 2^33 that have 114 bits after the
// point. The zero value is empty.
type Wide struct {
	High   int64 // in units of 2^-18
	Middle int64 // of 2^-66
	Low    int64 // of 2^-114
}

// As highOnes, middleOnes and lowOnes.
const (
	wideHighOnes, wideHighBits     = highOnes * (1 << 32), highBits + 32<<52
	wideMiddleOnes, wideMiddleBits = middleOnes * (1 << 32), middleBits + 32<<52
	wideLowOnes, wideLowBits       = lowOnes * (1 << 32), lowBits + 32<<52
)

// WideOf returns a number. fits is false if |x| is 2^33 or more, NaN, or has bits below 2^-114.
func WideOf(x float64) (w Wide, fits bool) {
	high := x + wideHighOnes
	remainder := x - (high - wideHighOnes)
	middle := remainder + wideMiddleOnes
	remainder -= middle - wideMiddleOnes
	low := remainder + wideLowOnes
	return Wide{int64(math.Float64bits(high)) - wideHighBits, int64(math.Float64bits(middle)) - wideMiddleBits,
		int64(math.Float64bits(low)) - wideLowBits}, x < 1<<33 && x > -1<<33 && remainder == low-wideLowOnes
}

// Plus returns the sum of two sums.
func (s Wide) Plus(o Wide) Wide { return Wide{s.High + o.High, s.Middle + o.Middle, s.Low + o.Low} }

// AddTo adds the sum to words that others may add to.
func (s Wide) AddTo(words []int64) {
	var f Fixed
	f.High, f.Middle, f.Low = s.High, s.Middle, s.Low
	f.AddTo(words[1:])
}

// WideColumns is the number of columns of a Wide: see Threads.
const WideColumns = 3

// Store stores the sum of thread k in the columns c, c+1 and c+2.
func (s Wide) Store(columns []int64, c, k int32) {
	columns[c*Threads+k], columns[(c+1)*Threads+k], columns[(c+2)*Threads+k] = s.High, s.Middle, s.Low
}

// WideOfColumns returns the sum in the columns c, c+1 and c+2, whose groups are added up.
func WideOfColumns(columns []int64, c int32) Wide {
	return Wide{AddColumn(columns, c), AddColumn(columns, c+1), AddColumn(columns, c+2)}
}
