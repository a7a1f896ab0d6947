package vof

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Stage is a part of the reconstruction of an interface, measured alone.
type Stage struct {
	Name string
	Loop backend.Loop
	Size int // number of indices of the loop

	Bytes int // least memory traffic in bytes per cell, if few cells are mixed
}

// Stages are the stages of Francois, Lo and Sewell (ASME 2014) on n×n cells with a disk, in float64: volume fractions
// by five levels of division, Green–Gauss gradients, and lines by iteration in mixed cells. Two more are alternatives
// to the third: the iteration in every cell with a gradient, which reads the gradients of all cells, and lines by
// Youngs' normal with the analytic constant. Each needs the results of the earlier stages.
type Stages struct {
	All []Stage

	dev    backend.Device
	arrays backend.Arrays
	layout kernels.Lattice
	n      int
	f      []float64
}

// NewStages prepares the stages on a device.
func NewStages(dev backend.Device, n int) (*Stages, error) {
	// Two layers of ghosts, and rows of cells that begin on cache lines of a GPU: 16 numbers of 8 bytes.
	const ghost, line = 2, 16
	if n < 1 || n > 46200 { // indices of cells with ghosts fit an int32
		return nil, fmt.Errorf("%d cells along an axis: choose 1 to 46200", n)
	}
	rows := (n + kernels.GradientRows - 1) / kernels.GradientRows
	row := (line + n + ghost + line - 1) / line * line
	size := row * (rows*kernels.GradientRows + 2*ghost)
	s := &Stages{dev: dev, n: n, arrays: backend.Arrays{Device: dev},
		layout: kernels.Lattice{Origin: int32(ghost*row + line), SY: int32(row)}}
	layout := s.layout
	p := &s.arrays
	f := backend.Fresh[float64](p, size, "volume fractions")
	rho, iterations := backend.Fresh[float64](p, size, "lines"), backend.Fresh[int32](p, size, "lines")
	dx, dy := backend.Fresh[float64](p, size, "gradient"), backend.Fresh[float64](p, size, "gradient")
	planes, cases := backend.Fresh[geom.Line[float64]](p, size, "lines"), backend.Uploaded(p, kernels.Cases(), "lines")
	if p.Err() != nil {
		s.Free()
		return nil, p.Err()
	}
	s.f = f
	h := [3]float64{1 / float64(n), 1 / float64(n), 1}
	disk := &kernels.Ball[float64]{Lattice: layout, H: h, Centre: [3]float64{.5, .5}, Radius: .25, Levels: 5}
	gradients := &kernels.Gradients[float64]{Lattice: layout, H: h, F: f, DX: dx, DY: dy}
	matching := &kernels.Matching[float64]{Lattice: layout, H: h, Tolerance: 1e-14, Cases: cases, F: f, DX: dx, DY: dy,
		Rho: rho, Iterations: iterations}
	ofAll := *matching
	ofAll.All = true
	analytic := &kernels.Sweep2[float64]{Lattice: layout, Stride: 1, Normal: kernels.Youngs, F: f, Planes: planes}

	box, strips := abi.Box{Hi: [3]int{n, n, 1}}, abi.Box{Hi: [3]int{n, rows, 1}}
	wide := abi.Box{Lo: [3]int{-ghost, -ghost, 0}, Hi: [3]int{n + ghost, n + ghost, 1}}
	if _, separate := dev.(backend.Memory); !separate {
		s.All = []Stage{
			{"initialise", kernels.NewCountDisk2Loop(wide, disk, f), wide.Size(), 8},
			{"gradient", kernels.NewGradient2Loop(box, gradients), box.Size(), 24},
			{"reconstruct", kernels.NewMatch2Loop(box, matching), box.Size(), 8},
			{"reconstruct all", kernels.NewMatch2Loop(box, &ofAll), box.Size(), 24},
			{"analytic", kernels.NewReconstruct2Loop(box, analytic), box.Size(), 8},
		}
		return s, nil
	}
	wideSquares, wideCount := kernels.NewSquares([2]int{-ghost, -ghost}, [2]int{n + ghost, n + ghost})
	squares, count := kernels.NewSquares([2]int{0, 0}, [2]int{n, n})
	s.All = []Stage{
		{"initialise", kernels.NewSquareDisk2Loop(disk, wideSquares, f), wideCount, 8},
		{"gradient", kernels.NewGradientRows2Loop(strips, gradients), strips.Size(), 24},
		{"reconstruct", kernels.NewSquareMatch2Loop(matching, squares), count, 8},
		{"reconstruct all", kernels.NewSquareMatch2Loop(&ofAll, squares), count, 24},
		{"analytic", kernels.NewSquareReconstruct2Loop(analytic, squares), count, 8},
	}
	return s, nil
}

// Free frees the arrays.
func (s *Stages) Free() { s.arrays.Free() }

// Mixed returns the number of mixed cells, after the first stage has run.
func (s *Stages) Mixed() (int, error) {
	f := make([]float64, len(s.f))
	if err := backend.Download(s.dev, f, s.f); err != nil {
		return 0, err
	}
	mixed := 0
	for j := range s.n {
		first := int(s.layout.Origin) + j*int(s.layout.SY)
		for _, v := range f[first : first+s.n] {
			if v > 0 && v < 1 {
				mixed++
			}
		}
	}
	return mixed, nil
}
