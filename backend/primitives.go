package backend

import "unsafe"

// Primitives is what a device with memory of its own does itself for package primitives, which gives these calls their
// types, checks lengths, and says what each one means. All addresses lie on the device; n counts elements and fits in
// an int32.
type Primitives interface {
	// Reduce returns the least or greatest of n > 0 numbers as its 64-bit image: see [Kind].
	Reduce(op Op, kind Kind, x unsafe.Pointer, n int) (image uint64, err error)
	// Sum adds the exact sum of n floats to words on the host.
	Sum(kind Kind, x unsafe.Pointer, n int, words *[SumWords]int64) error
	// Scan stores the exclusive prefix sums of src, and returns the sum of all.
	Scan(kind Kind, dst, src unsafe.Pointer, n int) (total int64, err error)
	// Compact moves the elements whose keep is not 0 to the front of dst, and returns how many there are.
	Compact(dst, src, keep unsafe.Pointer, size, n int) (int, error)
	// Sort orders keys, stably, and moves values (of 4 bytes) along.
	Sort(kind Kind, keys, values unsafe.Pointer, n int) error
	// ReduceByKey stores one key and one value for each run of equal keys, and returns how many runs there are.
	ReduceByKey(op Op, key, value Kind, outKeys, outValues, keys, values unsafe.Pointer, n int) (int, error)
	// Order stores the stable order of n cell numbers below cells, and where in it each cell begins: cells + 1 values.
	Order(cell unsafe.Pointer, cells int, starts, order unsafe.Pointer, n int) error
	// Gather copies element index[i] of src to element i of dst.
	Gather(dst, src, index unsafe.Pointer, size, n int) error
	// Scatter copies element i of src to element index[i] of dst.
	Scatter(dst, src, index unsafe.Pointer, size, n int) error
}

// OrderScratch is about how many bytes Primitives.Order takes on the device besides its arguments: copies of keys and
// values, the keys that are sorted, 256 counts for 4096 elements, and an eighth more, so that n may grow.
func OrderScratch(n int) int64 { return int64(n) * (4 + 4 + 4) * 9 / 8 * 49 / 48 }

// Op is how values become one.
type Op uint8

const (
	Min Op = iota
	Max
	Add
)

func (o Op) String() string { return [...]string{"min", "max", "sum"}[o] }

// Kind is a type of number. The image of a number is an unsigned integer, in the same order as the numbers: signed
// integers have their sign bit flipped; floats, widened to float64, have it set if positive and all bits flipped if
// negative, so that -0 comes before +0. For Min the image is then inverted. A NaN's image has all bits set, and the
// image of the result is the greatest image in either case: a NaN wins.
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

// Number is what has a kind.
type Number interface {
	int32 | int64 | uint32 | uint64 | float32 | float64
}

// KindOf is that of a type.
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

// Size is the bytes of one number.
func (k Kind) Size() int { return [...]int{4, 8, 4, 8, 4, 8}[k] }

// SumLimbs and SumWords give the layout of an exact sum of float64: word i < SumLimbs counts multiples of
// 2^(32·i - 1074), and three more words count how many NaN, +Inf and -Inf were added. It is that of dist.Accumulator.
const (
	SumLimbs = 68
	SumWords = SumLimbs + 3
)
