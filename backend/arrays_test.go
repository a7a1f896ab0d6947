package backend

import (
	"errors"
	"strings"
	"testing"
	"unsafe"
)

// near is a device that works in the host's memory.
type near struct{ Device }

func TestArraysArePlaced(t *testing.T) {
	f := &far{given: map[unsafe.Pointer][]byte{}}
	a := &Arrays{Device: f}
	from := []int32{1, 2, 3}
	placed, fresh := Uploaded(a, from, "cells"), Fresh[float64](a, 4, "fluxes")
	if a.Err() != nil || a.Bytes() != 12+32 || len(fresh) != 4 || len(f.given) != 2 || &placed[0] == &from[0] {
		t.Errorf("%d bytes in %d arrays, error %v", a.Bytes(), len(f.given), a.Err())
	}
	got := make([]int32, 3)
	if err := Download(f, got, placed); err != nil || got[2] != 3 {
		t.Errorf("%v comes back, error %v", got, err)
	}
	if a.Free(); len(f.given) > 0 || a.Bytes() != 0 {
		t.Errorf("%d arrays are left", len(f.given))
	}
	a = &Arrays{Device: near{}}
	if at := Uploaded(a, from, "cells"); a.Err() != nil || &at[0] != &from[0] || a.Bytes() != 12 {
		t.Errorf("in the host's memory an array was copied, error %v", a.Err())
	}
}

func TestArraysEndWithTheFirstError(t *testing.T) {
	f := &far{full: errors.New("full")}
	a := &Arrays{Device: f}
	first, second := Fresh[float64](a, 4, "fluxes"), Fresh[float64](a, 4, "tiles")
	if first != nil || second != nil || Uploaded(a, []int{1}, "more") != nil {
		t.Error("arrays are there after an error")
	}
	if !errors.Is(a.Err(), f.full) || !strings.HasPrefix(a.Err().Error(), "fluxes: ") {
		t.Errorf("error %v", a.Err())
	}
}
