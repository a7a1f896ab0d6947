package decompose

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// encode returns the value that v points to as bytes: numbers, strings, and slices, maps, pointers and structs of
// them. Slices of fixed-size numbers are copied as they are in memory. It panics for other kinds, and for unexported
// fields, which would be lost.
func encode(v any) []byte {
	w := &wire{measuring: true}
	w.move(reflect.ValueOf(v).Elem())
	w = &wire{bytes: make([]byte, 0, w.size)}
	w.move(reflect.ValueOf(v).Elem())
	return w.bytes
}

// decode is the inverse of encode: v points to a zero value. It returns an error for bytes that encode cannot have
// made, and allocates at most a few times the length of the message.
func decode(body []byte, v any) error {
	w := &wire{bytes: body, reading: true}
	w.move(reflect.ValueOf(v).Elem())
	if w.err == nil && len(w.bytes) > 0 {
		w.err = fmt.Errorf("the message has %d extra bytes", len(w.bytes))
	}
	return w.err
}

// wire is a message that is being measured, written or read. The same methods do all three, so that the formats cannot
// differ: "move" in their names means to write or to read.
type wire struct {
	bytes   []byte // written so far, or not read yet
	reading bool
	err     error // the first error; nothing is read after it

	measuring bool // only the length of the message is computed
	size      int
}

// move writes or reads a value.
func (w *wire) move(v reflect.Value) {
	if w.err != nil {
		return
	}
	switch v.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint64,
		reflect.Float64:
		w.moveNumber(v)
	case reflect.Array:
		for i := range v.Len() {
			w.move(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); !f.IsExported() {
				panic(fmt.Sprintf("decompose: field %s of %v would be lost", f.Name, v.Type()))
			}
			w.move(v.Field(i))
		}
	case reflect.Pointer:
		present := v.IsValid() && !v.IsNil()
		if w.moveNumber(reflect.ValueOf(&present).Elem()); present && w.reading && w.err == nil {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if present {
			w.move(v.Elem())
		}
	case reflect.String:
		text := []byte(v.String())
		w.moveSlice(reflect.ValueOf(&text).Elem())
		if w.reading {
			v.SetString(string(text))
		}
	case reflect.Slice:
		w.moveSlice(v)
	case reflect.Map:
		w.moveFields(v)
	default:
		panic(fmt.Sprintf("decompose: cannot encode a value of type %v", v.Type()))
	}
}

// moveWord moves 8 bytes.
func (w *wire) moveWord(v *uint64) {
	switch {
	case w.measuring:
		w.size += 8
	case !w.reading:
		w.bytes = binary.LittleEndian.AppendUint64(w.bytes, *v)
	case w.err != nil:
	case len(w.bytes) < 8:
		w.err = errors.New("the message is too short")
	default:
		*v = binary.LittleEndian.Uint64(w.bytes)
		w.bytes = w.bytes[8:]
	}
}

// moveNumber moves a number or boolean as a word of 8 bytes.
func (w *wire) moveNumber(v reflect.Value) {
	var word uint64
	switch {
	case v.Kind() == reflect.Bool && v.Bool():
		word = 1
	case v.CanInt():
		word = uint64(v.Int())
	case v.CanUint():
		word = v.Uint()
	case v.CanFloat():
		word = math.Float64bits(v.Float())
	}
	if w.moveWord(&word); !w.reading || w.err != nil {
		return
	}
	switch {
	case v.CanFloat():
		v.SetFloat(math.Float64frombits(word))
	case v.CanUint():
		v.SetUint(word)
	case v.CanInt() && !v.OverflowInt(int64(word)):
		v.SetInt(int64(word))
	case v.Kind() == reflect.Bool && word <= 1:
		v.SetBool(word == 1)
	default:
		w.err = fmt.Errorf("the number %d is out of range for type %v", int64(word), v.Type())
	}
}

// moveLength moves the number of elements that follow, each of which takes at least minBytes.
func (w *wire) moveLength(n, minBytes int) int {
	v := uint64(n)
	w.moveWord(&v)
	if w.err == nil && w.reading && v > uint64(len(w.bytes)/minBytes) {
		w.err = fmt.Errorf("%d elements of at least %d bytes are announced, %d bytes are left", v, minBytes, len(w.bytes))
	}
	if w.err != nil {
		return 0
	}
	return int(v)
}

// moveSlice moves the elements of a slice: fixed-size numbers and booleans with one copy, other elements one by one.
func (w *wire) moveSlice(v reflect.Value) {
	elem := v.Type().Elem()
	contiguous := isFixedSize(elem) || elem.Kind() == reflect.Bool
	elemBytes := minEncodedBytes(elem)
	if contiguous {
		elemBytes = int(elem.Size())
	}
	n := w.moveLength(v.Len(), elemBytes)
	if w.reading && n > 0 {
		v.Set(reflect.MakeSlice(v.Type(), n, n))
	}
	if !contiguous {
		for i := range n {
			w.move(v.Index(i))
		}
		return
	}
	raw := unsafe.Slice((*byte)(v.UnsafePointer()), n*elemBytes)
	switch {
	case w.measuring:
		w.size += len(raw)
		return
	case !w.reading:
		w.bytes = append(w.bytes, raw...)
		return
	}
	if elem.Kind() == reflect.Bool && slices.ContainsFunc(w.bytes[:len(raw)], func(b byte) bool { return b > 1 }) {
		w.err = errors.New("a byte is neither true nor false")
		return
	}
	w.bytes = w.bytes[copy(raw, w.bytes):]
}

// moveFields moves arrays by name, in ascending order of names, so that equal maps have equal messages.
func (w *wire) moveFields(v reflect.Value) {
	m, ok := v.Addr().Interface().(*map[string][]float64)
	if !ok {
		panic(fmt.Sprintf("decompose: cannot encode a value of type %v", v.Type()))
	}
	names := slices.Sorted(maps.Keys(*m))
	n := w.moveLength(len(names), 16) // each has a length of 8 bytes for the name, and one for the array
	if w.reading && n > 0 {
		*m, names = make(map[string][]float64, n), make([]string, n)
	}
	for i := range n {
		w.move(reflect.ValueOf(&names[i]).Elem())
		values := (*m)[names[i]]
		w.move(reflect.ValueOf(&values).Elem())
		if w.err != nil {
			return
		}
		if i > 0 && names[i] <= names[i-1] {
			w.err = fmt.Errorf("fields are not sorted: %q follows %q", names[i], names[i-1])
		}
		(*m)[names[i]] = values
	}
}

// isFixedSize reports whether values of a type consist of fixed-size numbers only.
func isFixedSize(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32,
		reflect.Uint64, reflect.Float32, reflect.Float64:
		return true
	case reflect.Array:
		return t.Len() > 0 && isFixedSize(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !isFixedSize(t.Field(i).Type) {
				return false
			}
		}
		return t.Size() > 0
	}
	return false
}

// minEncodedBytes returns the least encoded size of a value of a type.
func minEncodedBytes(t reflect.Type) int {
	n := 0
	switch t.Kind() {
	case reflect.Array:
		n = t.Len() * minEncodedBytes(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			n += minEncodedBytes(t.Field(i).Type)
		}
	}
	return max(n, 8)
}
