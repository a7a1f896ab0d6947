package solvers_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
)

// newArray returns an array of n numbers that nobody has set.
func newArray(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// TestCopiesOfSomeNumbers tests copies of fields that need less than all of each element of their array: the device
// packs what they need, and only then.
func TestCopiesOfSomeNumbers(t *testing.T) {
	const cells, ghosts = 40_000, 100
	type cell struct {
		a, b float64
		c    float32
		kind int32
	}
	host := cpu.New(2)
	defer host.Close()
	gpu := backendtest.NewFakeGPU(host, 1<<30)
	a := backend.Arrays{Device: gpu}
	defer a.Free()
	array := backend.Fresh[cell](&a, cells+ghosts, "cells")
	for i := range array {
		array[i] = cell{float64(i), float64(-i), float32(i) / 2, int32(i % 7)}
	}
	space := &solvers.Space{Name: "cell", Owned: cells, Key: func(i int) int64 { return int64(i) }}
	ab := solvers.Field{Name: "ab", Space: space, Components: []string{"a", "b"},
		View: func() solvers.View { return solvers.ViewOf[float64](gpu, array, 0) }}
	b := solvers.Field{Name: "b", Space: space,
		View: func() solvers.View { return solvers.ViewOf[float64](gpu, array, unsafe.Offsetof(cell{}.b)) }}
	c := solvers.Field{Name: "c", Space: space,
		View: func() solvers.View { return solvers.ViewOf[float32](gpu, array, unsafe.Offsetof(cell{}.c)) }}
	kind := solvers.Field{Name: "kind", Space: space,
		View: func() solvers.View { return solvers.ViewOf[int32](gpu, array, unsafe.Offsetof(cell{}.kind)) }}
	doubled := solvers.Field{Name: "doubled", Space: space, From: &c, Value: func(_ int, bytes []byte) float64 {
		return 2 * float64(*(*float32)(unsafe.Pointer(unsafe.SliceData(bytes))))
	}}
	doubled.Values = func(context.Context) ([]float64, error) {
		values := make([]float64, cells)
		for i := range values {
			values[i] = 2 * float64(array[i].c)
		}
		return values, nil
	}
	for _, test := range []struct {
		fields       []solvers.Field
		copies, size int // copies on the device, and their bytes
	}{
		{[]solvers.Field{ab}, 1, 16 * cells},
		{[]solvers.Field{b}, 1, 8 * cells},
		{[]solvers.Field{kind, c}, 2, 8 * cells},
		{[]solvers.Field{c, doubled}, 1, 4 * cells},
		{[]solvers.Field{ab, c, doubled}, 2, 20 * cells},
		{[]solvers.Field{ab, b}, 1, 24 * (cells + ghosts)}, // both together are as large as the whole array
		{[]solvers.Field{ab, c, kind}, 1, 24 * (cells + ghosts)},
	} {
		var names []string
		var want [][]float64
		for k := range test.fields {
			names = append(names, test.fields[k].Name)
			values, err := test.fields[k].Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, values)
		}
		gpu.SnapshotPeak = 0
		copies, err := solvers.CopyFields(t.Context(), space, test.fields)
		if err != nil {
			t.Fatal(err)
		}
		if gpu.OpenSnapshots != test.copies || gpu.SnapshotPeak != test.size {
			t.Errorf("%v: %d copies of %d bytes, want %d of %d", names, gpu.OpenSnapshots, gpu.SnapshotPeak, test.copies,
				test.size)
		}
		if got, err := copies.Read(newArray); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: the copies differ from the fields, error %v", names, err)
		}
		if err := copies.Close(); err != nil || gpu.OpenSnapshots != 0 {
			t.Errorf("%v: %v, %d copies are left on the device", names, err, gpu.OpenSnapshots)
		}
	}
}

// TestFieldCopiesDoNotChange proves that later steps do not change copies of fields with a view, of fields derived from
// one, and of fields that are read at once: on a device with memory for copies, on one without, and on the CPU.
func TestFieldCopiesDoNotChange(t *testing.T) {
	type water struct{ depth, flow float32 }
	const cells = 50_000 // several blocks, and several threads
	for _, memory := range []int{0, 1 << 20, 1 << 30} {
		host := cpu.New(2)
		defer host.Close()
		var dev backend.Device = host
		gpu := backendtest.NewFakeGPU(host, 1<<30)
		if memory > 0 {
			dev = gpu
		}
		block := &grid.Block{Grid: &grid.Grid{Dim: 2, N: [3]int{cells / 50, 50, 1}, Hi: [3]float64{1, 1, 1}},
			N: [3]int{cells / 50, 50, 1}, Ghost: 2}
		var a backend.Arrays
		a.Device = dev
		wet := backend.Fresh[water](&a, cells, "water")
		padded := backend.Fresh[float64](&a, block.Len(), "with ghosts")
		defer a.Free()
		if a.Err() != nil {
			t.Fatal(a.Err())
		}
		gpu.Size = min(gpu.Size, max(gpu.Used, memory))
		set := func(by float64) {
			for i := range wet {
				wet[i] = water{float32(by) + float32(i), float32(by) * 2}
			}
			for i := range padded {
				padded[i] = by + float64(i)/8
			}
		}
		space := &solvers.Space{Name: "cell", Owned: cells, Key: func(i int) int64 { return int64(i) }}
		waterField := solvers.Field{Name: "water", Space: space, Components: []string{"depth", "flow"},
			View: func() solvers.View { return solvers.ViewOf[float32](dev, wet, 0) }}
		speed := solvers.Field{Name: "speed", Space: space, From: &waterField, Value: func(_ int, bytes []byte) float64 {
			w := (*water)(unsafe.Pointer(unsafe.SliceData(bytes)))
			return float64(w.flow) / float64(w.depth)
		}}
		speed.Values = func(context.Context) ([]float64, error) {
			values := make([]float64, cells)
			for i := range values {
				values[i] = float64(wet[i].flow) / float64(wet[i].depth)
			}
			return values, nil
		}
		fields := []solvers.Field{waterField, speed, {Name: "padded", Space: space,
			View: func() solvers.View { return solvers.BlockView(dev, padded, block) }}}
		set(3)
		var want [][]float64
		for k := range fields {
			values, err := fields[k].Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, values)
		}
		copies, err := solvers.CopyFields(t.Context(), space, fields)
		if err != nil {
			t.Fatal(err)
		}
		if open := gpu.OpenSnapshots; (open == 2) != (memory == 1<<30) {
			t.Errorf("memory of %d bytes: %d copies on the device", memory, open)
		}
		set(5)
		got, err := copies.Read(newArray)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("memory of %d bytes: the copies have changed", memory)
		}
		if err := copies.Close(); err != nil || gpu.OpenSnapshots != 0 {
			t.Errorf("%v, %d copies are left on the device", err, gpu.OpenSnapshots)
		}
	}
}
