package plic

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/vector"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Curvature returns the curvature of the interface in the mixed cell at index c: from heights, to second order, or,
// if the interface does not cross the columns, from a parabola through the planes of the cell and its neighbours
// (Popinet, J. Comput. Phys. 228, 2009); NaN if there are too few of these. Rings have that around the axis in
// addition.
func (s *Interface[F]) Curvature(field []F, c int) float64 {
	kappa := s.curvatureInGrid(field, c)
	if s.Rings {
		n, alpha, _ := s.Plane(field, c)
		radius := float64(s.inner(c))*s.Block.Grid.Spacing(0) + s.sectionCentroid(n, alpha)[0]
		kappa += n[0] / radius
	}
	return kappa
}

// curvatureInGrid returns the curvature in the grid's dimensions.
func (s *Interface[F]) curvatureInGrid(field []F, c int) float64 {
	g := s.Block.Grid
	if k, ok := kernels.CurvatureOf(field, c, Lattice(s.Block), g.Dim, s.Sides()); ok {
		return float64(k)
	}
	n, alpha, size := s.Plane(field, c)
	if size == 0 {
		return math.NaN()
	}
	origin := s.sectionCentroid(n, alpha)
	t, u := tangents(n)
	p := parabola{terms: 3 * (g.Dim - 1)}
	i, j, k := s.Block.Cell(c)
	for nz := -1; nz <= 1; nz++ {
		if g.Dim == 2 && nz != 0 {
			continue
		}
		for ny := -1; ny <= 1; ny++ {
			for nx := -1; nx <= 1; nx++ {
				_, _, _, inside := s.Block.Global(i+nx, j+ny, k+nz)
				neighbour := s.Block.Index(i+nx, j+ny, k+nz)
				if !inside || !s.Mixed(float64(field[neighbour])) {
					continue
				}
				m, alpha, size := s.Plane(field, neighbour)
				if size == 0 || vector.Dot(m, n) <= 0 { // no direction, or the other side of a thin film
					continue
				}
				x := s.sectionCentroid(m, alpha)
				for d, off := range [3]int{nx, ny, nz} {
					x[d] += float64(off)*g.Spacing(d) - origin[d]
				}
				p.add(vector.Dot(x, t), vector.Dot(x, u), vector.Dot(x, n))
			}
		}
	}
	return p.curvature()
}

// sectionCentroid returns the mean of the corners of the interface in a cell: of the points where the plane n·x = alpha
// intersects edges of the cell, relative to its lowest corner.
func (s *Interface[F]) sectionCentroid(n [3]float64, alpha float64) (x [3]float64) {
	g, count := s.Block.Grid, 0.0
	for axis := range g.Dim {
		for bits := range 1 << g.Dim {
			if bits>>axis&1 == 1 {
				continue
			}
			var point [3]float64 // start of an edge along the axis, then its intersection
			for d := range g.Dim {
				point[d] = float64(bits>>d&1) * g.Spacing(d)
			}
			below := vector.Dot(n, point) - alpha
			above := below + n[axis]*g.Spacing(axis)
			if below < 0 == (above < 0) {
				continue
			}
			point[axis] = below / (below - above) * g.Spacing(axis)
			for d := range x {
				x[d] += point[d]
			}
			count++
		}
	}
	for d := range x {
		x[d] /= max(1, count)
	}
	return x
}

// tangents returns two unit vectors that are normal to n and to each other; in the plane the first is in the plane.
func tangents(n [3]float64) (t, u [3]float64) {
	if l := math.Sqrt(n[0]*n[0] + n[1]*n[1]); l > 0 {
		t = [3]float64{-n[1] / l, n[0] / l}
	} else {
		t = [3]float64{1}
	}
	return t, [3]float64{n[1]*t[2] - n[2]*t[1], n[2]*t[0] - n[0]*t[2], n[0]*t[1] - n[1]*t[0]}
}
