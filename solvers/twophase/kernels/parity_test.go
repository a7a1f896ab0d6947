package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels/levels"
	vof "github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// TestParity compares the kernels with their translation to CUDA C, compiled for the CPU, and the vector code, bit by
// bit: a wavy interface with scattered droplets, and random velocities.
func TestParity(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, r cudatest.Runner) {
		for _, n := range [][3]int{{19, 17, 1}, {9, 8, 7}} {
			parity[float64](t, r, n, false)
			parity[float32](t, r, n, false)
		}
		parity[float64](t, r, [3]int{19, 17, 1}, true)
		parity[float32](t, r, [3]int{19, 17, 1}, true)
	})
}

const ghost = 4

type loop interface {
	Range(lo, hi int)
	Launch() abi.Launch
}

// data are the arrays that kernels may write.
type data[F num.Float] struct {
	f       []F
	arrays  [10][]F
	lines   []geom.Line[F]
	planes  []geom.Plane[F]
	clock   Clock[F]
	it      levels.Iteration
	clipped Clipped
	sum     []int64
	most    atomics.Most[F]
	to      []int32
	from    []int32
}

func latticeFor(n [3]int) (l Lattice, length int) {
	x, y, z := n[0]+2*ghost, n[1]+2*ghost, 1
	l.First, l.Dim = int32(ghost*(1+x)), 2
	if n[2] > 1 {
		z, l.Dim = n[2]+2*ghost, 3
		l.First += int32(ghost * x * y)
	}
	l.SY, l.SZ = int32(x), int32(x*y)
	return l, x * y * z
}

func newData[F num.Float](n [3]int) *data[F] {
	rng := rand.New(rand.NewPCG(3, 4))
	l, length := latticeFor(n)
	d := &data[F]{f: make([]F, length), clock: Clock[F]{.01, .31, 9}, it: levels.Iteration{Tolerance: 1}}
	for c := range d.f {
		i, j, k := c%int(l.SY), c/int(l.SY)%int(l.SZ/l.SY), c/int(l.SZ)
		height := 8 + 2*math.Sin(float64(i)/3) + math.Cos(float64(k)/2) - float64(j)
		if rng.IntN(40) == 0 {
			height = rng.Float64()
		}
		d.f[c] = F(max(0, min(1, height)))
		if rng.IntN(60) == 0 {
			d.f[c] = 1e-13
		}
	}
	for k := range d.arrays {
		d.arrays[k] = make([]F, length)
		for c := range d.arrays[k] {
			d.arrays[k][c] = F(rng.Float64() - .5)
		}
	}
	for c := range d.arrays[9] {
		if rng.IntN(3) == 0 {
			d.arrays[9][c] = NoJump
		}
	}
	d.lines, d.planes = make([]geom.Line[F], length), make([]geom.Plane[F], length)
	at := vof.Lattice{Origin: l.First, SY: l.SY, SZ: l.SZ}
	for c := range d.f {
		inside := c > int(l.SY)+1 && c+int(l.SY)+1 < length
		if l.Dim == 3 {
			inside = c > int(l.SZ+l.SY)+1 && c+int(l.SZ+l.SY)+1 < length
		}
		if inside && d.f[c] > 0 && d.f[c] < 1 {
			if l.Dim == 2 {
				d.lines[c] = vof.PlaneOf2(d.f, c, at, vof.Mixed, 0)
			} else {
				d.planes[c] = vof.PlaneOf3(d.f, c, at, vof.Mixed, 0)
			}
		}
		if c < length/3 {
			d.to, d.from = append(d.to, int32(length-1-c)), append(d.from, int32(c))
		}
	}
	d.sum = make([]int64, 2)
	d.most.Take(.3)
	return d
}

func (d *data[F]) all() []F {
	all := append([]F{d.most.Value(), F(d.it.Tolerance), F(d.clipped.Amount), F(d.sum[1])}, d.f...)
	for _, a := range d.arrays {
		all = append(all, a...)
	}
	for _, p := range d.lines {
		all = append(all, p.Alpha)
	}
	for _, n := range d.to {
		all = append(all, F(n))
	}
	return all
}

func parity[F num.Float](t *testing.T, r cudatest.Runner, n [3]int, rings bool) {
	l, length := latticeFor(n)
	l.Rings = rings
	box := abi.Box{Hi: n}
	fluids := Fluids[F]{Density: .01, DensityStep: .99, Viscosity: .1, ViscosityStep: 2, Tension: .7}
	type makes = func(d *data[F]) loop
	loops := map[string]makes{
		"speed": func(d *data[F]) loop {
			return NewSpeedLoop(box, &l, d.arrays[0], d.arrays[1], d.arrays[2], &d.most)
		},
		"divergence": func(d *data[F]) loop {
			return NewDivergenceLoop(box, &l, d.arrays[0], d.arrays[1], d.arrays[2], &d.most)
		},
		"diverge": func(d *data[F]) loop {
			return NewDivergeLoop(box, &l, &d.clock, d.arrays[0], d.arrays[1], d.arrays[2], d.arrays[3])
		},
		"pass": func(d *data[F]) loop {
			return NewPassLoop(box, &l, 1, .25, d.f, d.sum)
		},
		"clip":  func(d *data[F]) loop { return NewClipLoop(box, &l, 1e-12, d.f, &d.clipped) },
		"scale": func(d *data[F]) loop { return NewScaleLoop(box, &l, d.arrays[0], d.arrays[1], d.arrays[2], &d.most) },
		"step and scale": func(d *data[F]) loop {
			return NewStepAndScaleLoop(box, &l, &d.it, d.arrays[0], d.arrays[1], d.arrays[2], d.arrays[3], d.arrays[4],
				d.arrays[5], &d.most)
		},
		"change": func(d *data[F]) loop {
			return NewChangeLoop(box, &l, d.arrays[0], d.arrays[1])
		},
		"accelerate": func(d *data[F]) loop { return NewAccelerateLoop(box, &l, &d.clock, d.arrays[0], d.arrays[1]) },
		"jump": func(d *data[F]) loop {
			return NewFindJumpLoop(box, &Interface[F]{Lattice: l, Tension: .7, Buoyancy: [3]F{0, .3, .2}, F: d.f, Lines: d.lines,
				Planes: d.planes, Jump: d.arrays[0]})
		},
		"weigh": func(d *data[F]) loop {
			return NewWeighLoop(box, &Interface[F]{Lattice: l, Buoyancy: [3]F{0, .3, .2}, F: d.f, Lines: d.lines,
				Planes: d.planes, Jump: d.arrays[9]})
		},
	}
	if l.Dim == 2 {
		loops["rings"] = func(d *data[F]) loop { return NewFitRingsLoop(box, &l, d.f, d.lines) }
	}
	for axis := range l.Dim {
		first, second := (axis+1)%l.Dim, (axis+2)%3
		sweep := func(d *data[F]) *Sweep[F] {
			return &Sweep[F]{Lattice: l, Fluids: fluids, Axis: axis, Stride: int32(l.stride(axis)), F: d.f, Start: d.f,
				U: d.arrays[axis], Lines: d.lines, Planes: d.planes, Volume: d.arrays[3], Mass: d.arrays[4], Out: d.arrays[5]}
		}
		viscous := func(d *data[F]) *Viscous[F] {
			return &Viscous[F]{Lattice: l, Fluids: fluids, Across: int32(l.stride(axis)), First: int32(l.stride(first)),
				Second: int32(l.stride(second)), F: d.f, V: d.arrays[axis], VFirst: d.arrays[first], VSecond: d.arrays[second]}
		}
		walls := func(d *data[F]) *Walls[F] { // the faces of a row, so that no two are the same
			w := &Walls[F]{Near: d.arrays[8]}
			for c := range n[0] {
				w.Faces = append(w.Faces, l.First+int32(c))
			}
			return w
		}
		faces := func(d *data[F]) *Faces[F] {
			return &Faces[F]{Lattice: l, Fluids: fluids, Axis: axis, Across: int32(l.stride(axis)), Spacing: .1, Gravity: 3,
				Lift: .4, Jumps: true, F: d.f, Jump: d.arrays[9], P: d.arrays[3], A: d.arrays[4], V: d.arrays[5],
				Force: d.arrays[6]}
		}
		for name, loop := range map[string]makes{
			"flux":    func(d *data[F]) loop { return NewFluxLoop(box, sweep(d), &d.clock) },
			"enter":   func(d *data[F]) loop { return NewEnterLoop(box, sweep(d), F(1-2*(axis%2)), &d.clock) },
			"advance": func(d *data[F]) loop { return NewAdvanceLoop(box, sweep(d), &d.clock) },
			"carry": func(d *data[F]) loop {
				return NewCarryLoop(box, &Momentum[F]{Lattice: l, Fluids: fluids, Along: int32(l.stride(axis)),
					Across: int32(l.stride(first)), Before: d.f, After: d.f, Start: d.f, Mass: d.arrays[4], U: d.arrays[axis],
					Begun: d.arrays[first], V: d.arrays[5], Out: d.arrays[6],
					LooksAhead: axis == 0, Ahead: d.arrays[7]}, &d.clock)
			},
			"start": func(d *data[F]) loop {
				return NewStartViscousLoop(box, viscous(d), &d.clock, d.arrays[3], d.arrays[4], d.arrays[5], &d.most)
			},
			"ahead": func(d *data[F]) loop {
				return NewLookAheadLoop(box, viscous(d), &d.clock, d.arrays[3], d.arrays[4])
			},
			"resist": func(d *data[F]) loop { return NewResistLoop(box, viscous(d), &d.clock, d.arrays[3], &d.most) },
			"start walls": func(d *data[F]) loop {
				return NewStartWallsLoop(viscous(d), walls(d), &d.clock, d.arrays[3], d.arrays[4])
			},
			"ahead walls": func(d *data[F]) loop {
				return NewLookAheadWallsLoop(viscous(d), walls(d), &d.clock, d.arrays[3])
			},
			"resist walls": func(d *data[F]) loop {
				return NewResistWallsLoop(viscous(d), walls(d), &d.clock, d.arrays[3], &d.most)
			},
			"exert": func(d *data[F]) loop { return NewExertLoop(box, faces(d), &d.clock) },
			"couple": func(d *data[F]) loop {
				return NewCoupleLoop(box, faces(d), &Sides{Last: int32(n[axis]) - 1, LastOpen: true})
			},
			"project": func(d *data[F]) loop { return NewProjectLoop(box, faces(d), &d.clock, d.arrays[7]) },
		} {
			loops[fmt.Sprint(name, " ", axis)] = loop
		}
	}
	for axis := range l.Dim {
		row := box
		row.Hi[axis] = 1
		same(t, r, "wet", n, row.Size(), func(d *data[F]) loop {
			first := (axis + 1) % l.Dim
			return NewWetLoop(row, &Contact[F]{Lattice: l, Axis: axis, First: first, Second: 3 - axis - first, Inward: 1,
				Layers: ghost, Cos: .6, Sin: .8, F: d.f})
		})
	}
	rows := abi.Box{Hi: [3]int{1, n[1], n[2]}}
	for name, of := range map[string]func(q *Listing[F]) loop{
		"count jumps":  func(q *Listing[F]) loop { return NewCountJumpsLoop(rows, q) },
		"list jumps":   func(q *Listing[F]) loop { return NewListJumpsLoop(rows, q) },
		"add to jumps": func(q *Listing[F]) loop { return NewAddToJumpsLoop(rows, q) },
	} {
		same(t, r, name, n, rows.Size(), func(d *data[F]) loop {
			for row := range rows.Size() { // room for all cells of a row
				d.to[row] = int32(row * n[0])
			}
			return of(&Listing[F]{Lattice: l, Long: int32(n[0]), Rows: int32(n[1]), F: d.f, Jump: d.arrays[9], First: d.to,
				Column: d.arrays[0], AreaX: d.arrays[1], AreaY: d.arrays[2], AreaZ: d.arrays[3], Value: d.arrays[4]})
		})
	}
	for name, make := range loops {
		count := box.Size()
		if strings.Contains(name, "walls") {
			count = n[0]
		}
		same(t, r, name, n, count, make)
	}
	same(t, r, "solids", n, length/12, func(d *data[F]) loop {
		return NewFillSolidsLoop(4, d.to, d.from, d.arrays[0], d.arrays[1])
	})
	same(t, r, "diagonal", n, length, func(d *data[F]) loop { return NewDiagonalLoop(d.arrays[0], &d.most) })
	same(t, r, "tolerance", n, 1, func(d *data[F]) loop {
		return NewSetToleranceLoop(.1, &d.most, &atomics.Most[F]{}, &d.it)
	})
	same(t, r, "pressure tolerance", n, 1, func(d *data[F]) loop {
		return NewSetPressureToleranceLoop(.1, &d.clock, &d.it)
	})
	same(t, r, "sides", n, length/3, func(d *data[F]) loop {
		return NewFillSidesLoop(d.from, d.to, d.arrays[0], d.arrays[1], d.arrays[2])
	})
}

func same[F num.Float](t *testing.T, r cudatest.Runner, name string, n [3]int, count int, make func(*data[F]) loop) {
	t.Helper()
	one, other := newData[F](n), newData[F](n)
	make(one).Range(0, count)
	r.Run(t, make(other), 0, count)
	kerneltest.Same(t, name, one.all(), other.all(), nil)
}
