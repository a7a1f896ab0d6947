package kerneltest

import (
	"math"
	"reflect"
	"testing"
	"unsafe"
)

// Same reports elements that differ in any bit, except that all NaNs are equal, since the bits of a NaN differ between
// processors. The function input, which may be nil, returns the input of an element for messages.
func Same[T any](t testing.TB, what string, want, got []T, input func(i int) any) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%s: %d and %d elements", what, len(want), len(got))
	}
	wrong := 0
	for i := range want {
		if sameBytes(&want[i], &got[i]) || equalValues(reflect.ValueOf(&want[i]).Elem(), reflect.ValueOf(&got[i]).Elem()) {
			continue
		}
		if wrong++; wrong > 3 {
			continue
		}
		element := any(i)
		if input != nil {
			element = input(i)
		}
		t.Errorf("%s of %v: Go computes\n%+v, the translation\n%+v", what, element, want[i], got[i])
	}
	if wrong > 3 {
		t.Errorf("%s: %d of %d elements differ", what, wrong, len(want))
	}
}

func sameBytes[T any](a, b *T) bool {
	n := unsafe.Sizeof(*a)
	return string(unsafe.Slice((*byte)(unsafe.Pointer(a)), n)) == string(unsafe.Slice((*byte)(unsafe.Pointer(b)), n))
}

func equalValues(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		x, y := a.Float(), b.Float()
		return x != x && y != y || math.Float64bits(x) == math.Float64bits(y)
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).Name != "_" && !equalValues(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array, reflect.Slice:
		for i := range min(a.Len(), b.Len()) {
			if !equalValues(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	}
	return a.Equal(b)
}
