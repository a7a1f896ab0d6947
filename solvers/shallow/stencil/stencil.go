// Package stencil computes the geometry that second order needs: of each cell the offsets to its neighbours, with the
// weights of least-squares gradients, and the slope of the bed.
package stencil

import (
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// cellsPerWorker is the number of cells for which a goroutine is worth its cost.
const cellsPerWorker = 5000

// Compute computes the geometry for second order, and the slope of the bed from its depth in cells, in m. Everything
// is computed from the coordinates of vertices in the order of the cell, so that all ranks that have an edge get the
// same bits.
func Compute[F num.Float](p *mesh.Part, depth []float64, m *kernels.Mesh[F]) {
	m.Stencils, m.Arms = make([]kernels.Stencil[F], p.Owned), make([]kernels.Arms[F], len(m.EdgeCells))
	parallel.Ranges(p.Owned, parallel.Parts(p.Owned, cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			of(p, depth, m, i)
		}
	})
}

// of computes the stencil of cell i, and the arms of its edges: the vectors from the centroids of both cells to
// the edge's midpoint. The arms of an edge between two owned cells are computed with its left cell.
func of[F num.Float](p *mesh.Part, depth []float64, m *kernels.Mesh[F], i int) {
	s, here := &m.Stencils[i], centroid(p, i)
	var offsets [3]Vec
	for k, link := range m.CellEdges[i].Edge {
		e, right := bands.Side(link)
		edge := m.EdgeCells[e]
		middle := Middle(p, i, k)
		arm := between(p, i, here, middle)
		if k < len(s.Arm) {
			s.Arm[k] = Rounded[F](arm)
		}
		s.Neighbours[k] = edge.Right
		if right == 1 {
			s.Neighbours[k] = edge.Left
		}
		if m.Boundary.Transmissive(edge) {
			s.Neighbours[k], s.Outlet = kernels.Open, kernels.FirstOutlet-edge.Right
		}
		there := Vec{}
		if other := s.Neighbours[k]; other >= 0 {
			there = centroid(p, int(other))
		}
		offsets[k] = toNeighbour(p, i, k, s.Neighbours[k], here, there, arm, middle)
		if right == 0 || int(edge.Left) >= p.Owned {
			own := Rounded[F](arm)
			m.Arms[e] = kernels.Arms[F]{Left: own, Right: own}
			if edge.Right >= 0 {
				other := Rounded[F](between(p, int(s.Neighbours[k]), there, middle))
				if right == 0 {
					m.Arms[e].Right = other
				} else {
					m.Arms[e].Left = other
				}
			}
		}
	}
	weights := leastSquares(offsets)
	for k, w := range weights {
		s.Weight[k] = Rounded[F](w)
	}
	s.Bed = Rounded[F](bedSlope(i, &s.Neighbours, offsets, weights, depth))
}

// BedSlope returns the gradient of the bed's height, or of a change of it, in cell i: the least-squares fit to the
// neighbours, in which a boundary does not count, so that it is exact on a plane; in a corner, where only one neighbour
// is left, with the mirrored cells of walls.
func BedSlope(p *mesh.Part, i int, neighbours *[3]int32, depth []float64) (slope Vec) {
	here := centroid(p, i)
	var offsets [3]Vec
	for k, neighbour := range neighbours {
		middle, there := Middle(p, i, k), Vec{}
		if neighbour >= 0 {
			there = centroid(p, int(neighbour))
		}
		offsets[k] = toNeighbour(p, i, k, neighbour, here, there, between(p, i, here, middle), middle)
	}
	return bedSlope(i, neighbours, offsets, leastSquares(offsets), depth)
}

// bedSlope is BedSlope for offsets to the neighbours and to mirrored cells, and for the weights that follow from all of
// them.
func bedSlope(i int, neighbours *[3]int32, offsets, weights [3]Vec, depth []float64) (slope Vec) {
	if min(neighbours[0], neighbours[1], neighbours[2]) < 0 {
		for k, neighbour := range neighbours {
			if neighbour < 0 {
				offsets[k] = Vec{}
			}
		}
		if inner := leastSquares(offsets); inner != [3]Vec{} {
			weights = inner
		}
	}
	for k, w := range weights {
		if neighbour := neighbours[k]; neighbour >= 0 {
			rise := depth[i] - depth[neighbour]
			slope.X, slope.Y = slope.X+w.X*rise, slope.Y+w.Y*rise
		}
	}
	return slope
}

// Vec is a position in the coordinates of the mesh, or a vector in m.
type Vec struct{ X, Y float64 }

// Rounded returns a vector in a precision.
func Rounded[F num.Float](w Vec) kernels.Vec2[F] { return kernels.Vec2[F]{X: F(w.X), Y: F(w.Y)} }

// Arm returns the vector from the centroid of cell i to a position, on the sphere in the plane that touches it there.
func Arm(p *mesh.Part, i int, to Vec) Vec {
	return between(p, i, centroid(p, i), to)
}

func centroid(p *mesh.Part, i int) Vec {
	x, y := p.Centroid(i)
	return Vec{x, y}
}

// between returns the vector from one position to another, on the sphere in the plane that touches it at the centroid
// of cell i.
func between(p *mesh.Part, i int, from, to Vec) Vec {
	x, y := p.Vector(i, from.X, from.Y, to.X, to.Y)
	return Vec{x, y}
}

// Middle returns the midpoint of the edge of cell i from vertex k to the next.
func Middle(p *mesh.Part, i, k int) Vec {
	a, b := p.Cells[i][k], p.Cells[i][(k+1)%3]
	return Vec{(p.X[a] + p.X[b]) / 2, (p.Y[a] + p.Y[b]) / 2}
}

// toNeighbour returns the vector from the centroid of cell i, here, to that of its neighbour across edge k, there: at a
// wall to the mirror image of the cell's own, at a transmissive boundary 0. arm is the vector to the edge's midpoint,
// middle.
func toNeighbour(p *mesh.Part, i, k int, neighbour int32, here, there, arm, middle Vec) Vec {
	if neighbour >= 0 {
		return between(p, i, here, there)
	}
	if neighbour != kernels.Wall {
		return Vec{}
	}
	a := p.Cells[i][k]
	along := between(p, i, Vec{p.X[a], p.Y[a]}, middle)
	fraction := (arm.X*along.X + arm.Y*along.Y) / (along.X*along.X + along.Y*along.Y)
	return Vec{2 * (arm.X - fraction*along.X), 2 * (arm.Y - fraction*along.Y)}
}

// leastSquares returns the weights C of the least-squares gradient Σ C_k (f_k - f) for three offsets d_k: C_k = M⁻¹
// d_k with M = Σ d dᵀ; zero if the d_k are nearly parallel.
func leastSquares(offsets [3]Vec) (weights [3]Vec) {
	var a, b, c float64
	for _, w := range offsets {
		a, b, c = a+w.X*w.X, b+w.X*w.Y, c+w.Y*w.Y
	}
	det := a*c - b*b
	if det < 1e-6*(a+c)*(a+c) {
		return weights
	}
	for k, w := range offsets {
		weights[k] = Vec{(c*w.X - b*w.Y) / det, (a*w.Y - b*w.X) / det}
	}
	return weights
}
