package shallow

import (
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// stencils computes the geometry for second order, and the slope of the bed from its depth in cells, in m. Everything
// is computed from the coordinates of vertices in the order of the cell, so that all ranks that have an edge get the
// same bits.
func stencils[F num.Float](p *mesh.Part, depth []float64, m *kernels.Mesh[F]) {
	m.Stencils, m.Arms = make([]kernels.Stencil[F], p.Owned), make([]kernels.Arms[F], len(m.EdgeCells))
	parallel.Ranges(p.Owned, parallel.Parts(p.Owned, cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			stencilOf(p, depth, m, i)
		}
	})
}

// stencilOf computes the stencil of cell i, and the arms of its edges: the vectors from the centroids of both cells to
// the edge's midpoint. The arms of an edge between two owned cells are computed with its left cell.
func stencilOf[F num.Float](p *mesh.Part, depth []float64, m *kernels.Mesh[F], i int) {
	s := &m.Stencils[i]
	var offsets [3]vec2
	for k, link := range m.CellEdges[i].Edge {
		e, right := bands.Side(link)
		edge := m.EdgeCells[e]
		middle := middleOf(p, i, k)
		arm := middle.minus(centroidOf(p, i))
		if k < len(s.Arm) {
			s.Arm[k] = toVec2[F](arm)
		}
		s.Neighbours[k] = edge.Right
		if right == 1 {
			s.Neighbours[k] = edge.Left
		}
		if m.Boundary.Transmissive(edge) {
			s.Neighbours[k], s.Outlet = kernels.Open, kernels.FirstOutlet-edge.Right
		}
		offsets[k] = toNeighbour(p, i, k, s.Neighbours[k], arm, middle)
		if right == 0 || int(edge.Left) >= p.Owned {
			m.Arms[e] = armsOf[F](p, edge, middle)
		}
	}
	for k, w := range leastSquares(offsets) {
		s.Weight[k] = toVec2[F](w)
	}
	s.Bed = toVec2[F](bedSlope(p, i, &s.Neighbours, depth))
}

// bedSlope returns the gradient of the bed's height, or of a change of it, in cell i: the least-squares fit to the
// neighbours, in which a boundary does not count, so that it is exact on a plane; in a corner, where only one neighbour
// is left, with the mirrored cells of walls.
func bedSlope(p *mesh.Part, i int, neighbours *[3]int32, depth []float64) (slope vec2) {
	var offsets, mirrored [3]vec2
	for k, neighbour := range neighbours {
		middle := middleOf(p, i, k)
		mirrored[k] = toNeighbour(p, i, k, neighbour, middle.minus(centroidOf(p, i)), middle)
		if neighbour >= 0 {
			offsets[k] = mirrored[k]
		}
	}
	weights := leastSquares(offsets)
	if weights == [3]vec2{} {
		weights = leastSquares(mirrored)
	}
	for k, w := range weights {
		if neighbour := neighbours[k]; neighbour >= 0 {
			rise := depth[i] - depth[neighbour]
			slope.x, slope.y = slope.x+w.x*rise, slope.y+w.y*rise
		}
	}
	return slope
}

// vec2 is a position in the plane, or a difference of two, m.
type vec2 struct{ x, y float64 }

func (w vec2) minus(o vec2) vec2 { return vec2{w.x - o.x, w.y - o.y} }

func toVec2[F num.Float](w vec2) kernels.Vec2[F] { return kernels.Vec2[F]{X: F(w.x), Y: F(w.y)} }

func centroidOf(p *mesh.Part, i int) vec2 {
	x, y := p.Centroid(i)
	return vec2{x, y}
}

// middleOf returns the midpoint of the edge of cell i from vertex k to the next.
func middleOf(p *mesh.Part, i, k int) vec2 {
	a, b := p.Cells[i][k], p.Cells[i][(k+1)%3]
	return vec2{(p.X[a] + p.X[b]) / 2, (p.Y[a] + p.Y[b]) / 2}
}

// armsOf returns the vectors from the centroids of an edge's cells to its midpoint.
func armsOf[F num.Float](p *mesh.Part, at kernels.EdgeCells, middle vec2) kernels.Arms[F] {
	left := toVec2[F](middle.minus(centroidOf(p, int(at.Left))))
	if at.Right < 0 {
		return kernels.Arms[F]{Left: left, Right: left}
	}
	return kernels.Arms[F]{Left: left, Right: toVec2[F](middle.minus(centroidOf(p, int(at.Right))))}
}

// toNeighbour returns the vector from the centroid of cell i to that of its neighbour across edge k: at a wall to the
// mirror image of the cell's own, at a transmissive boundary 0. arm is the vector to the edge's midpoint, middle.
func toNeighbour(p *mesh.Part, i, k int, neighbour int32, arm, middle vec2) vec2 {
	if neighbour >= 0 {
		return centroidOf(p, int(neighbour)).minus(centroidOf(p, i))
	}
	if neighbour != kernels.Wall {
		return vec2{}
	}
	a := p.Cells[i][k]
	along := middle.minus(vec2{p.X[a], p.Y[a]})
	fraction := (arm.x*along.x + arm.y*along.y) / (along.x*along.x + along.y*along.y)
	return vec2{2 * (arm.x - fraction*along.x), 2 * (arm.y - fraction*along.y)}
}

// leastSquares returns the weights C of the least-squares gradient Σ C_k (f_k - f) for three offsets d_k: C_k = M⁻¹
// d_k with M = Σ d dᵀ; zero if the d_k are nearly parallel.
func leastSquares(offsets [3]vec2) (weights [3]vec2) {
	var a, b, c float64
	for _, w := range offsets {
		a, b, c = a+w.x*w.x, b+w.x*w.y, c+w.y*w.y
	}
	det := a*c - b*b
	if det < 1e-6*(a+c)*(a+c) {
		return weights
	}
	for k, w := range offsets {
		weights[k] = vec2{(c*w.x - b*w.y) / det, (a*w.y - b*w.x) / det}
	}
	return weights
}
