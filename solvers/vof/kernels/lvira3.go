package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// diagonalWeight3 is the factor on the weight of a neighbour for LVIRA for each axis from the second on along which it
// lies beside the cell: see diagonalWeight2. With a factor of 1 errors of Enright's ball are larger by a fifth (64³).
const diagonalWeight3 = 1. / 4

// differences sets d to w (f~ - f) for all neighbours, with w = 1 for face neighbours, and returns the sum of
// squares.
func (q *stencil3[F]) differences(mx, my, mz F, d *[27]F) F {
	p := geom.SortNormal(mx, my, mz)
	alpha := geom.PlaneConstant(mx, my, mz, q.f[13])
	sum := F(0)
	for at := range 27 {
		a := alpha - F(at%3-1)*mx - F(at/3%3-1)*my - F(at/9-1)*mz
		w := F(1 / diagonalWeight3)
		if at == 13 {
			w = 1
		}
		if at%3 != 1 {
			w *= diagonalWeight3
		}
		if at/3%3 != 1 {
			w *= diagonalWeight3
		}
		if at/9 != 1 {
			w *= diagonalWeight3
		}
		d[at] = w * (p.Volume(a) - q.f[at])
		sum += d[at] * d[at]
	}
	return sum
}

// lvira minimises the residual from ELVIRA's normal by Gauss-Newton steps in the two smaller components. Derivatives
// are finite differences with step difference; a step is shortened until the residual decreases.
func (q *stencil3[F]) lvira(difference F) (mx, my, mz F) {
	mx, my, mz = q.elvira()
	axis := 2
	most := num.Abs(mz)
	if num.Abs(mx) > most && num.Abs(mx) >= num.Abs(my) {
		axis, most = 0, num.Abs(mx)
	} else if num.Abs(my) > most {
		axis, most = 1, num.Abs(my)
	}
	mx, my, mz = mx/most, my/most, mz/most
	var now, a, b [27]F
	best := q.differences(mx, my, mz, &now)
	for range 8 {
		if best <= difference*difference*difference*difference {
			break
		}
		ax, ay, az := alongAxis(axis, 0, difference, 0)
		bx, by, bz := alongAxis(axis, 0, 0, difference)
		q.differences(mx+ax, my+ay, mz+az, &a)
		q.differences(mx+bx, my+by, mz+bz, &b)
		var aa, ab, bb, ra, rb F
		for k := range 27 {
			u, v := a[k]-now[k], b[k]-now[k]
			aa += u * u
			ab += u * v
			bb += v * v
			ra += u * now[k]
			rb += v * now[k]
		}
		det := aa*bb - ab*ab
		if !(det > 0) {
			break
		}
		s, t := (ab*rb-bb*ra)/det, (ab*ra-aa*rb)/det
		if size := num.Larger(num.Abs(s), num.Abs(t)) * difference; size > 0.5 {
			s, t = s/size/2, t/size/2
		}
		better := false
		for range 4 {
			x, y, z := mx+s*ax+t*bx, my+s*ay+t*by, mz+s*az+t*bz
			if r := q.differences(x, y, z, &a); r < best {
				better = r < 0.999*best
				mx, my, mz, best = x, y, z, r
				now = a
				break
			}
			s, t = s/4, t/4
		}
		if !better {
			break
		}
	}
	return mx, my, mz
}
