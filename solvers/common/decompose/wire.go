package decompose

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"
)

// wire is a message that is being written, or read: the same calls do both, so that one cannot differ from the other.
// A length that is read makes no more memory be taken than a few times the bytes that are there to fill it.
type wire struct {
	bytes   []byte // written so far, or still to be read
	reading bool
	err     error // what was wrong first; nothing is read any more then
}

// word moves 8 bytes.
func (w *wire) word(v *uint64) {
	switch {
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

// numbers moves integers.
func numbers[T int | int32](w *wire, all ...*T) {
	for _, p := range all {
		v := uint64(int64(*p))
		w.word(&v)
		if !w.reading || w.err != nil {
			continue
		}
		if *p = T(v); uint64(int64(*p)) != v {
			w.err = fmt.Errorf("the number %d does not fit %d bytes", int64(v), unsafe.Sizeof(*p))
		}
	}
}

// list moves the elements of a slice one by one.
func list[T any](w *wire, s *[]T, least int, each func(*T)) {
	n := w.length(len(*s), least)
	if w.reading && n > 0 {
		*s = make([]T, n)
	}
	for i := range n {
		each(&(*s)[i])
	}
}

// array moves a slice of plain numbers as it lies in memory.
func array[T any](w *wire, s *[]T) {
	var element T
	n := w.length(len(*s), int(unsafe.Sizeof(element)))
	if !w.reading {
		w.bytes = append(w.bytes, view(*s)...)
	} else if n > 0 {
		*s = make([]T, n)
		w.bytes = w.bytes[copy(view(*s), w.bytes):]
	}
}

func text(w *wire, s *string) {
	b := []byte(*s)
	array(w, &b)
	*s = string(b)
}

// fields moves arrays by name, in ascending order.
func fields(w *wire, m *map[string][]float64) {
	names := slices.Sorted(maps.Keys(*m))
	n := w.length(len(names), 16)
	if w.reading && n > 0 {
		*m, names = make(map[string][]float64, n), make([]string, n)
	}
	for i := range n {
		text(w, &names[i])
		values := (*m)[names[i]]
		array(w, &values)
		if w.err != nil {
			return
		}
		if i > 0 && names[i] <= names[i-1] {
			w.err = fmt.Errorf("field %q comes after %q", names[i], names[i-1])
		}
		(*m)[names[i]] = values
	}
}

// view is a slice of plain numbers as bytes.
func view[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}
