package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// clear is how far a volume fraction may be from 0 or 1 at a column's ends.
const clear = 1e-6

// height returns the height of the fluid in the column of seven cells through c along a stride, and 1 if fluid fills
// the column from below, -1 if from above, 0 if neither; then no height exists.
func height[F num.Float](f []F, c, stride int) (h, from F) {
	first, last := f[c-3*stride], f[c+3*stride]
	if first > last {
		from = 1
	} else {
		from = -1
	}
	if num.Larger(first, last) < 1-clear || num.Smaller(first, last) > clear {
		return 0, 0
	}
	h = first
	for k := -2; k <= 3; k++ {
		a, b := f[c+(k-1)*stride], f[c+k*stride]
		if (b-a)*from > clear {
			return 0, 0
		}
		h += b
	}
	return h, from
}

// heights2 computes the normal from the heights of three columns along the axis nearest to it. It also returns the
// curvature for cells with sides hx and hy, positive for a disk of fluid. ok is false if a column has no height.
func heights2[F num.Float](f []F, c, sy int, hx, hy F) (mx, my, curvature F, ok bool) {
	q := stencil2At(f, c, sy)
	yx, yy := q.youngs()
	along, across := sy, 1
	if num.Abs(yx) > num.Abs(yy) {
		along, across = 1, sy
		hx, hy = hy, hx
	}
	l, a := height(f, c-across, along)
	m, b := height(f, c, along)
	r, d := height(f, c+across, along)
	if a*b*d == 0 || a != b || b != d {
		return 0, 0, 0, false
	}
	slope := (r - l) / 2
	p, bend := slope*hy/hx, (l-2*m+r)*hy/(hx*hx)
	size := 1 + p*p
	curvature = -bend / (size * num.Sqrt(size))
	if along == 1 {
		return b, -slope, curvature, true
	}
	return -slope, b, curvature, true
}

// heights3 is heights2 in three dimensions, with nine columns.
func heights3[F num.Float](f []F, c, sy, sz int, hx, hy, hz F) (mx, my, mz, curvature F, ok bool) {
	q := stencil3At(f, c, sy, sz)
	yx, yy, yz := q.youngs()
	along, s, t := sz, 1, sy
	ha, hs, ht := hz, hx, hy
	axis := 2
	if num.Abs(yx) > num.Abs(yy) && num.Abs(yx) > num.Abs(yz) {
		along, s, t, axis = 1, sy, sz, 0
		ha, hs, ht = hx, hy, hz
	} else if num.Abs(yy) > num.Abs(yz) {
		along, s, t, axis = sy, 1, sz, 1
		ha, hs, ht = hy, hx, hz
	}
	var h [9]F
	_, from := height(f, c, along)
	if from == 0 {
		return 0, 0, 0, 0, false
	}
	for k := range 9 {
		v, way := height(f, c+(k%3-1)*s+(k/3-1)*t, along)
		if way != from {
			return 0, 0, 0, 0, false
		}
		h[k] = v
	}
	a, b := (h[5]-h[3])/2, (h[7]-h[1])/2
	p, r := a*ha/hs, b*ha/ht
	pp, rr := (h[5]-2*h[4]+h[3])*ha/(hs*hs), (h[7]-2*h[4]+h[1])*ha/(ht*ht)
	pr := (h[8] - h[6] - h[2] + h[0]) / 4 * ha / (hs * ht)
	size := 1 + p*p + r*r
	curvature = -(pp*(1+r*r) + rr*(1+p*p) - 2*p*r*pr) / (size * num.Sqrt(size))
	switch axis {
	case 0:
		return from, -a, -b, curvature, true
	case 1:
		return -a, from, -b, curvature, true
	}
	return -a, -b, from, curvature, true
}

// CurvatureOf returns, on the host, the curvature of the interface in the mixed cell at index c from heights: 1/r for
// a disk of fluid, 2/r for a ball. It returns false if no heights exist: the interface does not cross the columns of
// seven cells through the cell and its neighbours. h are the sides of the cells.
func CurvatureOf[F num.Float](f []F, c int, l Lattice, dim int, h [3]F) (F, bool) {
	if dim == 2 {
		_, _, k, ok := heights2(f, c, int(l.SY), h[0], h[1])
		return k, ok
	}
	_, _, _, k, ok := heights3(f, c, int(l.SY), int(l.SZ), h[0], h[1], h[2])
	return k, ok
}
