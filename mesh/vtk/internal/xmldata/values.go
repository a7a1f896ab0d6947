package xmldata

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unsafe"
)

// Number lists the value types of a file.
type Number interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// Values is a slice of one of the value types.
type Values interface {
	TypeName() string // as the attribute type of a DataArray gives it
	Size() int        // bytes of a value
	Len() int
	Encode(dst []byte, lo, hi int) []byte // appends values [lo, hi) to dst, little endian
	Memory() []byte                       // the same bytes without a copy; nil if the layout in memory differs
	Floats() []float64
	Ints() ([]int64, bool)
	Join(more Values) (Values, bool) // appends more, which must be of the same type
	Part(lo, hi int) Values          // values [lo, hi) with no spare capacity
	Blank(n int) Values              // n zeros of the same type
	Put(index int, from Values) bool // copies the values of from, which must be of the same type, to the given index
	Data() any                       // the slice as []T
}

// Slice implements Values.
type Slice[T Number] []T

// valueType decodes values of one type.
type valueType struct {
	size  int
	bytes func(raw []byte, order binary.ByteOrder, mayShare bool) Values // see fromBytes
	Text  func(words [][]byte) (Values, error)
}

// ValueTypes has the value types by the attribute type of a DataArray.
var ValueTypes = map[string]valueType{
	"Int8":    typeOf[int8](),
	"UInt8":   typeOf[uint8](),
	"Int16":   typeOf[int16](),
	"UInt16":  typeOf[uint16](),
	"Int32":   typeOf[int32](),
	"UInt32":  typeOf[uint32](),
	"Int64":   typeOf[int64](),
	"UInt64":  typeOf[uint64](),
	"Float32": typeOf[float32](),
	"Float64": typeOf[float64](),
}

func typeOf[T Number]() valueType {
	return valueType{size: Slice[T](nil).Size(), bytes: fromBytes[T], Text: fromText[T]}
}

// Wrap returns data, a slice of integers or floats of a fixed size such as Data of a vtk.Array, as Values.
func Wrap(data any) (Values, error) {
	switch s := data.(type) {
	case []int8:
		return Slice[int8](s), nil
	case []uint8:
		return Slice[uint8](s), nil
	case []int16:
		return Slice[int16](s), nil
	case []uint16:
		return Slice[uint16](s), nil
	case []int32:
		return Slice[int32](s), nil
	case []uint32:
		return Slice[uint32](s), nil
	case []int64:
		return Slice[int64](s), nil
	case []uint64:
		return Slice[uint64](s), nil
	case []float32:
		return Slice[float32](s), nil
	case []float64:
		return Slice[float64](s), nil
	}
	return nil, fmt.Errorf("data of type %T cannot be stored; take a slice of a sized number type", data)
}

func (s Slice[T]) TypeName() string {
	switch any(T(0)).(type) {
	case int8:
		return "Int8"
	case uint8:
		return "UInt8"
	case int16:
		return "Int16"
	case uint16:
		return "UInt16"
	case int32:
		return "Int32"
	case uint32:
		return "UInt32"
	case int64:
		return "Int64"
	case uint64:
		return "UInt64"
	case float32:
		return "Float32"
	}
	return "Float64"
}

func (s Slice[T]) Size() int { return int(unsafe.Sizeof(T(0))) }
func (s Slice[T]) Len() int  { return len(s) }
func (s Slice[T]) Data() any { return []T(s) }

func (s Slice[T]) Encode(dst []byte, lo, hi int) []byte {
	dst, err := binary.Append(dst, binary.LittleEndian, []T(s[lo:hi]))
	if err != nil {
		panic("vtk: a slice of numbers has no fixed size")
	}
	return dst
}

// littleEndian reports whether this machine has the byte order of files that are written.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func (s Slice[T]) Memory() []byte {
	if !littleEndian {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*s.Size())
}

// isFloat reports whether T is a floating-point type.
func (s Slice[T]) isFloat() bool {
	half := 0.5
	return T(half) != 0
}

func (s Slice[T]) Floats() []float64 {
	if f, ok := any([]T(s)).([]float64); ok {
		return f
	}
	f := make([]float64, len(s))
	for i, v := range s {
		f[i] = float64(v)
	}
	return f
}

func (s Slice[T]) Ints() ([]int64, bool) {
	if n, ok := any([]T(s)).([]int64); ok {
		return n, true
	}
	if s.isFloat() {
		return nil, false
	}
	n := make([]int64, len(s))
	for i, v := range s {
		n[i] = int64(v)
		if n[i] < 0 && v > 0 {
			return nil, false // a uint64 out of the range of int64
		}
	}
	return n, true
}

func (s Slice[T]) Join(more Values) (Values, bool) {
	m, ok := more.(Slice[T])
	return append(s, m...), ok
}

func (s Slice[T]) Part(lo, hi int) Values { return s[lo:hi:hi] }
func (s Slice[T]) Blank(n int) Values     { return make(Slice[T], n) }

func (s Slice[T]) Put(index int, from Values) bool {
	f, ok := from.(Slice[T])
	copy(s[index:], f)
	return ok
}

// fromBytes decodes the values of raw. With mayShare, the values share the memory of raw if byte order and
// alignment permit.
func fromBytes[T Number](raw []byte, order binary.ByteOrder, mayShare bool) Values {
	n := len(raw) / Slice[T](nil).Size()
	if mayShare && n > 0 && littleEndian && order == binary.ByteOrder(binary.LittleEndian) {
		if address := unsafe.Pointer(&raw[0]); uintptr(address)%unsafe.Alignof(T(0)) == 0 {
			return Slice[T](unsafe.Slice((*T)(address), n))
		}
	}
	s := make([]T, n)
	if _, err := binary.Decode(raw, order, s); err != nil {
		panic("vtk: a slice of numbers has no fixed size")
	}
	return Slice[T](s)
}

// fromText parses numbers as C++ streams write them: integers, and decimal floating-point numbers with inf and nan of
// either sign.
func fromText[T Number](words [][]byte) (Values, error) {
	s := make([]T, len(words))
	var zero Slice[T]
	bits := 8 * zero.Size()
	for i, w := range words {
		word := string(w)
		var err error
		switch {
		case zero.isFloat():
			var f float64
			if f, err = strconv.ParseFloat(word, bits); err != nil && (word == "-nan" || word == "-nan(ind)") {
				f, err = math.NaN(), nil
			}
			s[i] = T(f)
		case zero.isSigned():
			var n int64
			n, err = strconv.ParseInt(word, 10, bits)
			s[i] = T(n)
		default:
			var n uint64
			n, err = strconv.ParseUint(word, 10, bits)
			s[i] = T(n)
		}
		if err != nil {
			return nil, fmt.Errorf("value %d is %.40q, not a number of type %s", i, word, zero.TypeName())
		}
	}
	return Slice[T](s), nil
}

// isSigned reports whether T, an integer type, is signed.
func (s Slice[T]) isSigned() bool { return T(0)-1 < 0 }

// narrow is a slice of int64 that is stored as Int32, since each value fits: half the bytes.
type narrow struct{ Slice[int64] }

func (n narrow) TypeName() string { return "Int32" }
func (n narrow) Size() int        { return 4 }

func (n narrow) Memory() []byte { return nil }

func (n narrow) Encode(dst []byte, lo, hi int) []byte {
	dst = slices.Grow(dst, 4*(hi-lo))
	for _, v := range n.Slice[lo:hi] {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
	}
	return dst
}

// Indices returns ids, which are below limit, as values that are stored as Int32 if they fit, otherwise as Int64.
func Indices(ids []int64, limit int64) Values {
	if limit <= math.MaxInt32 {
		return narrow{ids}
	}
	return Slice[int64](ids)
}
