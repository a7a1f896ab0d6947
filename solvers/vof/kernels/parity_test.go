package kernels_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

type loop interface {
	Range(lo, hi int)
	Launch() abi.Launch
}

// TestParity compares the kernels with their translation to CUDA C, compiled for the CPU, bit by bit: smooth
// interfaces, noise, pure cells and slivers; faces at rest and at a CFL number of exactly 1/2.
func TestParity(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, l cudatest.Runner) {
		t.Run("float32", func(t *testing.T) { parity[float32](t, l, 0x1p-11) })
		t.Run("float64", func(t *testing.T) { parity[float64](t, l, 0x1p-26) })
	})
}

// noisy returns a field of n values in rows of nx: half of it a smooth interface, half made of edge cases.
func noisy[F num.Float](rng *rand.Rand, n, nx int) []F {
	f := make([]F, n)
	a, b := rng.NormFloat64(), rng.NormFloat64()
	for c := range f {
		x, y := float64(c%nx)/7, float64(c/nx)/7
		f[c] = F(max(0, min(1, .5+math.Sin(a*x+b*y)+math.Cos(y-x))))
		if c > n/2 {
			switch rng.IntN(12) {
			case 0:
				f[c] = F(rng.Float64())
			case 1:
				f[c] = F([]float64{1e-17, 1e-40, -1e-18, 1 - 1e-7, 1 + 1e-7, .5, math.Copysign(0, -1)}[rng.IntN(7)])
			}
		}
	}
	return f
}

func velocities[F num.Float](rng *rand.Rand, n int) []F {
	u := make([]F, n)
	for c := range u {
		u[c] = F([]float64{0, .5, -.5, rng.Float64() - .5, rng.Float64() - .5, rng.Float64() - .5}[rng.IntN(6)])
	}
	return u
}

func parity[F num.Float](t *testing.T, l cudatest.Runner, difference F) {
	rng := rand.New(rand.NewPCG(3, 4))
	clock := &Clock[F]{Courant: [3]F{1, -1, .9}}
	both := func(n int, newLoop func(k int) loop) {
		t.Helper()
		newLoop(0).Range(0, n)
		l.Run(t, newLoop(1), 0, n)
	}
	{
		const nx, ny, g = 60, 50, 4
		lattice := Lattice{Origin: g*(nx+2*g) + g, SY: nx + 2*g}
		n := (nx + 2*g) * (ny + 2*g)
		box := abi.Box{Hi: [3]int{nx, ny, 1}}
		for normal := Youngs; normal <= Heights; normal++ {
			for method := WeymouthYue; method <= Lagrangian; method++ {
				for axis, stride := range []int32{1, lattice.SY} {
					f, u := noisy[F](rng, n, nx+2*g), velocities[F](rng, n)
					out, planes := [2][]F{make([]F, n), make([]F, n)}, [2][]geom.Line[F]{make([]geom.Line[F], n),
						make([]geom.Line[F], n)}
					newLoop := func(k int) *Sweep2[F] {
						return &Sweep2[F]{Lattice: lattice, Axis: int32(axis), Stride: stride, Method: method, Normal: normal,
							Stored: normal == ELVIRA || normal == LVIRA, DifferenceStep: difference, RoundOff: difference * difference,
							F: f, Start: f, Out: out[k],
							U: u, Planes: planes[k]}
					}
					both(nx*ny, func(k int) loop { return NewReconstruct2Loop(box, newLoop(k)) })
					kerneltest.Same(t, "Reconstruct2", planes[0], planes[1], nil)
					both(nx*ny, func(k int) loop { return NewAdvance2Loop(box, newLoop(k), clock) })
					kerneltest.Same(t, "Advance2", out[0], out[1], nil)
				}
			}
		}
		f := noisy[F](rng, n, nx+2*g)
		dx, dy := [2][]F{make([]F, n), make([]F, n)}, [2][]F{make([]F, n), make([]F, n)}
		rho, iterations := [2][]F{make([]F, n), make([]F, n)}, [2][]int32{make([]int32, n), make([]int32, n)}
		h := [3]F{.1, .3, 1}
		both(nx*ny, func(k int) loop {
			return NewGradient2Loop(box, &Gradients[F]{Lattice: lattice, H: h, F: f, DX: dx[k], DY: dy[k]})
		})
		kerneltest.Same(t, "Gradient2 by x", dx[0], dx[1], nil)
		kerneltest.Same(t, "Gradient2 by y", dy[0], dy[1], nil)
		both(nx*ny, func(k int) loop {
			return NewMatch2Loop(box, &Matching[F]{Lattice: lattice, H: h, Tolerance: difference * difference, Cases: Cases(),
				F:  f,
				DX: dx[0], DY: dy[0], Rho: rho[k], Iterations: iterations[k]})
		})
		kerneltest.Same(t, "Match2", rho[0], rho[1], nil)
		kerneltest.Same(t, "iterations of Match2", iterations[0], iterations[1], nil)
		both(nx*ny, func(k int) loop {
			return NewCurvature2Loop(box, &Curvatures[F]{Lattice: lattice, H: h, None: -1, F: f, Out: rho[k]})
		})
		kerneltest.Same(t, "Curvature2", rho[0], rho[1], nil)
		for _, planes := range []bool{false, true} {
			b := &Ball[F]{Lattice: lattice, First: [3]int32{3, 4, 0}, H: [3]F{.02, .03, 1}, Centre: [3]F{.5, .8}, Radius: .3,
				Levels: 4, Planes: planes}
			both(nx*ny, func(k int) loop { return NewFillDisk2Loop(box, b, rho[k]) })
			kerneltest.Same(t, "FillDisk2", rho[0], rho[1], nil)
		}
	}
	const nx, ny, nz, g = 20, 14, 12, 4
	lattice := Lattice{SY: nx + 2*g, SZ: (nx + 2*g) * (ny + 2*g)}
	lattice.Origin = g * (1 + lattice.SY + lattice.SZ)
	n := (nx + 2*g) * (ny + 2*g) * (nz + 2*g)
	box := abi.Box{Hi: [3]int{nx, ny, nz}}
	for normal := Youngs; normal <= Heights; normal++ {
		for axis, stride := range []int32{1, lattice.SY, lattice.SZ} {
			f, u := noisy[F](rng, n, nx+2*g), velocities[F](rng, n)
			out, planes := [2][]F{make([]F, n), make([]F, n)}, [2][]geom.Plane[F]{make([]geom.Plane[F], n),
				make([]geom.Plane[F], n)}
			newLoop := func(k int) *Sweep3[F] {
				return &Sweep3[F]{Lattice: lattice, Axis: int32(axis), Stride: stride, Normal: normal,
					Stored: normal == ELVIRA || normal == LVIRA, DifferenceStep: difference, RoundOff: difference * difference, F: f,
					Start: f,
					Out:   out[k], U: u, Planes: planes[k]}
			}
			both(nx*ny*nz, func(k int) loop { return NewReconstruct3Loop(box, newLoop(k)) })
			kerneltest.Same(t, "Reconstruct3", planes[0], planes[1], nil)
			both(nx*ny*nz, func(k int) loop { return NewAdvance3Loop(box, newLoop(k), clock) })
			kerneltest.Same(t, "Advance3", out[0], out[1], nil)
			bricks, count := &Bricks{N: [3]int32{nx, ny, nz}, Count: [3]int32{1, 2, 3}, Order: []int32{3, 1, 5, 0, 2, 4},
				Sends: 2, Length: []int32{4}}, 7
			for _, translated := range []bool{false, true} {
				s := newLoop(0)
				s.Out = make([]F, n)
				if brick := NewBrick3Loop(s, bricks, clock); translated {
					l.Run(t, brick, 0, count)
				} else {
					brick.Range(0, count)
				}
				kerneltest.Same(t, "Brick3", out[0], s.Out, nil)
			}
		}
	}
	f := noisy[F](rng, n, nx+2*g)
	var d [3][2][]F
	for k := range d {
		d[k] = [2][]F{make([]F, n), make([]F, n)}
	}
	h := [3]F{.1, .3, .2}
	both(nx*ny*nz, func(k int) loop {
		return NewGradient3Loop(box, &Gradients[F]{Lattice: lattice, H: h, F: f, DX: d[0][k], DY: d[1][k], DZ: d[2][k]})
	})
	for k := range d {
		kerneltest.Same(t, "Gradient3", d[k][0], d[k][1], nil)
	}
	both(nx*ny*nz, func(k int) loop {
		return NewCurvature3Loop(box, &Curvatures[F]{Lattice: lattice, H: h, None: -1, F: f, Out: d[0][k]})
	})
	kerneltest.Same(t, "Curvature3", d[0][0], d[0][1], nil)
	b := &Ball[F]{Lattice: lattice, H: h, Centre: [3]F{1, 2, 1}, Radius: .8, Levels: 3, Planes: true}
	both(nx*ny*nz, func(k int) loop { return NewFillBall3Loop(box, b, d[0][k]) })
	kerneltest.Same(t, "FillBall3", d[0][0], d[0][1], nil)
}

// TestBrickLists compares the kernels that find active bricks with their translation, and the list with the expected
// one.
func TestBrickLists(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, l cudatest.Runner) {
		t.Run("float32", func(t *testing.T) { brickLists[float32](t, l, 1e-6) })
		t.Run("float64", func(t *testing.T) { brickLists[float64](t, l, 1e-14) })
	})
}

func brickLists[F num.Float](t *testing.T, l cudatest.Runner, roundOff F) {
	const nx, ny, nz, g = 150, 70, 61, 2
	lattice := Lattice{SY: nx + 2*g, SZ: (nx + 2*g) * (ny + 2*g)}
	lattice.Origin = g * (1 + lattice.SY + lattice.SZ)
	rng := rand.New(rand.NewPCG(9, 10))
	f := make([]F, (nx+2*g)*(ny+2*g)*(nz+2*g))
	for k := range nz {
		for j := range ny {
			for i := range nx / 4 {
				f[int(lattice.Origin)+i+j*int(lattice.SY)+k*int(lattice.SZ)] = F(min(1, 2*rng.Float64()))
			}
		}
	}
	const bricks = 5 * 9 * 16
	order := make([]int32, bricks)
	newLists := func() *BrickList[F] {
		return &BrickList[F]{Lattice: lattice, Bricks: Bricks{N: [3]int32{nx, ny, nz}, Count: [3]int32{5, 9, 16},
			Open: [3][2]int32{2: {1, 0}}, Layers: g, Order: order, Length: []int32{bricks}}, RoundOff: roundOff, F: f,
			Second: slices.Repeat([]F{7}, len(f)), Third: slices.Repeat([]F{7}, len(f)),
			Kinds: make([]int32, bricks), Marks: make([]int32, bricks), Copied: slices.Repeat([]int32{Mixed2}, bricks)}
	}
	a, b := newLists(), newLists()
	list := func() {
		for _, newLists := range []func(l *BrickList[F]) loop{
			func(l *BrickList[F]) loop { return NewKindOfBrickLoop(l) },
			func(l *BrickList[F]) loop { return NewMarkBrickLoop(l) },
			func(l *BrickList[F]) loop { return NewCopyIdleBrickLoop(l) },
		} {
			newLists(a).Range(0, bricks)
			l.Run(t, newLists(b), 0, bricks)
		}
	}
	list()
	kerneltest.Same(t, "KindOfBrick", a.Kinds, b.Kinds, nil)
	kerneltest.Same(t, "MarkBrick", a.Marks, b.Marks, nil)
	kerneltest.Same(t, "CopyIdleBrick", a.Second, b.Second, nil)
	kerneltest.Same(t, "CopyIdleBrick", a.Third, b.Third, nil)
	for n, busy := range a.Marks {
		// The fluid ends in the second brick along x; below along z, six bricks and the next are not far from others.
		if want := n%5 <= 2 || n/45 < 6; want != (busy != 0) {
			t.Errorf("brick %d, %d, %d: busy %d", n%5, n/5%9, n/45, busy)
		}
		if (busy == Sent) != (n/45 == 0) {
			t.Errorf("brick %d, %d, %d has mark %d", n%5, n/5%9, n/45, busy)
		}
		c := int(lattice.Origin) + 32*(n%5) + 8*(n/5%9)*int(lattice.SY) + 4*(n/45)*int(lattice.SZ)
		want := f[c]
		if busy != 0 {
			want = 7
		}
		if a.Second[c] != want || a.Third[c] != want {
			t.Errorf("brick %d, %d, %d: %g and %g between sweeps, want %g", n%5, n/5%9, n/45, a.Second[c], a.Third[c], want)
		}
		if copied := a.Copied[n]&Synchronised != 0; copied != (busy == 0) {
			t.Errorf("brick %d, %d, %d: busy %d, copied %v", n%5, n/5%9, n/45, busy, copied)
		}
	}
	// Idle bricks are not read again.
	kinds := slices.Clone(a.Kinds)
	for n, busy := range a.Marks {
		if busy == 0 {
			c := int(lattice.Origin) + 32*(n%5) + 8*(n/5%9)*int(lattice.SY) + 4*(n/45)*int(lattice.SZ)
			a.Second[c], b.Second[c] = 9, 9
		}
	}
	list()
	kerneltest.Same(t, "KindOfBrick, again", a.Kinds, kinds, nil)
	kerneltest.Same(t, "KindOfBrick, again", a.Kinds, b.Kinds, nil)
	kerneltest.Same(t, "CopyIdleBrick, again", a.Second, b.Second, nil)
	kerneltest.Same(t, "Copied", a.Copied, b.Copied, nil)
	if !slices.Contains(a.Second, 9) {
		t.Error("idle bricks are copied again")
	}
}
