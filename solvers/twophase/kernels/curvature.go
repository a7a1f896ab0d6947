package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Interface is where the interface is, and how it is curved: from heights of columns where they exist, otherwise from a
// parabola or paraboloid that fits the lines or polygons of a cell and its neighbours.
//
//atoll:constant
type Interface[F num.Float] struct {
	Lattice
	Tension  F    // in N/m
	Buoyancy [3]F // the difference of the densities times gravity times the square of the spacing, in N/m
	F        []F
	Lines    []geom.Line[F] // of mixed cells and their neighbours
	Planes   []geom.Plane[F]
	Jump     []F // see FindJump
}

const (
	faint     = 1e-6 // fractions within it of 0 and 1 count as pure
	columnEnd = 4    // a column reaches at most so many cells up and down
	columnTol = 1e-6 // its ends are full and empty within this
	mostBent  = 2    // the largest curvature of a fit, times the spacing
)

// curvature is that of a cell times the spacing, positive for a drop of the first fluid.
func (q *Interface[F]) curvature(c, i int, n [3]F) F {
	kappa, found := q.fromHeights(c, i, n)
	if !found {
		kappa = q.fromPolygons(c, i, n)
	}
	return kappa
}

// mixed reports whether an interface crosses a cell.
func (q *Interface[F]) mixed(c int) bool { return q.F[c] > faint && q.F[c] < 1-faint }

// hasInterface reports whether an interface crosses a cell, or is on a face of it.
func (q *Interface[F]) hasInterface(c int) bool {
	if q.mixed(c) {
		return true
	}
	full := q.F[c] > 0.5
	for axis := range q.Dim {
		s := q.stride(axis)
		for side := range 2 {
			f := q.F[c+(2*side-1)*s]
			if full && f <= faint || !full && f >= 1-faint {
				return true
			}
		}
	}
	return false
}

// normal is the normal out of the first fluid: that of the cell's plane, or of a difference in a pure cell.
func (q *Interface[F]) normal(c int) (n [3]F) {
	if q.mixed(c) {
		if q.Dim == 2 {
			n[0], n[1] = q.Lines[c].X, q.Lines[c].Y
		} else {
			n[0], n[1], n[2] = q.Planes[c].X, q.Planes[c].Y, q.Planes[c].Z
		}
		return n
	}
	for axis := range q.Dim {
		s := q.stride(axis)
		n[axis] = q.F[c-s] - q.F[c+s]
	}
	return n
}

// height is the height of the interface in the column through cell c along a stride, from the centre of c in cells,
// upwards positive. sign is 1 if fluid is below, -1 if above. The column reaches as far as to a full and an empty
// cell.
func (q *Interface[F]) height(c, s, sign int) (h F, found bool) {
	down, up := -sign*s, sign*s
	own := unit(q.F[c])
	sum := own
	lo := 0
	v, last := own, own
	for v < 1-columnTol {
		lo++
		if lo > columnEnd {
			return 0, false
		}
		last, v = v, unit(q.F[c+lo*down])
		if lo > 1 && v < columnTol && last < columnTol && own > columnTol {
			return 0, false // beyond the fluid below
		}
		sum += v
	}
	hi := 0
	v = own
	for v > columnTol {
		hi++
		if hi > columnEnd {
			return 0, false
		}
		last, v = v, unit(q.F[c+hi*up])
		if hi > 1 && v > 1-columnTol && last > 1-columnTol && own < 1-columnTol {
			return 0, false
		}
		sum += v
	}
	return (sum - F(lo) - 0.5) * F(sign), true
}

// unit limits a number to [0, 1].
func unit[F num.Float](v F) F { return num.Larger(0, num.Smaller(1, v)) }

// fromHeights is the curvature of the graph of heights along the axis nearest to the normal along which all exist.
func (q *Interface[F]) fromHeights(c, i int, n [3]F) (kappa F, found bool) {
	var done [3]bool
	for range q.Dim {
		axis := q.nearest(n, done)
		done[axis] = true
		if q.Rings && axis == 0 {
			kappa, found = q.alongRadius(c, i, n[0])
		} else {
			kappa, found = q.alongAxis(c, i, axis, n[axis])
		}
		if found {
			return kappa, true
		}
	}
	return 0, false
}

// nearest is the axis nearest to a normal of those that are left.
func (q *Interface[F]) nearest(n [3]F, done [3]bool) int32 {
	axis := int32(-1)
	for d := range q.Dim {
		if !done[d] && (axis < 0 || num.Abs(n[d]) > num.Abs(n[axis])) {
			axis = d
		}
	}
	return axis
}

// alongAxis is the curvature of the graph of the heights of 3 or 3×3 columns along an axis. In space one at a corner
// may be missing: it is set so that the fourth difference across both other axes is 0, as it is for cubics, and the
// mixed derivative keeps its order. A plane of slopes p and q crosses the cell if its height over the centre is at most
// (1 + |p| + |q|)/2; the slopes of graphs along the axis nearest to the normal are at most 1.
func (q *Interface[F]) alongAxis(c, i int, axis int32, n F) (kappa F, found bool) {
	sign := 1
	if n < 0 {
		sign = -1
	}
	first := (axis + 1) % q.Dim
	s, a := q.stride(axis), q.stride(first)
	var h [9]F
	rows, b, missing := 1, 0, -1
	if q.Dim == 3 {
		rows, b = 3, q.stride((axis+2)%3)
	}
	middle := (rows / 2) * 3
	for y := range rows {
		for x := range 3 {
			h[3*y+x], found = q.height(c+(x-1)*a+(y-rows/2)*b, s, sign)
			if !found {
				if q.Dim == 2 || x == 1 || y == 1 || missing >= 0 {
					return 0, false
				}
				missing = 3*y + x
				h[missing] = 0
			}
		}
	}
	if num.Abs(h[middle+1]) > 0.5*F(q.Dim) {
		return 0, false // the interface of this column belongs to another cell
	}
	if missing >= 0 {
		h[missing] = 2*(h[1]+h[3]+h[5]+h[7]) - 4*h[4] - (h[0] + h[2] + h[6] + h[8])
	}
	hx, hxx := (h[middle+2]-h[middle])/2, h[middle+2]-2*h[middle+1]+h[middle]
	if q.Rings {
		return F(sign) * (bend(hx, 0, hxx, 0, 0) - hx/(radius[F](&q.Lattice, i)*num.Sqrt(1+hx*hx))), true
	}
	if q.Dim == 2 {
		return F(sign) * bend(hx, 0, hxx, 0, 0), true
	}
	hy, hyy := (h[7]-h[1])/2, h[7]-2*h[4]+h[1]
	return F(sign) * bend(hx, hy, hxx, hyy, (h[8]-h[6]-h[2]+h[0])/4), true
}

// bend is the curvature of the graph of a function with the given derivatives, positive where it is concave.
func bend[F num.Float](x, y, xx, yy, xy F) F {
	size := 1 + x*x + y*y
	return -(xx*(1+y*y) + yy*(1+x*x) - 2*xy*x*y) / (size * num.Sqrt(size))
}

// alongRadius is the curvature of the surface around the axis whose radius squared, a function of y, has the means of
// rows that squared finds: the second derivative is exact for spheres.
func (q *Interface[F]) alongRadius(c, i int, n F) (kappa F, found bool) {
	sign := 1
	if n < 0 {
		sign = -1
	}
	var v [3]F
	for y := range 3 {
		v[y], found = q.squared(c+(y-1)*int(q.SY), i, sign)
		if !found {
			return 0, false
		}
	}
	curved := v[2] - 2*v[1] + v[0]
	square := v[1] - curved/24 // in the middle of the row
	if !(square > 0) {
		return 0, false
	}
	r := num.Sqrt(square)
	if num.Abs(r-radius[F](&q.Lattice, i)) > 1 {
		return 0, false
	}
	slope := (v[2] - v[0]) / (4 * r)
	return F(sign) * (bend(slope, 0, (curved/2-slope*slope)/r, 0, 0) + 1/(r*num.Sqrt(1+slope*slope))), true
}

// squared is the mean of the squared radius of the interface in the row through cell c. sign is 1 if fluid is inside,
// -1 if it is outside. The row reaches, as columns do, to a full and to an empty cell, but not beyond the axis.
func (q *Interface[F]) squared(c, i, sign int) (v F, found bool) {
	own := unit(q.F[c])
	sum := own * radius[F](&q.Lattice, i)
	lo := 0
	f, last := own, own
	for f < 1-columnTol {
		lo++
		if lo > columnEnd || i+int(q.Inner)-sign*lo < 0 {
			return 0, false
		}
		last, f = f, unit(q.F[c-sign*lo])
		if lo > 1 && f < columnTol && last < columnTol && own > columnTol {
			return 0, false // beyond the fluid below
		}
		sum += f * radius[F](&q.Lattice, i-sign*lo)
	}
	hi := 0
	f = own
	for f > columnTol {
		hi++
		if hi > columnEnd || i+int(q.Inner)+sign*hi < 0 {
			return 0, false
		}
		last, f = f, unit(q.F[c+sign*hi])
		if hi > 1 && f > 1-columnTol && last > 1-columnTol && own < 1-columnTol {
			return 0, false
		}
		sum += f * radius[F](&q.Lattice, i+sign*hi)
	}
	end := radius[F](&q.Lattice, i-sign*lo) - F(sign)*0.5 // of the full cell
	return end*end + 2*F(sign)*sum, true
}
