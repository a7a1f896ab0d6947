package shape

// polygon is a convex polygon in a plane in space: a triangle clipped by at most six planes.
type polygon struct {
	vertex [9]point
	n      int
}

func (p *polygon) bounds(axis int) (lo, hi float64) {
	lo, hi = p.vertex[0][axis], p.vertex[0][axis]
	for _, q := range p.vertex[1:p.n] {
		lo, hi = min(lo, q[axis]), max(hi, q[axis])
	}
	return lo, hi
}

// clipToSlab clips to lo ≤ x ≤ hi along an axis. A polygon in the plane x = lo is dropped, so that it belongs to only
// one of two adjacent slabs.
func (p *polygon) clipToSlab(axis int, lo, hi float64) {
	p.clipAbove(axis, lo)
	if p.n > 0 {
		if _, most := p.bounds(axis); most > hi {
			p.clip(axis, hi, -1)
		}
	}
}

// clipAbove clips to positions above x along an axis.
func (p *polygon) clipAbove(axis int, x float64) {
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

// clip keeps the part on the side of the plane at x, normal to an axis, to which sign points (Sutherland and Hodgman,
// Commun. ACM 17, 1974).
func (p *polygon) clip(axis int, x, sign float64) {
	whole := *p
	p.n = 0
	for v, a := range whole.vertex[:whole.n] {
		b := whole.vertex[(v+1)%whole.n]
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
	p.vertex[p.n] = q
	p.n++
}

// project returns the area of the projection along x, positive if the normal points to higher x, and the integral of
// x - x0 over the projection.
func (p *polygon) project(x0 float64) (area, moment float64) {
	for v := 1; v+1 < p.n; v++ {
		a, b, c := &p.vertex[0], &p.vertex[v], &p.vertex[v+1]
		twice := (b[1]-a[1])*(c[2]-a[2]) - (b[2]-a[2])*(c[1]-a[1])
		area += twice / 2
		moment += twice / 6 * ((a[0] - x0) + (b[0] - x0) + (c[0] - x0))
	}
	return area, moment
}
