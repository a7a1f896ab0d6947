// Package rough is the friction of a rough bed by Manning's law.
package rough

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Shallows is Manning's n where it depends on the depth of the water: N up to the depth Below, that of deep water from
// the depth Deep on, and linear in between. The zero value stands for water that is deep everywhere.
type Shallows[F num.Float] struct{ N, Below, Deep, _ F } // s/m^(1/3), m, m

// At returns Manning's n at a depth h in m, where that of deep water is deep.
func (s *Shallows[F]) At(deep, h F) F {
	if h >= s.Deep {
		return deep
	}
	if h <= s.Below {
		return s.N
	}
	return s.N + (deep-s.N)*((h-s.Below)/(s.Deep-s.Below))
}

// Rate returns the rate C |q| in 1/s by which the mass flow q, with components qx and qy in m²/s, of water of depth h
// decays: C = g n² / h^(7/3).
func Rate[F num.Float](gravity, n, h, qx, qy F) F {
	return gravity * n * n * num.Sqrt(qx*qx+qy*qy) / (h * h * CubeRoot(h))
}

// Factor returns that by which a mass flow decays over a time dt, implicitly: q + dt C |q| q equals what q was, whose
// Rate is rate.
func Factor[F num.Float](dt, rate F) F { return 2 / (1 + num.Sqrt(1+4*dt*rate)) }

// Share returns the share of a slope of the bed that the level of water takes at a transmissive boundary: twice the
// slope of friction, n² u²/h^(4/3), with u² given as square, but at most all of it. So uniform flow is exact, slower
// flow accelerates, faster flow slows down, and water at rest stays at rest.
func Share[F num.Float](n, h, square, slope F) F {
	friction := n * n * square / (h * CubeRoot(h))
	if 2*friction < slope {
		return 2 * friction / slope
	}
	return 1
}

// CubeRoot returns x^(1/3) for x > 0 by Newton's method from x^(5/16), which is within a factor of two of it for
// 1e-14 < x < 1e14. It stops when an iteration has no effect.
func CubeRoot[F num.Float](x F) F {
	fourth := num.Sqrt(num.Sqrt(x))
	y := fourth * num.Sqrt(num.Sqrt(fourth))
	for i := 0; i < 6; i++ {
		next := y - (y*y*y-x)/(3*y*y)
		if next == y {
			break
		}
		y = next
	}
	return y
}
