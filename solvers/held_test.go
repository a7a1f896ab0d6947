package solvers_test

import (
	"context"
	"reflect"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestHeldStays: what is held of fields with a view, of those that follow from one, and of those that are read at once
// is what they were when they were held, on a device that keeps copies, on one without room for them, and on the CPU.
func TestHeldStays(t *testing.T) {
	type water struct{ depth, flow float32 }
	const cells = 50_000 // several blocks, and several threads
	for _, room := range []int{0, 1 << 20, 1 << 30} {
		host := cpu.New(2)
		defer host.Close()
		var dev backend.Device = host
		far := backendtest.NewFakeGPU(host, 1<<30)
		if room > 0 {
			dev = far
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
		far.Size = min(far.Size, max(far.Used, room))
		set := func(by float64) {
			for i := range wet {
				wet[i] = water{float32(by) + float32(i), float32(by) * 2}
			}
			for i := range padded {
				padded[i] = by + float64(i)/8
			}
		}
		on := &solvers.Space{Name: "cell", Owned: cells, Key: func(i int) int64 { return int64(i) }}
		both := solvers.Field{Name: "water", Space: on, Components: []string{"depth", "flow"},
			View: func() solvers.View { return solvers.ViewOf[float32](dev, wet, 0) }}
		speed := solvers.Field{Name: "speed", Space: on, From: &both, Value: func(_ int, bytes []byte) float64 {
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
		fields := []solvers.Field{both, speed, {Name: "padded", Space: on,
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
		held, err := solvers.Hold(t.Context(), on, fields)
		if err != nil {
			t.Fatal(err)
		}
		if kept := far.OpenSnapshots; (kept == 2) != (room == 1<<30) {
			t.Errorf("memory of %d bytes: %d copies are kept", room, kept)
		}
		set(5)
		got, err := held.Read()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("memory of %d bytes: what was held has changed", room)
		}
		if err := held.Close(); err != nil || far.OpenSnapshots != 0 {
			t.Errorf("%v, %d copies are kept", err, far.OpenSnapshots)
		}
	}
}
