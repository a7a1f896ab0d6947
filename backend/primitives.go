package backend

import "unsafe"

// Primitives is implemented by devices with separate memory. It has the untyped operations behind package primitives,
// which has the typed functions, checks lengths, and documents each operation. All addresses are on the device; n is a
// number of elements and fits in an int32.
type Primitives interface {
	// Reduce returns the minimum or maximum of n > 0 numbers as its 64-bit image: see [Kind].
	Reduce(op Op, kind Kind, x unsafe.Pointer, n int) (image uint64, err error)
	// Sum adds the exact sum of n floats to words on the host.
	Sum(kind Kind, x unsafe.Pointer, n int, words *[SumWords]int64) error
	// Scan stores the exclusive prefix sums of src in dst, and returns the total.
	Scan(kind Kind, dst, src unsafe.Pointer, n int) (total int64, err error)
	// Compact copies the elements with nonzero keep to the front of dst, and returns their number.
	Compact(dst, src, keep unsafe.Pointer, size, n int) (int, error)
	// Sort sorts keys stably and permutes values, of 4 bytes each, in the same way.
	Sort(kind Kind, keys, values unsafe.Pointer, n int) error
	// ReduceByKey stores one key and one value for each run of equal keys, and returns the number of runs.
	ReduceByKey(op Op, key, value Kind, outKeys, outValues, keys, values unsafe.Pointer, n int) (int, error)
	// Order stores in order the indices 0 to n-1 stably sorted by their cell numbers, each below cells, and in starts
	// where each cell begins in that order: cells + 1 values.
	Order(cell unsafe.Pointer, cells int, starts, order unsafe.Pointer, n int) error
	// Gather copies element index[i] of src to element i of dst, whose elements begin pitch ≥ size bytes apart.
	Gather(dst, src, index unsafe.Pointer, size, pitch, n int) error
	// Scatter copies element i of src, whose elements begin pitch ≥ size bytes apart, to element index[i] of dst.
	Scatter(dst, src, index unsafe.Pointer, size, pitch, n int) error
}

// OrderScratch returns approximately how many bytes of scratch memory Primitives.Order needs on the device: for the
// sorted keys, a second array of keys and one of values, 256 counts for each 4096 elements, and an eighth more, so that
// n may grow.
func OrderScratch(n int) int64 { return int64(n) * (4 + 4 + 4) * 9 / 8 * 49 / 48 }

// Op is the operation of a reduction.
type Op uint8

const (
	Min Op = iota
	Max
	Add
)

func (o Op) String() string { return [...]string{"min", "max", "sum"}[o] }

// Kind is a numeric type. A reduction works on images of numbers, uint64 keys in the order of the numbers. Signed
// integers have their sign bit flipped. Floats are widened to float64; then the sign bit is set if it was clear, and
// all bits are flipped if it was set, so that -0 comes before +0. For Min the image is then inverted. The image of a
// NaN has all bits set. The result of Min and of Max is the number with the greatest image, so that a NaN wins over any
// number.
type Kind uint8

const (
	Int32 Kind = iota
	Int64
	Uint32
	Uint64
	Float32
	Float64
)

func (k Kind) String() string { return [...]string{"i32", "i64", "u32", "u64", "f32", "f64"}[k] }

// Number lists the Go types of all kinds.
type Number interface {
	int32 | int64 | uint32 | uint64 | float32 | float64
}

// KindOf returns the kind of a type.
func KindOf[T Number]() Kind {
	var zero T
	switch any(zero).(type) {
	case int32:
		return Int32
	case int64:
		return Int64
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case float32:
		return Float32
	}
	return Float64
}

// Size returns the bytes of one number.
func (k Kind) Size() int { return [...]int{4, 8, 4, 8, 4, 8}[k] }

// SumLimbs and SumWords define the layout of an exact sum of float64, which is that of dist.Accumulator: word i <
// SumLimbs counts multiples of 2^(32·i - 1074), and three more words count how many NaN, +Inf and -Inf were added. 66
// words are enough for the largest float64, two more for sums that exceed it.
const (
	SumLimbs = 68
	SumWords = SumLimbs + 3
)
