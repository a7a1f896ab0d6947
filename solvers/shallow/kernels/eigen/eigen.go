// Package eigen has the speeds of the waves of two layers of water.
package eigen

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Values are the eigenvalues of the Roe matrix of an edge, λ1 ≤ λ2 ≤ λ3 ≤ λ4. L1 and L4 belong to the external waves
// and are always real. Where the internal pair is complex, L2 = L3 is its real part and Complex is true.
type Values[F num.Float] struct {
	L1, L2, L3, L4 F
	Complex        bool
}

// Solve finds the roots of ((λ-u1)² - c1)((λ-u2)² - c2) = r c1 c2, where c = g h > 0.
//
// In x = λ - (u1+u2)/2 the quartic has no cubic term and holds 1-r explicitly, so nothing cancels as r → 1:
//
//	x⁴ - a x² + b x + e = (x² + s x + q)(x² - s x + p),  d = (u2-u1)/2,
//	a = 2d² + c1 + c2,  b = 2d (c1-c2),  e = d⁴ - d² (c1+c2) + (1-r) c1 c2.
//
// The first factor holds the external pair. Its y = s² is the smallest root of Ferrari's resolvent
//
//	y³ - 2a y² + k y - b² = 0,  k = a² - 4e = (c1-c2)² + 4r c1 c2 + 8d² (c1+c2),
//
// which Newton's method approaches from below without overshooting. It is small as long as the shear is, and its
// series in b²/k leaves one iteration as a rule.
func (ev *Values[F]) Solve(u1, u2, c1, c2, r, tol F) {
	mean, d := (u1+u2)/2, (u2-u1)/2
	sum, diff, prod := c1+c2, c1-c2, c1*c2
	dd := d * d
	a, b, e := 2*dd+sum, 2*d*diff, dd*(dd-sum)+(1-r)*prod
	k := diff*diff + 4*r*prod + 8*dd*sum

	bb, ik := b*b, 1/k
	y := bb * ik
	t, v := 2*a*y*ik, y*y*ik
	if t < F(0.1) {
		y *= 1 + t + (2*t*t - v) + 5*t*(t*t-v)
	}
	for i := 0; i < 60; i++ {
		rest, slope := ((y-2*a)*y+k)*y-bb, (3*y-4*a)*y+k
		if num.Abs(rest)*a <= tol*tol*k*slope { // what is left is below rounding
			break
		}
		step := rest / slope
		y -= step
		if num.Abs(step)*a <= tol*k { // and here after this step
			break
		}
	}

	root := num.Sqrt(num.Larger(k-(2*a-y)*y, 0)) // p - q
	q := (y - a - root) / 2
	both := 1 / (root * q)
	s := b * (q * both)
	ss := s * s
	disc := ss - 4*(e*(root*both))
	outer, inner := num.Sqrt(ss-4*q)/2, num.Sqrt(num.Larger(disc, 0))/2
	s /= 2
	ev.L1, ev.L4 = mean-s-outer, mean-s+outer
	ev.L2, ev.L3 = mean+s-inner, mean+s+inner
	ev.Complex = disc < 0
}

// Fastest is max(|λ1|, |λ4|).
func (ev *Values[F]) Fastest() F { return num.Abs(ev.L1+ev.L4)/2 + (ev.L4-ev.L1)/2 }
