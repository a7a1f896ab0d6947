package shallow

import (
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// stencils adds to a mesh what second order needs of its geometry, and the slope of the bed, whose depth is that of the
// cells. All numbers come from the coordinates of vertices and the order of vertices of a cell, so that every rank that
// holds an edge has the same bits.
func stencils[F num.Float](p *mesh.Part, depth []float64, m *kernels.Mesh[F]) {
	m.Stencils, m.Arms = make([]kernels.Stencil[F], p.Owned), make([]kernels.Arms[F], len(m.Ends))
	parallel.Ranges(p.Owned, parallel.Parts(p.Owned, few), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			stencilOf(p, depth, m, i)
		}
	})
}

// stencilOf makes that of cell i, and the arms of its edges: of an edge between two owned cells the left one does.
func stencilOf[F num.Float](p *mesh.Part, depth []float64, m *kernels.Mesh[F], i int) {
	s := &m.Stencils[i]
	var ways [3]way
	for k, link := range m.Links[i].Edge {
		e, right := side(link)
		at := m.Ends[e]
		middle := middleOf(p, i, k)
		arm := middle.less(centroidOf(p, i))
		if k < len(s.Arm) {
			s.Arm[k] = arrow[F](arm)
		}
		s.Near[k] = at.Right
		if right == 1 {
			s.Near[k] = at.Left
		}
		if m.Boundary.Free(at) {
			s.Near[k] = kernels.Open
		}
		ways[k] = wayTo(p, i, s.Near[k], arm, middle, k)
		if right == 0 || int(at.Left) >= p.Owned {
			m.Arms[e] = armsOf[F](p, at, middle)
		}
	}
	weights := leastSquares(ways)
	var bed way
	for k, w := range weights {
		s.Weight[k] = arrow[F](w)
		if near := s.Near[k]; near >= 0 {
			rise := depth[i] - depth[near]
			bed.x, bed.y = bed.x+w.x*rise, bed.y+w.y*rise
		}
	}
	s.Bed = arrow[F](bed)
}

// way is a place in the plane, or the way from one to another, m.
type way struct{ x, y float64 }

func (w way) less(o way) way { return way{w.x - o.x, w.y - o.y} }

func arrow[F num.Float](w way) kernels.Arrow[F] { return kernels.Arrow[F]{X: F(w.x), Y: F(w.y)} }

func centroidOf(p *mesh.Part, i int) way {
	x, y := p.Centroid(i)
	return way{x, y}
}

// middleOf is the middle of the edge of cell i from vertex k to the next.
func middleOf(p *mesh.Part, i, k int) way {
	a, b := p.Cells[i][k], p.Cells[i][(k+1)%3]
	return way{(p.X[a] + p.X[b]) / 2, (p.Y[a] + p.Y[b]) / 2}
}

// armsOf are the ways from the centroids of an edge's cells to its middle.
func armsOf[F num.Float](p *mesh.Part, at kernels.Ends, middle way) kernels.Arms[F] {
	left := arrow[F](middle.less(centroidOf(p, int(at.Left))))
	if at.Right < 0 {
		return kernels.Arms[F]{Left: left, Right: left}
	}
	return kernels.Arms[F]{Left: left, Right: arrow[F](middle.less(centroidOf(p, int(at.Right))))}
}

// wayTo is the way from the centroid of cell i to that of its neighbour across edge k, which at a wall is its own
// image, and nothing where the mesh is open.
func wayTo(p *mesh.Part, i int, near int32, arm, middle way, k int) way {
	if near >= 0 {
		return centroidOf(p, int(near)).less(centroidOf(p, i))
	}
	if near != kernels.Wall {
		return way{}
	}
	a := p.Cells[i][k]
	along := middle.less(way{p.X[a], p.Y[a]})
	part := (arm.x*along.x + arm.y*along.y) / (along.x*along.x + along.y*along.y)
	return way{2 * (arm.x - part*along.x), 2 * (arm.y - part*along.y)}
}

// leastSquares are the weights C of a gradient, Σ C_k (f_k - f), that fits the differences along three ways best: those
// of C_k = M⁻¹ way_k with M = Σ way wayᵀ, or zero where the ways have nearly one direction.
func leastSquares(ways [3]way) (weights [3]way) {
	var a, b, c float64
	for _, w := range ways {
		a, b, c = a+w.x*w.x, b+w.x*w.y, c+w.y*w.y
	}
	det := a*c - b*b
	if det < 1e-6*(a+c)*(a+c) {
		return weights
	}
	for k, w := range ways {
		weights[k] = way{(c*w.x - b*w.y) / det, (a*w.y - b*w.x) / det}
	}
	return weights
}
