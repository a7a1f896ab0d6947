package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// Field is the metric as a function of the position. It never changes, so that moving vertices do not degrade it by
// repeated interpolation. Outside its bounds the value at the nearest position inside is used.
type Field[F num.Float] struct {
	Kind           int32
	Nx, Ny         int32             // number of boxes of the grid or over the mesh, or of pieces of the sizes
	X, Y           F                 // lower left corner
	PerX, PerY     F                 // number of boxes or pieces per unit of length
	Scale          F                 // factor of the whole tensor
	Samples        []Sample[F]       // of Grid, x fastest
	SizesX, SizesY []lookup.Piece[F] // of Product: the sizes along x and y
	Nodes          []Node[F]
	Background     []BackgroundCell
	Starts         []int32 // of each box, the triangle at its centre, where searches start
	Lists          []int32 // of each box, the index in Listed of the first triangle that touches it, and one more
	Listed         []int32 // triangles, at least one for each box
	Steps          int32   // maximum number of triangles that a search visits
}

// Sample is a tensor at a node of a grid. As a part of no other struct it is aligned, so that a GPU reads it in pieces
// of 16 bytes.
type Sample[F num.Float] struct{ M11, M12, M22, _ F }

// At returns the metric at a position.
func (f *Field[F]) At(x, y F) Tensor[F] {
	if f.Kind == lookup.OnMesh {
		return f.atBackground(x, y)
	}
	i, s := lookup.Locate(x, f.X, f.PerX, f.Nx)
	j, t := lookup.Locate(y, f.Y, f.PerY, f.Ny)
	var m Tensor[F]
	if f.Kind == lookup.Product {
		hx, _ := f.SizesX[i].Size(s)
		hy, _ := f.SizesY[j].Size(t)
		m.M11, m.M22 = f.Scale/(hx*hx), f.Scale/(hy*hy)
		return m
	}
	return f.bilinear(i, j, s, t)
}

// bilinear returns the metric at (s, t) of box (i, j) of a grid.
func (f *Field[F]) bilinear(i, j int32, s, t F) Tensor[F] {
	k := j*(f.Nx+1) + i
	a, b := &f.Samples[k], &f.Samples[k+1]
	c, d := &f.Samples[k+f.Nx+1], &f.Samples[k+f.Nx+2]
	var m Tensor[F]
	m.M11 = f.Scale * lookup.Bilinear(a.M11, b.M11, c.M11, d.M11, s, t)
	m.M12 = f.Scale * lookup.Bilinear(a.M12, b.M12, c.M12, d.M12, s, t)
	m.M22 = f.Scale * lookup.Bilinear(a.M22, b.M22, c.M22, d.M22, s, t)
	return m
}

// Gradient returns the derivatives of the metric by x and y, those of the inside at its edges.
func (f *Field[F]) Gradient(x, y F) (Tensor[F], Tensor[F]) {
	if f.Kind == lookup.OnMesh {
		return f.gradientAtBackground(x, y)
	}
	i, s := lookup.Locate(x, f.X, f.PerX, f.Nx)
	j, t := lookup.Locate(y, f.Y, f.PerY, f.Ny)
	var mx, my Tensor[F]
	if f.Kind == lookup.Product {
		hx, dx := f.SizesX[i].Size(s)
		hy, dy := f.SizesY[j].Size(t)
		mx.M11 = -2 * f.Scale * f.PerX * dx / (hx * hx * hx)
		my.M22 = -2 * f.Scale * f.PerY * dy / (hy * hy * hy)
		return mx, my
	}
	k := j*(f.Nx+1) + i
	a, b := &f.Samples[k], &f.Samples[k+1]
	c, d := &f.Samples[k+f.Nx+1], &f.Samples[k+f.Nx+2]
	px, py := f.Scale*f.PerX, f.Scale*f.PerY
	mx.M11, my.M11 = px*lookup.Between(b.M11-a.M11, d.M11-c.M11, t), py*lookup.Between(c.M11-a.M11, d.M11-b.M11, s)
	mx.M12, my.M12 = px*lookup.Between(b.M12-a.M12, d.M12-c.M12, t), py*lookup.Between(c.M12-a.M12, d.M12-b.M12, s)
	mx.M22, my.M22 = px*lookup.Between(b.M22-a.M22, d.M22-c.M22, t), py*lookup.Between(c.M22-a.M22, d.M22-b.M22, s)
	return mx, my
}

// product is u'Mv.
func (m *Tensor[F]) product(ux, uy, vx, vy F) F {
	return ux*(m.M11*vx+m.M12*vy) + uy*(m.M12*vx+m.M22*vy)
}

// length is √(u'Mu).
func (m *Tensor[F]) length(x, y F) F { return num.Sqrt(m.product(x, y, x, y)) }
