package geom

import "github.com/atoll-hpc/atoll/solvers/common/num"

// In axisymmetric flow a cell is a ring: its lower face along x has the radius inner, in lengths of a cell, and a
// point at ξ counts with the radius inner + ξ_x. Volumes are per radian.

// Box is a part of the unit square.
type Box[F num.Float] struct{ X0, X1, Y0, Y1 F }

// RingVolume is the volume of the part of a box with mx·x + my·y ≤ alpha. Along the axis across which the line is more,
// lengths are piecewise linear, so that the integrand is piecewise quadratic, for which Simpson's rule is exact.
// Nothing is divided by the smaller component of the normal except where the pieces meet.
func RingVolume[F num.Float](mx, my, alpha, inner F, b Box[F]) F {
	x, y := num.Abs(mx), num.Abs(my)
	if x+y < Faint {
		return num.Larger(0, num.Smaller(alpha, 1)) * (b.X1 - b.X0) * (b.Y1 - b.Y0) * (inner + 0.5*(b.X0+b.X1))
	}
	if y >= x {
		first, last := crossings(alpha-my*b.Y0, alpha-my*b.Y1, mx, b.X0, b.X1)
		return overX(mx, my, alpha, inner, b.X0, first, b) + overX(mx, my, alpha, inner, first, last, b) +
			overX(mx, my, alpha, inner, last, b.X1, b)
	}
	first, last := crossings(alpha-mx*b.X0, alpha-mx*b.X1, my, b.Y0, b.Y1)
	return overY(mx, my, alpha, inner, b.Y0, first, b) + overY(mx, my, alpha, inner, first, last, b) +
		overY(mx, my, alpha, inner, last, b.Y1, b)
}

// crossings are the ascending points a/m and b/m, moved into a range.
func crossings[F num.Float](a, b, m, from, to F) (first, last F) {
	if num.Abs(m) < Faint {
		return from, from
	}
	first = num.Smaller(to, num.Larger(from, a/m))
	last = num.Smaller(to, num.Larger(from, b/m))
	if first > last {
		first, last = last, first
	}
	return first, last
}

// overX integrates over x from a to b.
func overX[F num.Float](mx, my, alpha, inner, a, b F, box Box[F]) F {
	middle := 0.5 * (a + b)
	sum := columnAt(mx, my, alpha, inner, a, box) + 4*columnAt(mx, my, alpha, inner, middle, box) +
		columnAt(mx, my, alpha, inner, b, box)
	return (b - a) * sum / 6
}

func columnAt[F num.Float](mx, my, alpha, inner, x F, b Box[F]) F {
	end := num.Smaller(b.Y1, num.Larger(b.Y0, (alpha-mx*x)/my))
	length := end - b.Y0
	if my < 0 {
		length = b.Y1 - end
	}
	return (inner + x) * length
}

// overY integrates over y from a to b.
func overY[F num.Float](mx, my, alpha, inner, a, b F, box Box[F]) F {
	middle := 0.5 * (a + b)
	sum := rowAt(mx, my, alpha, inner, a, box) + 4*rowAt(mx, my, alpha, inner, middle, box) +
		rowAt(mx, my, alpha, inner, b, box)
	return (b - a) * sum / 6
}

func rowAt[F num.Float](mx, my, alpha, inner, y F, b Box[F]) F {
	end := num.Smaller(b.X1, num.Larger(b.X0, (alpha-my*y)/mx))
	from, to := b.X0, end
	if mx < 0 {
		from, to = end, b.X1
	}
	return (to - from) * (inner + 0.5*(from+to))
}

// RingShare is the part of a ring with mx·x + my·y ≤ alpha.
func RingShare[F num.Float](mx, my, alpha, inner F) F {
	return RingVolume(mx, my, alpha, inner, Box[F]{0, 1, 0, 1}) / (inner + 0.5)
}

// mostRingSteps is the largest number of steps with which RingConstant looks for a line. Three to six suffice away
// from the axis.
const mostRingSteps = 40

// RingConstant is the alpha for which RingShare(mx, my, alpha, inner) is f, 0 ≤ f ≤ 1: by the method of false position
// (of Illinois) for the area below the line.
func RingConstant[F num.Float](mx, my, f, inner F) F {
	alpha := LineConstant(mx, my, f)
	if num.Abs(mx)+num.Abs(my) < Faint || f <= 0 || f >= 1 {
		return alpha
	}
	lo, hi, below, above := F(0), F(1), -f, 1-f // area, and what the share is more than f
	least := F(1e-15)
	if lo+1+least == 1 { // float32
		least = 1e-7
	}
	side := 0
	area := f
	for range mostRingSteps {
		alpha = LineConstant(mx, my, area)
		v := RingShare(mx, my, alpha, inner) - f
		if num.Abs(v) <= least*f {
			break
		}
		if v < 0 {
			lo = area
			below = v
			if side < 0 {
				above /= 2
			}
			side = -1
		} else {
			hi = area
			above = v
			if side > 0 {
				below /= 2
			}
			side = 1
		}
		next := lo + (hi-lo)*(below/(below-above))
		if !(next > lo && next < hi) || next == area {
			break
		}
		area = next
	}
	return alpha
}

// RingSection is the area, per radian, of the surface that the line of a ring makes, in units of a square's area.
func RingSection[F num.Float](p *Line[F], inner F) F {
	x, y := num.Abs(p.X), num.Abs(p.Y)
	if x+y < Faint {
		return 0
	}
	if y >= x {
		first, last := crossings(p.Alpha, p.Alpha-p.Y, p.X, 0, 1)
		if x < Faint {
			last = 1
		}
		slope := x / y
		return (last - first) * (inner + 0.5*(first+last)) * num.Sqrt(1+slope*slope)
	}
	first, last := crossings(p.Alpha, p.Alpha-p.X, p.Y, 0, 1)
	if y < Faint {
		last = 1
	}
	slope := y / x
	middle := (p.Alpha - p.Y*0.5*(first+last)) / p.X
	return (last - first) * (inner + middle) * num.Sqrt(1+slope*slope)
}
