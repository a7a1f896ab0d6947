package shape

// polygon is a flat convex one in space: a triangle of which at most six planes have cut off parts.
type polygon struct {
	at [9]point
	n  int
}

func (p *polygon) bounds(axis int) (lo, hi float64) {
	lo, hi = p.at[0][axis], p.at[0][axis]
	for _, q := range p.at[1:p.n] {
		lo, hi = min(lo, q[axis]), max(hi, q[axis])
	}
	return lo, hi
}

// between clips to lo ≤ x ≤ hi along an axis. A polygon that lies in the lower plane is dropped, so that of two
// neighbouring slabs one has it.
func (p *polygon) between(axis int, lo, hi float64) {
	p.beyond(axis, lo)
	if p.n > 0 {
		if _, most := p.bounds(axis); most > hi {
			p.clip(axis, hi, -1)
		}
	}
}

// beyond clips to positions above x along an axis.
func (p *polygon) beyond(axis int, x float64) {
	if p.n == 0 {
		return
	}
	switch least, most := p.bounds(axis); {
	case most <= x:
		p.n = 0
	case least < x:
		p.clip(axis, x, 1)
	}
}

// clip keeps the side of the plane at x, normal to an axis, to which sign points (Sutherland and Hodgman, Commun. ACM
// 17, 1974).
func (p *polygon) clip(axis int, x, sign float64) {
	whole := *p
	p.n = 0
	for v, a := range whole.at[:whole.n] {
		b := whole.at[(v+1)%whole.n]
		da, db := sign*(a[axis]-x), sign*(b[axis]-x)
		if da >= 0 {
			p.push(a)
		}
		if da > 0 && db < 0 || da < 0 && db > 0 {
			q := a.toward(b, da/(da-db))
			q[axis] = x
			p.push(q)
		}
	}
}

func (p *polygon) push(q point) {
	p.at[p.n] = q
	p.n++
}

// project gives the area of the projection along x, positive where the polygon's normal points towards higher x, and
// the integral of x - x0 over it.
func (p *polygon) project(x0 float64) (area, moment float64) {
	for v := 1; v+1 < p.n; v++ {
		a, b, c := &p.at[0], &p.at[v], &p.at[v+1]
		twice := (b[1]-a[1])*(c[2]-a[2]) - (b[2]-a[2])*(c[1]-a[1])
		area += twice / 2
		moment += twice / 6 * ((a[0] - x0) + (b[0] - x0) + (c[0] - x0))
	}
	return area, moment
}
