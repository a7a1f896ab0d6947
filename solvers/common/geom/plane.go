package geom

import "github.com/atoll-hpc/atoll/solvers/common/num"

// sorted3 returns the magnitudes of a normal in ascending order, divided by their sum.
func sorted3[F num.Float](mx, my, mz F) (m1, m2, m3, sum F) {
	m1, m2, m3 = num.Abs(mx), num.Abs(my), num.Abs(mz)
	if m1 > m2 {
		m1, m2 = m2, m1
	}
	if m2 > m3 {
		m2, m3 = m3, m2
	}
	if m1 > m2 {
		m1, m2 = m2, m1
	}
	sum = m1 + m2 + m3
	if sum < Faint {
		return 0, 0, 0, 0
	}
	return m1 / sum, m2 / sum, m3 / sum, sum
}

// excess is m1 m2 + m1 m3 + m2 m3 - 1/4, without cancellation, for sorted m of sum 1 and delta = (m1 + m2 - m3)/2. It
// appears in the fourth case of Scardovelli and Zaleski with m3 < m1 + m2, where the plane cuts the cube in a hexagon.
func excess[F num.Float](m1, delta F) F { return m1*(0.5-m1) + delta*(m1-delta) }

// Volume is the part of the unit cube with m·x ≤ alpha (Scardovelli and Zaleski, J. Comput. Phys. 164, 2000). The third
// and fourth of their cases are written as the linear case and a correction, so that nothing cancels where a component
// of m is nearly zero.
func Volume[F num.Float](mx, my, mz, alpha F) F {
	n := SortNormal(mx, my, mz)
	return n.Volume(alpha)
}

// SortedNormal is a normal prepared for many volumes: its components in ascending order, divided by their sum.
// low is the sum of its negative components: the least alpha of a non-empty volume.
type SortedNormal[F num.Float] struct{ m1, m2, m3, sum, low F }

// SortNormal prepares a normal.
func SortNormal[F num.Float](mx, my, mz F) SortedNormal[F] {
	m1, m2, m3, sum := sorted3(mx, my, mz)
	return SortedNormal[F]{m1, m2, m3, sum, num.Smaller(mx, 0) + num.Smaller(my, 0) + num.Smaller(mz, 0)}
}

// Volume returns the same bits as the function Volume for the normal that was prepared.
func (n *SortedNormal[F]) Volume(alpha F) F {
	alpha -= n.low
	if n.sum == 0 {
		return num.Larger(0, num.Smaller(alpha, 1))
	}
	alpha /= n.sum
	if alpha <= 0 {
		return 0
	}
	if alpha >= 1 {
		return 1
	}
	v := lowVolume(n.m1, n.m2, n.m3, num.Smaller(alpha, 1-alpha))
	if alpha > 0.5 {
		return 1 - v
	}
	return v
}

// lowVolume is Volume for sorted m of sum 1 and alpha = a, 0 < a ≤ 1/2.
func lowVolume[F num.Float](m1, m2, m3, a F) F {
	m12 := m1 + m2
	switch {
	case a >= m12:
		return (a - m12/2) / m3
	case a < m1:
		return (a / m1) * (a / m2) * (a / m3) / 6
	case a < m2:
		return (a/m2*(a-m1) + m1/m2*m1/3) / (2 * m3)
	case a < m3:
		t := m12 - a
		return (a-m12/2)/m3 + (t/m1)*(t/m2)*(t/m3)/6
	}
	s := 0.5 - a
	return 0.5 - s*(excess(m1, (m12-m3)/2)-s*s/3)/(m1*m2*m3)
}

// PlaneConstant is the alpha for which Volume(mx, my, mz, alpha) is f, 0 ≤ f ≤ 1. The cases are in the order of Lehmann
// and Gekle (Computation 10, 2022): the linear one first.
func PlaneConstant[F num.Float](mx, my, mz, f F) F {
	m1, m2, m3, sum := sorted3(mx, my, mz)
	if sum == 0 {
		return f
	}
	a := lowConstant(m1, m2, m3, num.Smaller(f, 1-f))
	if f > 0.5 {
		a = 1 - a
	}
	return a*sum + num.Smaller(mx, 0) + num.Smaller(my, 0) + num.Smaller(mz, 0)
}

// lowConstant is the inverse of lowVolume: the alpha of the volume v, for sorted m of sum 1 and 0 ≤ v ≤ 1/2.
//
// In the third and fourth case of Scardovelli and Zaleski (alpha above m2, not in the linear case) alpha is a root of a
// cubic equation, which they solve by trigonometric functions. The equations have the form r = 1 + κ r³, with r near 1
// and κ at most 0.116, and three steps of Newton's method solve them to round-off. x, which is twice the
// distance of alpha from where the linear case begins, if this case were valid, decides between the cases.
func lowConstant[F num.Float](m1, m2, m3, v F) F {
	m12 := m1 + m2
	x := m12 - 2*m3*v
	if x <= 0 {
		return m3*v + m12/2
	}
	if x > m1*(2-m1/(3*m2)) { // below m2
		w := v - m1/m2*m1/(6*m3)
		if w >= 0 {
			return (m1 + num.Sqrt(m1*m1+8*m2*m3*w)) / 2
		}
		return cubeRoot(6 * m1 * m2 * m3 * v)
	}
	if m3 < m12 {
		delta := (m12 - m3) / 2
		p := excess(m1, delta)
		w := (0.5 - v) * (m1 * m2 * m3)
		if w <= delta*(p-delta*delta/3) { // above m3
			s := w / p
			return 0.5 - s*ratio(s*s/(3*p))
		}
	}
	return m12 - x/2*ratio(x/m1*(x/m2)/24)
}

// ratio solves r = 1 + κ r³ near 1, 0 ≤ κ ≤ 0.116. The first estimate is within 0.003 of the root.
func ratio[F num.Float](kappa F) F {
	r := 1 + kappa + 3*kappa*kappa/(1-4.4*kappa)
	for range 3 {
		q := kappa * r * r
		r = (1 - 2*q*r) / (1 - 3*q)
	}
	return r
}

// cubeRoot returns the cube root of 0 ≤ y ≤ 1. y is scaled to [1/8, 1) by powers of two, which is exact.
func cubeRoot[F num.Float](y F) F {
	if y <= 0 {
		return 0
	}
	scale := F(1)
	for y < 1.0/(1<<30) {
		y *= 1 << 30
		scale /= 1 << 10
	}
	for y < 1.0/(1<<9) {
		y *= 1 << 9
		scale /= 1 << 3
	}
	for y < 1.0/8 {
		y *= 8
		scale /= 2
	}
	r := 0.377 + y*(1.062-0.442*y) // within 0.02
	for range 2 {                  // by Halley
		q := r * r * r
		r -= r * (q - y) / (2*q + y)
	}
	return scale * r
}

// Section is the area of the plane in a cell with the sides hx, hy and hz, in the square of their unit. It is the
// derivative of Volume with respect to α, times the length of the vector (m_d/h_d) and the cell's volume.
func Section[F num.Float](p *Plane[F], hx, hy, hz F) F {
	m1, m2, m3, sum := sorted3(p.X, p.Y, p.Z)
	if sum == 0 {
		return 0
	}
	a := (p.Alpha - (num.Smaller(p.X, 0) + num.Smaller(p.Y, 0) + num.Smaller(p.Z, 0))) / sum
	a = num.Smaller(a, 1-a)
	if a <= 0 {
		return 0
	}
	m12 := m1 + m2
	slope := 1 / m3
	switch {
	case a >= m12:
	case a < m1:
		slope = (a / m1) * (a / m2) / (2 * m3)
	case a < m2:
		slope = (2*a - m1) / m2 / (2 * m3)
	case a < m3:
		t := m12 - a
		slope -= (t / m1) * (t / m2) / (2 * m3)
	default:
		s := 0.5 - a
		slope = (excess(m1, (m12-m3)/2) - s*s) / (m1 * m2 * m3)
	}
	x, y, z := p.X/sum/hx, p.Y/sum/hy, p.Z/sum/hz
	return slope * num.Sqrt(x*x+y*y+z*z) * hx * hy * hz
}
