package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// FillSolids sets cells in solids to weighted sums of as many cells of fluid each.
//
//atoll:kernel block=256
func FillSolids[F num.Float](n, sources int, to, from []int32, weights, v []F) {
	sum := F(0)
	for m := range sources {
		sum += weights[n*sources+m] * v[from[n*sources+m]]
	}
	v[to[n]] = sum
}

// Walls are the open faces of one velocity component next to closed ones. The velocity is 0 in a solid's surface, at
// a part θ of the distance to a closed neighbour, from which the stress is μ v/θ instead of μ v (Gibou, Fedkiw, Cheng
// and Kang, J. Comput. Phys. 176, 2002). The slopes of other components are as without solids: so the matrix stays
// symmetric.
//
//atoll:constant
type Walls[F num.Float] struct {
	Faces []int32
	Near  []F // 1/θ - 1 of each face: the lower and the upper neighbour along its own axis, the first and the second
	// other axis; 0 for an open neighbour
}

// friction is what the coefficient of face n in -stress is more than without solids.
func (q *Viscous[F]) friction(w *Walls[F], n int) F {
	c, a, s := int(w.Faces[n]), int(q.Across), int(q.First)
	at := 2 * n * int(q.Dim)
	if q.Rings {
		r := radius[F](&q.Lattice, q.column(c))
		below, outer := r, r+0.5
		if a == 1 {
			below = r - 1
			outer = r - 0.5
		}
		return 2*(below*q.OfCell(c-a)*w.Near[at]+r*q.OfCell(c)*w.Near[at+1]) +
			((r-0.5)*q.OfEdge(c, s)*w.Near[at+2] + outer*q.OfEdge(c+s, s)*w.Near[at+3])
	}
	sum := 2 * (q.OfCell(c-a)*w.Near[at] + q.OfCell(c)*w.Near[at+1])
	sum += q.OfEdge(c, s)*w.Near[at+2] + q.OfEdge(c+s, s)*w.Near[at+3]
	if q.Dim == 3 {
		s = int(q.Second)
		sum += q.OfEdge(c, s)*w.Near[at+4] + q.OfEdge(c+s, s)*w.Near[at+5]
	}
	return sum
}

// column is the index i of a face of the block.
func (q *Viscous[F]) column(c int) int { return (c - int(q.Lattice.First)) % int(q.SY) }

// LookAheadWalls is LookAhead for faces next to solids, after it.
//
//atoll:kernel block=256
func LookAheadWalls[F num.Float](n int, q *Viscous[F], w *Walls[F], clock *Clock[F], out []F) {
	c := int(w.Faces[n])
	out[c] -= 0.5 * clock.PerArea * q.friction(w, n) * q.V[c] / q.mass(c, q.column(c))
}

// StartWalls is StartViscous for faces next to solids, after it.
//
//atoll:kernel block=256
func StartWalls[F num.Float](n int, q *Viscous[F], w *Walls[F], clock *Clock[F], residual, inverse []F) {
	c := int(w.Faces[n])
	friction := q.friction(w, n)
	i := q.column(c)
	residual[c] -= clock.PerArea * friction * q.V[c]
	inverse[c] = 1 / (q.mass(c, i) + clock.PerArea*(q.diagonal(c, i)+friction))
}

// ResistWalls is Resist for faces next to solids, after it.
//
//atoll:kernel block=256 max
func ResistWalls[F num.Float](n int, q *Viscous[F], w *Walls[F], clock *Clock[F], out []F) F {
	c := int(w.Faces[n])
	v := out[c] + clock.PerArea*q.friction(w, n)*q.V[c]
	out[c] = v
	return num.Abs(q.V[c] * v)
}
