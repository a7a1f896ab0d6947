package halo

import (
	"fmt"
	"unsafe"
)

// Field is an array with one element per local cell, as bytes.
type Field struct {
	data []byte
	size int // of an element
}

// FieldOf returns a slice as a field. Its elements must hold no pointers.
func FieldOf[T any](s []T) Field {
	var t T
	size := int(unsafe.Sizeof(t))
	if len(s) == 0 {
		return Field{size: size}
	}
	return Field{unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*size), size}
}

// cellBytes returns the bytes of a cell, summed over all fields. Each field must have the given number of cells. A cell
// must have, summed over all fields, at most maxBytes bytes, for which the buffers were made.
func cellBytes(fields []Field, cells, maxBytes int) (int, error) {
	bytes := 0
	for _, f := range fields {
		bytes += f.size
		if want := cells * f.size; len(f.data) != want {
			return 0, fmt.Errorf("halo: a field has %d bytes, the plan's %d cells need %d", len(f.data), cells, want)
		}
	}
	if bytes > maxBytes {
		return 0, fmt.Errorf("halo: %d bytes per cell, the exchanger was prepared for %d", bytes, maxBytes)
	}
	return bytes, nil
}

// bytesOf returns the memory of a part of an array.
func bytesOf[T any](field []T, lo, hi int) []byte {
	part := field[lo:hi]
	if len(part) == 0 {
		return nil
	}
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(part))), len(part)*int(unsafe.Sizeof(t)))
}
