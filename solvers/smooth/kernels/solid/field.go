package solid

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// Field is the metric as a function of the place. It never changes, so that vertices that move do not wear it down.
// Outside of its bounds the value at the nearest place inside holds.
type Field[F num.Float] struct {
	Kind                int32
	Nx, Ny, Nz          int32 // boxes of the grid, pieces of the sizes, or boxes over the mesh
	X, Y, Z             F     // lowest corner
	PerX, PerY, PerZ    F     // boxes or pieces a unit of length
	Scale               F     // factor of the whole tensor
	Samples             []Sample[F]
	Wide, Deep, Upright []lookup.Piece[F] // sizes along x, y and z

	// Of a mesh: the tetrahedron at which the way to a place in each box begins, and those that touch the box, which are
	// Listed[Lists[box]:Lists[box+1]].
	Nodes   []Node[F]
	Patches []Patch
	Starts  []int32
	Lists   []int32
	Listed  []int32
	Steps   int32 // most tetrahedra on the way to a place
}

// Sample is a tensor at a node of a grid. As a part of no other struct it is aligned, so that a GPU reads it in pieces
// of 16 bytes.
type Sample[F num.Float] struct{ M11, M12, M13, M22, M23, M33 F }

func (s *Sample[F]) tensor() Tensor[F] {
	var m Tensor[F]
	m.M11, m.M12, m.M13, m.M22, m.M23, m.M33 = s.M11, s.M12, s.M13, s.M22, s.M23, s.M33
	return m
}

// At returns the metric at a place.
func (f *Field[F]) At(p Vector[F]) Tensor[F] {
	if f.Kind == lookup.OnMesh {
		return f.onMesh(p)
	}
	i, s := lookup.Locate(p.X, f.X, f.PerX, f.Nx)
	j, t := lookup.Locate(p.Y, f.Y, f.PerY, f.Ny)
	k, r := lookup.Locate(p.Z, f.Z, f.PerZ, f.Nz)
	if f.Kind == lookup.Product {
		var m Tensor[F]
		hx, _ := f.Wide[i].Size(s)
		hy, _ := f.Deep[j].Size(t)
		hz, _ := f.Upright[k].Size(r)
		m.M11, m.M22, m.M33 = f.Scale/(hx*hx), f.Scale/(hy*hy), f.Scale/(hz*hz)
		return m
	}
	at := (k*(f.Ny+1)+j)*(f.Nx+1) + i
	low := f.layer(at, s, t)
	high := f.layer(at+(f.Nx+1)*(f.Ny+1), s, t)
	m := between(&low, &high, r)
	return scaled(&m, f.Scale)
}

// side returns the samples at the side of lowest z of the box whose lowest node is given: of that node, and of those
// next to it along x, y, and both.
func (f *Field[F]) side(at int32) (Tensor[F], Tensor[F], Tensor[F], Tensor[F]) {
	row := at + f.Nx + 1
	return f.Samples[at].tensor(), f.Samples[at+1].tensor(), f.Samples[row].tensor(), f.Samples[row+1].tensor()
}

// layer is the bilinear mean on the side of lowest z of the box whose lowest node is given.
func (f *Field[F]) layer(at int32, s, t F) Tensor[F] {
	a, b, c, d := f.side(at)
	near := between(&a, &b, s)
	far := between(&c, &d, s)
	return between(&near, &far, t)
}

// Slope returns the derivatives of the metric by x, y and z, those of the inside at its edges.
func (f *Field[F]) Slope(p Vector[F]) (Tensor[F], Tensor[F], Tensor[F]) {
	if f.Kind == lookup.OnMesh {
		return f.slopeOnMesh(p)
	}
	i, s := lookup.Locate(p.X, f.X, f.PerX, f.Nx)
	j, t := lookup.Locate(p.Y, f.Y, f.PerY, f.Ny)
	k, r := lookup.Locate(p.Z, f.Z, f.PerZ, f.Nz)
	if f.Kind == lookup.Product {
		var mx, my, mz Tensor[F]
		hx, dx := f.Wide[i].Size(s)
		hy, dy := f.Deep[j].Size(t)
		hz, dz := f.Upright[k].Size(r)
		mx.M11 = -2 * f.Scale * f.PerX * dx / (hx * hx * hx)
		my.M22 = -2 * f.Scale * f.PerY * dy / (hy * hy * hy)
		mz.M33 = -2 * f.Scale * f.PerZ * dz / (hz * hz * hz)
		return mx, my, mz
	}
	at := (k*(f.Ny+1)+j)*(f.Nx+1) + i
	up := (f.Nx + 1) * (f.Ny + 1)
	lowX, lowY := f.layerSlope(at, s, t)
	highX, highY := f.layerSlope(at+up, s, t)
	low := f.layer(at, s, t)
	high := f.layer(at+up, s, t)
	mx := between(&lowX, &highX, r)
	my := between(&lowY, &highY, r)
	mz := rise(&low, &high)
	return scaled(&mx, f.Scale*f.PerX), scaled(&my, f.Scale*f.PerY), scaled(&mz, f.Scale*f.PerZ)
}

// layerSlope returns the derivatives of layer by s and t.
func (f *Field[F]) layerSlope(at int32, s, t F) (Tensor[F], Tensor[F]) {
	a, b, c, d := f.side(at)
	near := rise(&a, &b)
	far := rise(&c, &d)
	left := rise(&a, &c)
	right := rise(&b, &d)
	return between(&near, &far, t), between(&left, &right, s)
}

// between is linear in t, from a to b.
func between[F num.Float](a, b *Tensor[F], t F) Tensor[F] {
	var m Tensor[F]
	m.M11, m.M12 = lookup.Between(a.M11, b.M11, t), lookup.Between(a.M12, b.M12, t)
	m.M13, m.M22 = lookup.Between(a.M13, b.M13, t), lookup.Between(a.M22, b.M22, t)
	m.M23, m.M33 = lookup.Between(a.M23, b.M23, t), lookup.Between(a.M33, b.M33, t)
	return m
}

// rise is b - a.
func rise[F num.Float](a, b *Tensor[F]) Tensor[F] {
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
