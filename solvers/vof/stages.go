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
// five divisions, gradients by Green and Gauss, and lines by iteration in mixed cells; and what takes the place of the
// iteration, lines by Youngs' normal and the analytic constant. Each needs the results of those before. free gives the
// arrays back.
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
	f, dx, dy := fresh[float64](p, size, "volume fractions"), fresh[float64](p, size, "gradient"), fresh[float64](p, size, "gradient")
	rho, turns := fresh[float64](p, size, "lines"), fresh[int32](p, size, "lines")
	planes := fresh[kernels.Plane2[float64]](p, size, "lines")
	cases := placed(p, kernels.Cases(), "lines")
	if p.err != nil {
		a.free()
		return nil, nil, p.err
	}
	layout := kernels.Lattice{Origin: int32(ghost*row + line), SY: int32(row)}
	h := [3]float64{1 / float64(n), 1 / float64(n), 1}
	box := abi.Box{Hi: [3]int{n, n, 1}}
	strips := abi.Box{Hi: [3]int{n, rows, 1}}
	wide, widePatches := kernels.NewPatches([2]int{-ghost, -ghost}, [2]int{n + ghost, n + ghost})
	disk := &kernels.Ball[float64]{Lattice: layout, H: h, Centre: [3]float64{.5, .5}, Radius: .3, Levels: 5}
	gradients := &kernels.Gradients[float64]{Lattice: layout, H: h, F: f, DX: dx, DY: dy}
	matching := &kernels.Matching[float64]{Lattice: layout, H: h, Tolerance: 1e-14, Cases: cases, F: f, DX: dx, DY: dy, Rho: rho, Turns: turns}
	analytic := &kernels.Sweep2[float64]{Lattice: layout, Stride: 1, Normal: kernels.Youngs, F: f, Planes: planes}
	return []Stage{
		{"initialise", kernels.NewTileDisk2Loop(disk, wide, f), widePatches},
		{"gradient", kernels.NewGradientRows2Loop(strips, gradients), strips.Size()},
		{"reconstruct", kernels.NewMatchRows2Loop(strips, matching), strips.Size()},
		{"analytic", kernels.NewReconstruct2Loop(box, analytic), box.Size()},
	}, a.free, nil
}
