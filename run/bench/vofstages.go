package bench

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// VofStages measures the three stages of Francois, Lo and Sewell (ASME 2014) on a disk in the plane, as their Figures 3 to
// 5 list them, in float64 and milliseconds: volume fractions by five divisions, gradients by Green and Gauss, and lines by
// iteration in mixed cells. The last column is what takes the place of the iteration: lines by Youngs' normal and the
// analytic constant.
func VofStages(w io.Writer, sizes []int, repeat int, dev backend.Device) error {
	copying, err := copyOn(dev, dev.Threads())
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "copy bandwidth, %s: %.1f GB/s\n", named(dev), copying/1e9)
	fmt.Fprintf(w, "%-12s %14s %14s %22s %16s %14s\n", "cells", "initialise ms", "gradient ms", "GB/s at 24 B, of copy", "reconstruct ms", "analytic ms")
	for _, n := range sizes {
		ms, err := stages(n, repeat, dev)
		if err != nil {
			return fmt.Errorf("%d×%d cells: %w", n, n, err)
		}
		moved := 24 * float64(n) * float64(n) / (ms[1] / 1e3)
		fmt.Fprintf(w, "%-12s %14.4f %14.4f %14.1f %6.0f%% %16.4f %14.4f\n", fmt.Sprintf("%d×%d", n, n), ms[0], ms[1], moved/1e9,
			100*moved/copying, ms[2], ms[3])
	}
	return nil
}

// stages takes the best time of each stage on n×n cells, in ms.
func stages(n, repeat int, dev backend.Device) (ms [4]float64, err error) {
	const ghost = 2
	row := n + 2*ghost
	if row > math.MaxInt32/row {
		return ms, fmt.Errorf("more than 2^31 cells")
	}
	var taken []func() error
	defer func() {
		for _, free := range taken {
			_ = free()
		}
	}()
	layout := kernels.Lattice{Origin: int32(ghost*row + ghost), SY: int32(row)}
	h := [3]float64{1 / float64(n), 1 / float64(n), 1}
	box := abi.Box{Hi: [3]int{n, n, 1}}
	wide := abi.Box{Lo: [3]int{-ghost, -ghost, 0}, Hi: [3]int{n + ghost, n + ghost, 1}}
	a := &stageArrays{dev: dev, taken: &taken}
	f, dx, dy, rho := made[float64](a, row*row), made[float64](a, row*row), made[float64](a, row*row), made[float64](a, row*row)
	turns, planes := made[int32](a, row*row), made[kernels.Plane2[float64]](a, row*row)
	if a.err != nil {
		return ms, a.err
	}
	disk := &kernels.Ball[float64]{Lattice: layout, H: h, Centre: [3]float64{.5, .5}, Radius: .3, Levels: 5}
	loops := []struct {
		backend.Loop
		size int
	}{
		{kernels.NewFillDisk2Loop(wide, disk, f), wide.Size()},
		{kernels.NewGradient2Loop(box, &kernels.Gradients[float64]{Lattice: layout, H: h, F: f, DX: dx, DY: dy}), box.Size()},
		{kernels.NewMatch2Loop(box, &kernels.Matching[float64]{Lattice: layout, H: h, Tolerance: 1e-14, Cases: kernels.Cases(), F: f, DX: dx,
			DY: dy, Rho: rho, Turns: turns}), box.Size()},
		{kernels.NewReconstruct2Loop(box, &kernels.Sweep2[float64]{Lattice: layout, Stride: 1, Normal: kernels.Youngs, F: f, Planes: planes}), box.Size()},
	}
	const batch = 5
	for k, l := range loops {
		ms[k] = math.Inf(1)
		for range repeat + 1 {
			begin := time.Now()
			for range batch {
				dev.Run(l.Loop, 0, l.size)
			}
			if err := backend.Sync(dev); err != nil {
				return ms, err
			}
			ms[k] = min(ms[k], 1e3*time.Since(begin).Seconds()/batch)
		}
	}
	return ms, nil
}

// stageArrays makes arrays until the first error.
type stageArrays struct {
	dev   backend.Device
	taken *[]func() error
	err   error
}

func made[T any](a *stageArrays, n int) []T {
	if a.err != nil {
		return nil
	}
	var x []T
	if x, a.err = backend.Make[T](a.dev, n); a.err == nil {
		*a.taken = append(*a.taken, func() error { return backend.Free(a.dev, x) })
	}
	return x
}
