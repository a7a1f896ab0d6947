package solid

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// Field is the metric as a function of the position. It never changes, so that moving vertices do not degrade it by
// repeated interpolation. Outside its bounds the value at the nearest position inside is used.
type Field[F num.Float] struct {
	Kind                   int32
	Nx, Ny, Nz             int32 // number of boxes of the grid or over the mesh, or of pieces of the sizes
	X, Y, Z                F     // lowest corner
	PerX, PerY, PerZ       F     // number of boxes or pieces per unit of length
	Scale                  F     // factor of the whole tensor
	Samples                []Sample[F]
	SizesX, SizesY, SizesZ []lookup.Piece[F] // of Product: the sizes along x, y and z

	// Of OnMesh: the nodes and cells of the mesh; for each box, the tetrahedron at which searches start, and those
	// that touch the box, Listed[Lists[box]:Lists[box+1]].
	Nodes      []Node[F]
	Background []BackgroundCell
	Starts     []int32
	Lists      []int32
	Listed     []int32
	Steps      int32 // maximum number of tetrahedra that a search visits
}

// Sample is a tensor at a node of a grid. As a part of no other struct it is aligned, so that a GPU reads it in pieces
// of 16 bytes.
type Sample[F num.Float] struct{ M11, M12, M13, M22, M23, M33 F }

// At returns the metric at a position.
func (f *Field[F]) At(p Vector[F]) Tensor[F] {
	if f.Kind == lookup.OnMesh {
		return f.atBackground(p)
	}
	i, s := lookup.Locate(p.X, f.X, f.PerX, f.Nx)
	j, t := lookup.Locate(p.Y, f.Y, f.PerY, f.Ny)
	k, r := lookup.Locate(p.Z, f.Z, f.PerZ, f.Nz)
	if f.Kind == lookup.Product {
		var m Tensor[F]
		hx, _ := f.SizesX[i].Size(s)
		hy, _ := f.SizesY[j].Size(t)
		hz, _ := f.SizesZ[k].Size(r)
		m.M11, m.M22, m.M33 = f.Scale/(hx*hx), f.Scale/(hy*hy), f.Scale/(hz*hz)
		return m
	}
	low := (k*(f.Ny+1)+j)*(f.Nx+1) + i
	high := low + (f.Nx+1)*(f.Ny+1)
	a, b := &f.Samples[low], &f.Samples[low+1]
	c, d := &f.Samples[low+f.Nx+1], &f.Samples[low+f.Nx+2]
	e, g := &f.Samples[high], &f.Samples[high+1]
	h, l := &f.Samples[high+f.Nx+1], &f.Samples[high+f.Nx+2]
	var m Tensor[F]
	m.M11 = f.Scale * lookup.Trilinear(a.M11, b.M11, c.M11, d.M11, e.M11, g.M11, h.M11, l.M11, s, t, r)
	m.M12 = f.Scale * lookup.Trilinear(a.M12, b.M12, c.M12, d.M12, e.M12, g.M12, h.M12, l.M12, s, t, r)
	m.M13 = f.Scale * lookup.Trilinear(a.M13, b.M13, c.M13, d.M13, e.M13, g.M13, h.M13, l.M13, s, t, r)
	m.M22 = f.Scale * lookup.Trilinear(a.M22, b.M22, c.M22, d.M22, e.M22, g.M22, h.M22, l.M22, s, t, r)
	m.M23 = f.Scale * lookup.Trilinear(a.M23, b.M23, c.M23, d.M23, e.M23, g.M23, h.M23, l.M23, s, t, r)
	m.M33 = f.Scale * lookup.Trilinear(a.M33, b.M33, c.M33, d.M33, e.M33, g.M33, h.M33, l.M33, s, t, r)
	return m
}

// Gradient returns the derivatives of the metric by x, y and z, those of the inside at its edges.
func (f *Field[F]) Gradient(p Vector[F]) (Tensor[F], Tensor[F], Tensor[F]) {
	if f.Kind == lookup.OnMesh {
		return f.gradientAtBackground(p)
	}
	i, s := lookup.Locate(p.X, f.X, f.PerX, f.Nx)
	j, t := lookup.Locate(p.Y, f.Y, f.PerY, f.Ny)
	k, r := lookup.Locate(p.Z, f.Z, f.PerZ, f.Nz)
	if f.Kind == lookup.Product {
		var mx, my, mz Tensor[F]
		hx, dx := f.SizesX[i].Size(s)
		hy, dy := f.SizesY[j].Size(t)
		hz, dz := f.SizesZ[k].Size(r)
		mx.M11 = -2 * f.Scale * f.PerX * dx / (hx * hx * hx)
		my.M22 = -2 * f.Scale * f.PerY * dy / (hy * hy * hy)
		mz.M33 = -2 * f.Scale * f.PerZ * dz / (hz * hz * hz)
		return mx, my, mz
	}
	low := (k*(f.Ny+1)+j)*(f.Nx+1) + i
	high := low + (f.Nx+1)*(f.Ny+1)
	a, b := &f.Samples[low], &f.Samples[low+1]
	c, d := &f.Samples[low+f.Nx+1], &f.Samples[low+f.Nx+2]
	e, g := &f.Samples[high], &f.Samples[high+1]
	h, l := &f.Samples[high+f.Nx+1], &f.Samples[high+f.Nx+2]
	var mx, my, mz Tensor[F]
	mx.M11, my.M11, mz.M11 = lookup.Slopes(a.M11, b.M11, c.M11, d.M11, e.M11, g.M11, h.M11, l.M11, s, t, r)
	mx.M12, my.M12, mz.M12 = lookup.Slopes(a.M12, b.M12, c.M12, d.M12, e.M12, g.M12, h.M12, l.M12, s, t, r)
	mx.M13, my.M13, mz.M13 = lookup.Slopes(a.M13, b.M13, c.M13, d.M13, e.M13, g.M13, h.M13, l.M13, s, t, r)
	mx.M22, my.M22, mz.M22 = lookup.Slopes(a.M22, b.M22, c.M22, d.M22, e.M22, g.M22, h.M22, l.M22, s, t, r)
	mx.M23, my.M23, mz.M23 = lookup.Slopes(a.M23, b.M23, c.M23, d.M23, e.M23, g.M23, h.M23, l.M23, s, t, r)
	mx.M33, my.M33, mz.M33 = lookup.Slopes(a.M33, b.M33, c.M33, d.M33, e.M33, g.M33, h.M33, l.M33, s, t, r)
	return scaled(&mx, f.Scale*f.PerX), scaled(&my, f.Scale*f.PerY), scaled(&mz, f.Scale*f.PerZ)
}

// lerp interpolates linearly from a to b.
func lerp[F num.Float](a, b *Tensor[F], t F) Tensor[F] {
	var m Tensor[F]
	m.M11, m.M12 = lookup.Between(a.M11, b.M11, t), lookup.Between(a.M12, b.M12, t)
	m.M13, m.M22 = lookup.Between(a.M13, b.M13, t), lookup.Between(a.M22, b.M22, t)
	m.M23, m.M33 = lookup.Between(a.M23, b.M23, t), lookup.Between(a.M33, b.M33, t)
	return m
}

// difference returns b - a.
func difference[F num.Float](a, b *Tensor[F]) Tensor[F] {
	var m Tensor[F]
	m.M11, m.M12, m.M13 = b.M11-a.M11, b.M12-a.M12, b.M13-a.M13
	m.M22, m.M23, m.M33 = b.M22-a.M22, b.M23-a.M23, b.M33-a.M33
	return m
}

func scaled[F num.Float](a *Tensor[F], by F) Tensor[F] {
	var m Tensor[F]
	m.M11, m.M12, m.M13, m.M22, m.M23, m.M33 = by*a.M11, by*a.M12, by*a.M13, by*a.M22, by*a.M23, by*a.M33
	return m
}
