package vof

import (
	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/vof/flow"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// arrays is what the kernels of a rank work on. The first field is that of the step; the others are for what is between
// its sweeps.
type arrays[F kernels.Float] struct {
	fields  [3][]F // the last in space only
	u       [3][]F // through lower faces
	planes2 []kernels.Plane2[F]
	planes3 []kernels.Plane3[F]
	clock   *kernels.Clock[F]
}

// pass is a sweep with what it needs: the order of axes and the fields they lead from and to change from step to step.
type pass struct {
	from        int // the field whose ghosts it needs
	reconstruct backend.Loop
	advance     backend.Loop
	planes      int // cells that reconstruct runs over
}

// place makes the arrays. Velocities fill the ghosts too: a periodic axis repeats them.
func (a *arrays[F]) place(b *grid.Block, v flow.Flow, stored bool) {
	dim := b.Grid.Dim
	for axis := range dim {
		a.fields[axis] = make([]F, b.Len())
		a.u[axis] = make([]F, b.Len())
		for c := range a.u[axis] {
			i, j, k, _ := b.Global(b.Cell(c))
			a.u[axis][c] = F(v.Face(axis, i, j, k))
		}
	}
	if stored && dim == 2 {
		a.planes2 = make([]kernels.Plane2[F], b.Len())
	} else if stored {
		a.planes3 = make([]kernels.Plane3[F], b.Len())
	}
	a.clock = new(kernels.Clock[F])
}

// passes prepares the sweeps of a step that begins with the given axis. Each leads from one field to the next, the last
// one back to the first.
func (a *arrays[F]) passes(b *grid.Block, cfg Config, first int, stored bool) []pass {
	layout, dim := lattice(b), b.Grid.Dim
	strides := [3]int32{1, layout.SY, layout.SZ}
	kinds := [2]int32{kernels.WeymouthYue, kernels.WeymouthYue}
	if cfg.Advect == "ei-le" {
		kinds = [2]int32{kernels.Eulerian, kernels.Lagrangian}
	}
	var all []pass
	for n := range dim {
		axis := (first + n) % dim
		from, to := a.fields[n], a.fields[(n+1)%dim]
		box := abi.Box{Hi: b.N}
		wide := box // with the donors beyond the block
		wide.Lo[axis]--
		wide.Hi[axis]++
		p := pass{from: n}
		if dim == 2 {
			s := &kernels.Sweep2[F]{Lattice: layout, Axis: int32(axis), Stride: strides[axis], Kind: kinds[n], Normal: cfg.way(),
				Stored: stored, Nudge: nudge[F](), Dust: dust[F](), F: from, Start: a.fields[0], Out: to, U: a.u[axis], Planes: a.planes2}
			p.advance = kernels.NewAdvance2Loop(box, s, a.clock)
			p.reconstruct = kernels.NewReconstruct2Loop(wide, s)
		} else {
			s := &kernels.Sweep3[F]{Lattice: layout, Axis: int32(axis), Stride: strides[axis], Normal: cfg.way(),
				Stored: stored, Nudge: nudge[F](), Dust: dust[F](), F: from, Start: a.fields[0], Out: to, U: a.u[axis], Planes: a.planes3}
			p.advance = kernels.NewAdvance3Loop(box, s, a.clock)
			p.reconstruct = kernels.NewReconstruct3Loop(wide, s)
		}
		if stored {
			p.planes = wide.Size()
		}
		all = append(all, p)
	}
	return all
}

// nudge is the root of a precision.
func nudge[F kernels.Float]() F {
	if F(1)+0x1p-40 == 1 {
		return 0x1p-12
	}
	return 0x1p-26
}

// dust is how near to 0 or 1 a volume fraction counts as that: 64 units of rounding, which is what a cell gathers from the
// errors of its fluxes.
func dust[F kernels.Float]() F {
	if F(1)+0x1p-40 == 1 {
		return 0x1p-17
	}
	return 0x1p-46
}
