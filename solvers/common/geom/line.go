package geom

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Area is the part of the unit square with mx·x + my·y ≤ alpha (Scardovelli and Zaleski, J. Comput. Phys. 164, 2000).
func Area[F num.Float](mx, my, alpha F) F {
	alpha -= num.Smaller(mx, 0) + num.Smaller(my, 0)
	m1, m2 := num.Abs(mx), num.Abs(my)
	if m1 > m2 {
		m1, m2 = m2, m1
	}
	sum := m1 + m2
	if sum < Faint {
		return num.Larger(0, num.Smaller(alpha, 1))
	}
	if alpha <= 0 {
		return 0
	}
	if alpha >= sum {
		return 1
	}
	a := num.Smaller(alpha, sum-alpha)
	var v F
	if a < m1 {
		v = (a / m1) * (a / m2) / 2
	} else {
		v = (a - m1/2) / m2
	}
	if 2*alpha > sum {
		return 1 - v
	}
	return v
}

// LineConstant is the alpha for which Area(mx, my, alpha) is f, 0 ≤ f ≤ 1.
func LineConstant[F num.Float](mx, my, f F) F {
	m1, m2 := num.Abs(mx), num.Abs(my)
	if m1 > m2 {
		m1, m2 = m2, m1
	}
	sum := m1 + m2
	if sum < Faint {
		return f
	}
	m1 /= sum
	m2 /= sum
	v := num.Smaller(f, 1-f)
	var a F
	if 2*m2*v < m1 {
		a = num.Sqrt(2 * m1 * m2 * v)
	} else {
		a = m2*v + m1/2
	}
	if f > 0.5 {
		a = 1 - a
	}
	return a*sum + num.Smaller(mx, 0) + num.Smaller(my, 0)
}

// Length is the length of the line in a cell with the sides hx and hy, in their unit.
func Length[F num.Float](p *Line[F], hx, hy F) F {
	alpha := p.Alpha - (num.Smaller(p.X, 0) + num.Smaller(p.Y, 0))
	m1, m2 := num.Abs(p.X), num.Abs(p.Y)
	if m1 > m2 {
		m1, m2 = m2, m1
		hx, hy = hy, hx
	}
	if m1+m2 < Faint {
		return 0
	}
	a := num.Smaller(alpha, m1+m2-alpha)
	if a <= 0 {
		return 0
	}
	dx := F(1) // the extent along the axis of m1
	if a < m1 {
		dx = a / m1
	}
	dx *= hx
	dy := dx / hx * (m1 / m2) * hy
	return num.Sqrt(dx*dx + dy*dy)
}
