package vof

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Stage is a part of the reconstruction of an interface, ready to run on a device.
type Stage struct {
	Name string
	Loop backend.Loop
	Size int // its indices
}

// Stages prepares those of Francois, Lo and Sewell (ASME 2014) on n×n cells with a disk, in float64: volume fractions by
// five divisions, gradients by Green and Gauss, and lines by iteration in mixed cells. Two more take the place of the third:
// the iteration for each cell with a gradient, which reads that of all cells, and lines by Youngs' normal and the analytic
// constant. Each needs the results of those before. free gives the arrays back.
func Stages(dev backend.Device, n int) (all []Stage, free func(), err error) {
	const ghost, line = 2, 16 // numbers in a line of a GPU's cache, with one of which each row of cells begins
	if n < 1 || n > 46200 {
		return nil, nil, fmt.Errorf("%d cells along an axis: choose 1 to 46200", n)
	}
	rows := (n + kernels.GradientRows - 1) / kernels.GradientRows
	row := (line + n + ghost + line - 1) / line * line
	size := row * (rows*kernels.GradientRows + 2*ghost)
	a := &arrays[float64]{}
	p := &placer{dev: dev, taken: &a.taken}
	f, rho := fresh[float64](p, size, "volume fractions"), fresh[float64](p, size, "lines")
	dx, dy := fresh[float64](p, size, "gradient"), fresh[float64](p, size, "gradient")
	turns, planes := fresh[int32](p, size, "lines"), fresh[kernels.Plane2[float64]](p, size, "lines")
	cases := placed(p, kernels.Cases(), "lines")
	if p.err != nil {
		a.free()
		return nil, nil, p.err
	}
	layout := kernels.Lattice{Origin: int32(ghost*row + line), SY: int32(row)}
	h := [3]float64{1 / float64(n), 1 / float64(n), 1}
	disk := &kernels.Ball[float64]{Lattice: layout, H: h, Centre: [3]float64{.5, .5}, Radius: .25, Levels: 5}
	gradients := &kernels.Gradients[float64]{Lattice: layout, H: h, F: f, DX: dx, DY: dy}
	matching := &kernels.Matching[float64]{Lattice: layout, H: h, Tolerance: 1e-14, Cases: cases, F: f, DX: dx, DY: dy,
		Rho: rho, Turns: turns}
	ofAll := *matching
	ofAll.All = true
	analytic := &kernels.Sweep2[float64]{Lattice: layout, Stride: 1, Normal: kernels.Youngs, F: f, Planes: planes}

	box, strips := abi.Box{Hi: [3]int{n, n, 1}}, abi.Box{Hi: [3]int{n, rows, 1}}
	wide := abi.Box{Lo: [3]int{-ghost, -ghost, 0}, Hi: [3]int{n + ghost, n + ghost, 1}}
	if _, apart := dev.(backend.Memory); !apart {
		return []Stage{
			{"initialise", kernels.NewCountDisk2Loop(wide, disk, f), wide.Size()},
			{"gradient", kernels.NewGradient2Loop(box, gradients), box.Size()},
			{"reconstruct", kernels.NewMatch2Loop(box, matching), box.Size()},
			{"reconstruct all", kernels.NewMatch2Loop(box, &ofAll), box.Size()},
			{"analytic", kernels.NewReconstruct2Loop(box, analytic), box.Size()},
		}, a.free, nil
	}
	widePatches, wideCount := kernels.NewPatches([2]int{-ghost, -ghost}, [2]int{n + ghost, n + ghost})
	patches, count := kernels.NewPatches([2]int{0, 0}, [2]int{n, n})
	return []Stage{
		{"initialise", kernels.NewPatchDisk2Loop(disk, widePatches, f), wideCount},
		{"gradient", kernels.NewGradientRows2Loop(strips, gradients), strips.Size()},
		{"reconstruct", kernels.NewPatchMatch2Loop(matching, patches), count},
		{"reconstruct all", kernels.NewPatchMatch2Loop(&ofAll, patches), count},
		{"analytic", kernels.NewPatchReconstruct2Loop(analytic, patches), count},
	}, a.free, nil
}
