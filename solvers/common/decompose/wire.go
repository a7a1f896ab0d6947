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

// encode returns what v points to as bytes: numbers, texts, and slices, maps, pointers and structs of them. Slices of
// plain numbers go as they lie in memory. It panics at anything else, and at a field that is not exported, which would
// be lost.
func encode(v any) []byte {
	w := &wire{measuring: true}
	w.move(reflect.ValueOf(v).Elem())
	w = &wire{bytes: make([]byte, 0, w.size)}
	w.move(reflect.ValueOf(v).Elem())
	return w.bytes
}

// decode is the inverse of encode: v points to a zero value. It refuses what encode could not have made, and takes no
// more memory than a few times the bytes that are there to fill it.
func decode(body []byte, v any) error {
	w := &wire{bytes: body, reading: true}
	w.move(reflect.ValueOf(v).Elem())
	if w.err == nil && len(w.bytes) > 0 {
		w.err = fmt.Errorf("%d bytes are left over", len(w.bytes))
	}
	return w.err
}

// wire is a message that is being written, or read: the same calls do both, so that one cannot differ from the other.
type wire struct {
	bytes   []byte // written so far, or still to be read
	reading bool
	err     error // what was wrong first; nothing is read any more then

	measuring bool // it is only found how long the message is to be
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
		w.number(v)
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
		there := v.IsValid() && !v.IsNil()
		if w.number(reflect.ValueOf(&there).Elem()); there && w.reading && w.err == nil {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if there {
			w.move(v.Elem())
		}
	case reflect.String:
		text := []byte(v.String())
		w.slice(reflect.ValueOf(&text).Elem())
		if w.reading {
			v.SetString(string(text))
		}
	case reflect.Slice:
		w.slice(v)
	case reflect.Map:
		w.named(v)
	default:
		panic(fmt.Sprintf("decompose: a value of type %v cannot be sent", v.Type()))
	}
}

// word moves 8 bytes.
func (w *wire) word(v *uint64) {
	switch {
	case w.measuring:
		w.size += 8
	case !w.reading:
		w.bytes = binary.LittleEndian.AppendUint64(w.bytes, *v)
	case w.err != nil:
	case len(w.bytes) < 8:
		w.err = errors.New("it ends too early")
	default:
		*v = binary.LittleEndian.Uint64(w.bytes)
		w.bytes = w.bytes[8:]
	}
}

// number moves a number, or a truth, as a word.
func (w *wire) number(v reflect.Value) {
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
	if w.word(&word); !w.reading || w.err != nil {
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
		w.err = fmt.Errorf("the number %d is none of type %v", int64(word), v.Type())
	}
}

// length moves the number of elements that follow, each of which takes at least so many bytes.
func (w *wire) length(n, least int) int {
	v := uint64(n)
	w.word(&v)
	if w.err == nil && w.reading && v > uint64(len(w.bytes)/least) {
		w.err = fmt.Errorf("%d elements of %d bytes or more, where %d bytes are left", v, least, len(w.bytes))
	}
	if w.err != nil {
		return 0
	}
	return int(v)
}

// slice moves the elements of a slice: plain numbers and truths all at once, others one by one.
func (w *wire) slice(v reflect.Value) {
	of := v.Type().Elem()
	whole := plain(of) || of.Kind() == reflect.Bool
	least := leastBytes(of)
	if whole {
		least = int(of.Size())
	}
	n := w.length(v.Len(), least)
	if w.reading && n > 0 {
		v.Set(reflect.MakeSlice(v.Type(), n, n))
	}
	if !whole {
		for i := range n {
			w.move(v.Index(i))
		}
		return
	}
	raw := unsafe.Slice((*byte)(v.UnsafePointer()), n*least)
	switch {
	case w.measuring:
		w.size += len(raw)
		return
	case !w.reading:
		w.bytes = append(w.bytes, raw...)
		return
	}
	if of.Kind() == reflect.Bool && slices.ContainsFunc(w.bytes[:len(raw)], func(b byte) bool { return b > 1 }) {
		w.err = errors.New("a byte is neither true nor false")
		return
	}
	w.bytes = w.bytes[copy(raw, w.bytes):]
}

// named moves arrays by name, in ascending order, so that a message has one form.
func (w *wire) named(v reflect.Value) {
	m, ok := v.Addr().Interface().(*map[string][]float64)
	if !ok {
		panic(fmt.Sprintf("decompose: a value of type %v cannot be sent", v.Type()))
	}
	names := slices.Sorted(maps.Keys(*m))
	n := w.length(len(names), 16)
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
			w.err = fmt.Errorf("field %q comes after %q", names[i], names[i-1])
		}
		(*m)[names[i]] = values
	}
}

// plain tells that values of a type are numbers of a fixed size and nothing else.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32,
		reflect.Uint64, reflect.Float32, reflect.Float64:
		return true
	case reflect.Array:
		return t.Len() > 0 && plain(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !plain(t.Field(i).Type) {
				return false
			}
		}
		return t.Size() > 0
	}
	return false
}

// leastBytes is what a value of a type takes at least in a message.
func leastBytes(t reflect.Type) int {
	n := 0
	switch t.Kind() {
	case reflect.Array:
		n = t.Len() * leastBytes(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			n += leastBytes(t.Field(i).Type)
		}
	}
	return max(n, 8)
}
