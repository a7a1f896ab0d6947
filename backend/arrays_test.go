package backend

import (
	"errors"
	"strings"
	"testing"
	"unsafe"
)

// hostDevice is a device that uses the host's memory.
type hostDevice struct{ Device }

func TestArraysAllocateAndFree(t *testing.T) {
	f := &fakeGPU{allocations: map[unsafe.Pointer][]byte{}}
	a := &Arrays{Device: f}
	from := []int32{1, 2, 3}
	uploaded, fresh := Uploaded(a, from, "cells"), Fresh[float64](a, 4, "fluxes")
	if a.Err() != nil || a.Bytes() != 12+32 || len(fresh) != 4 || len(f.allocations) != 2 || &uploaded[0] == &from[0] {
		t.Errorf("got %d bytes in %d arrays, error %v; want 44 bytes in 2 arrays", a.Bytes(), len(f.allocations), a.Err())
	}
	got := make([]int32, 3)
	if err := Download(f, got, uploaded); err != nil || got[2] != 3 {
		t.Errorf("download returns %v, error %v; want %v", got, err, from)
	}
	if a.Free(); len(f.allocations) > 0 || a.Bytes() != 0 {
		t.Errorf("%d arrays are still allocated after Free", len(f.allocations))
	}
	a = &Arrays{Device: hostDevice{}}
	if uploaded := Uploaded(a, from, "cells"); a.Err() != nil || &uploaded[0] != &from[0] || a.Bytes() != 12 {
		t.Errorf("an array was copied although the device uses the host's memory, error %v", a.Err())
	}
}

func TestArraysStopAtFirstError(t *testing.T) {
	f := &fakeGPU{allocErr: errors.New("full")}
	a := &Arrays{Device: f}
	first, second := Fresh[float64](a, 4, "fluxes"), Fresh[float64](a, 4, "tiles")
	if first != nil || second != nil || Uploaded(a, []int{1}, "more") != nil {
		t.Error("arrays are allocated after an error")
	}
	if !errors.Is(a.Err(), f.allocErr) || !strings.HasPrefix(a.Err().Error(), "fluxes: ") {
		t.Errorf("got error %v, want %v with the name of the first array", a.Err(), f.allocErr)
	}
}
