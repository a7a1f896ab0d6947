package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// star is the triangles around a vertex inside the mesh: their areas, doubled, and the gradients of these by the
// position of the vertex, which are constant.
type star[F num.Float] struct {
	n      int // number of triangles; with more than MaxDegree the star is incomplete
	area   [MaxDegree]F
	gx, gy [MaxDegree]F
}

// load computes the triangles around vertex i.
func (f *star[F]) load(i int, m *Mesh[F], v []Vertex[F]) {
	x, y := v[i].X, v[i].Y
	first := m.next(i, 0)
	a := first
	f.n = 0
	for k := 1; ; k++ {
		b := m.corner(i, k, first, true)
		if b < 0 {
			return
		}
		if f.n >= MaxDegree {
			f.n++
			return
		}
		f.area[f.n] = (v[a].X-x)*(v[b].Y-y) - (v[b].X-x)*(v[a].Y-y)
		f.gx[f.n], f.gy[f.n] = v[a].Y-v[b].Y, v[b].X-v[a].X
		f.n++
		if b == first {
			return
		}
		a = b
	}
}

// least returns the least area after a move by (dx, dy).
func (f *star[F]) least(dx, dy F) F {
	least := f.area[0] + (f.gx[0]*dx + f.gy[0]*dy)
	for k := 1; k < f.n; k++ {
		if a := f.area[k] + (f.gx[k]*dx + f.gy[k]*dy); !(a >= least) {
			least = a
		}
	}
	return least
}

// best returns the move after which the least area is greatest, and whether the move raises the least area. This is
// a linear program in the move and the least area, after L. A. Freitag and P. Plassmann (Int. J. Numer. Meth.
// Engng. 49 (2000) 109). Its solution is where three areas are equal and no move raises all of them: their
// gradients have 0 in their hull. There are few triangles around a vertex, so all triples are tried.
func (f *star[F]) best() (F, F, bool) {
	bestX, bestY, best := F(0), F(0), f.least(0, 0)
	found := false
	for i := 2; i < f.n; i++ {
		for j := 1; j < i; j++ {
			for k := 0; k < j; k++ {
				one := f.gx[j]*f.gy[k] - f.gx[k]*f.gy[j]
				two := f.gx[k]*f.gy[i] - f.gx[i]*f.gy[k]
				three := f.gx[i]*f.gy[j] - f.gx[j]*f.gy[i]
				if !(one >= 0 && two >= 0 && three >= 0) && !(one <= 0 && two <= 0 && three <= 0) {
					continue
				}
				sum := one + two + three
				if sum == 0 {
					continue // the gradients are parallel
				}
				p, q := f.area[j]-f.area[i], f.area[k]-f.area[i]
				dx := (p*(f.gy[i]-f.gy[k]) - q*(f.gy[i]-f.gy[j])) / sum
				dy := (q*(f.gx[i]-f.gx[j]) - p*(f.gx[i]-f.gx[k])) / sum
				if least := f.least(dx, dy); least > best {
					bestX, bestY, best = dx, dy, least
					found = true
				}
			}
		}
	}
	return bestX, bestY, found
}

// Untangle moves vertex i, inside the mesh, to where the least area of the triangles around it is greatest, if one of
// them is inverted or flat. It returns the square of the move in the metric.
//
//atoll:kernel max grain=64
func Untangle[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32) F {
	if upright(i, true, v[i].X, v[i].Y, p.Flat, m, v) {
		return 0
	}
	var f star[F]
	f.load(i, m, v)
	if f.n > MaxDegree {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	found := false
	s.dx, s.dy, found = f.best()
	if !found {
		return 0
	}
	return commitMove(i, set, p, field, c, &s, 1, v, lastMove, lastVisit)
}
