package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// stencil3 is the volume fractions of a cell and its neighbours, x fastest: the cell itself is number 13.
type stencil3[F num.Float] struct{ f [27]F }

func stencil3At[F num.Float](f []F, c, sy, sz int) stencil3[F] {
	var q stencil3[F]
	for k := range 3 {
		for j := range 3 {
			row := c + (k-1)*sz + (j-1)*sy
			at := 9*k + 3*j
			q.f[at], q.f[at+1], q.f[at+2] = f[row-1], f[row], f[row+1]
		}
	}
	return q
}

// normal3 computes the normal in cell c by a method.
func normal3[F num.Float](f []F, c, sy, sz int, way int32, difference F) (mx, my, mz F) {
	if way == ELVIRA {
		q := stencil3At(f, c, sy, sz)
		return q.elvira()
	} else if way == LVIRA {
		q := stencil3At(f, c, sy, sz)
		return q.lvira(difference)
	}
	return simple3(f, c, sy, sz, way)
}

// simple3 is normal3 for Youngs, Mixed and Heights: see simple2.
func simple3[F num.Float](f []F, c, sy, sz int, way int32) (mx, my, mz F) {
	if way == Heights {
		mx, my, mz, _, ok := heights3(f, c, sy, sz, 1, 1, 1)
		if ok {
			return mx, my, mz
		}
	}
	q := stencil3At(f, c, sy, sz)
	if way == Youngs {
		return q.youngs()
	}
	return q.mixed()
}

// slab is the weighted sum 1-2-1 ⊗ 1-2-1 over the plane that begins at number at, with strides s and t in it.
func (q *stencil3[F]) slab(at, s, t int) F {
	return (q.f[at] + q.f[at+2*s] + q.f[at+2*t] + q.f[at+2*s+2*t]) +
		2*(q.f[at+s]+q.f[at+t]+q.f[at+2*s+t]+q.f[at+s+2*t]) + 4*q.f[at+s+t]
}

func (q *stencil3[F]) youngs() (mx, my, mz F) {
	return q.slab(0, 3, 9) - q.slab(2, 3, 9), q.slab(0, 1, 9) - q.slab(6, 1, 9), q.slab(0, 1, 3) - q.slab(18, 1, 3)
}

// column is the sum of three cells along stride s, the middle one number at.
func (q *stencil3[F]) column(at, s int) F { return q.f[at-s] + q.f[at] + q.f[at+s] }

// columns3 are the sums of the middle column along an axis and of those beside it.
type columns3[F num.Float] struct{ m, sl, sr, tl, tr F }

// columns are those along a stride, with the strides s and t across.
func (q *stencil3[F]) columns(s, t, along int) columns3[F] {
	return columns3[F]{q.column(13, along), q.column(13-s, along), q.column(13+s, along), q.column(13-t, along),
		q.column(13+t, along)}
}

// slopes are the centred differences of the columns along a stride, along the strides s and t.
func (q *stencil3[F]) slopes(s, t, along int) (a, b F) {
	return (q.column(13-s, along) - q.column(13+s, along)) / 2, (q.column(13-t, along) - q.column(13+t, along)) / 2
}

// aligned tells how well a normal with the components a and b across its axis is aligned with that: 1 is best.
func aligned[F num.Float](a, b F) F { return 1 / (1 + num.Abs(a) + num.Abs(b)) }

// mixed returns the one of the three centred normals that is best aligned with its axis, or Youngs' if that is less
// aligned.
func (q *stencil3[F]) mixed() (mx, my, mz F) {
	yx, yy, yz := q.youngs()
	var own F
	a, b := q.slopes(3, 9, 1)
	if o := aligned(a, b); o > own {
		own, mx, my, mz = o, fluidSide(yx, 0), a, b
	}
	a, b = q.slopes(1, 9, 3)
	if o := aligned(a, b); o > own {
		own, mx, my, mz = o, a, fluidSide(yy, 0), b
	}
	a, b = q.slopes(1, 3, 9)
	if o := aligned(a, b); o > own {
		own, mx, my, mz = o, a, b, fluidSide(yz, 0)
	}
	sum := num.Abs(yx) + num.Abs(yy) + num.Abs(yz)
	if sum >= geom.Faint && num.Larger(num.Larger(num.Abs(yx), num.Abs(yy)), num.Abs(yz)) < own*sum {
		return yx, yy, yz
	}
	return mx, my, mz
}

// alongAxis is the normal with component m along the axis and a, b along the others, in their order.
func alongAxis[F num.Float](axis int, m, a, b F) (mx, my, mz F) {
	if axis == 0 {
		return m, a, b
	} else if axis == 1 {
		return a, m, b
	}
	return a, b, m
}

// residual returns Σ(f - f~)² over the neighbours, with f~ from the plane that gives the centre's volume fraction. The
// sum is incomplete if it is more than enough.
func (q *stencil3[F]) residual(mx, my, mz, enough F) F {
	p := geom.SortNormal(mx, my, mz)
	alpha := geom.PlaneConstant(mx, my, mz, q.f[13])
	sum := F(0)
	for k := range 3 {
		for j := range 3 {
			a := alpha - F(k-1)*mz - F(j-1)*my
			at := 9*k + 3*j
			l, m, r := p.Volume(a+mx)-q.f[at], p.Volume(a)-q.f[at+1], p.Volume(a-mx)-q.f[at+2]
			sum += l*l + m*m + r*r
		}
		if sum > enough {
			break
		}
	}
	return sum
}

// elvira selects from 27 normals, left, centred and right differences of the columns along each axis, the one with
// the smallest residual. Planes whose columns extend beyond the 3×3×3 cells are not covered.
func (q *stencil3[F]) elvira() (mx, my, mz F) {
	yx, yy, yz := q.youngs()
	best := F(1e9)
	for axis := range 3 {
		h, sign := q.columns(1, 3, 9), fluidSide(yz, 0)
		if axis == 0 {
			h, sign = q.columns(3, 9, 1), fluidSide(yx, 0)
		} else if axis == 1 {
			h, sign = q.columns(1, 9, 3), fluidSide(yy, 0)
		}
		for k := range 9 {
			x, y, z := alongAxis(axis, sign, slopeOf(k%3, h.sl, h.m, h.sr), slopeOf(k/3, h.tl, h.m, h.tr))
			if r := q.residual(x, y, z, best); r < best {
				best, mx, my, mz = r, x, y, z
			}
		}
	}
	return mx, my, mz
}

// slopeOf is the fall from l to r by a difference: 0 for centred, 1 for left, 2 for right.
func slopeOf[F num.Float](difference int, l, m, r F) F {
	if difference == 0 {
		return (l - r) / 2
	} else if difference == 1 {
		return l - m
	}
	return m - r
}
