package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Sweeping is fast sweeping (Zhao, Math. Comput. 74, 2005) with all cells at a time in place of eight orders, so that
// the outcome depends on no order and no block: each pass brings the solution of |∇φ| = 1 of first order at least one
// cell further from the interface, and values only fall.
//
//atoll:constant
type Sweeping[F num.Float] struct {
	Lattice Lattice[F]
	Band    F    // |φ| where it is farther from the interface, or not known yet
	Keep    bool // cells next to the interface have their distance already
}

// Freeze gives cells next to the interface their distance from it, and all others that of the band.
//
//atoll:kernel
func Freeze[F num.Float](i, j, k int, s *Sweeping[F], from, to []F) {
	c := s.Lattice.at(i, j, k)
	v := from[c]
	distance, crossed := s.Lattice.subcell(from, c)
	if !crossed {
		distance = s.Band
	} else if s.Keep {
		distance = num.Abs(v)
	}
	distance = num.Smaller(distance, s.Band)
	if v < 0 {
		distance = -num.Larger(distance, s.Lattice.Least*0x1p-60) // not -0, which is outside
	}
	to[c] = distance
}

// subcell is the distance of a cell's centre from the interface where that crosses an edge to a neighbour: its value
// over its slope, the central one or the steepest to one side (Russo and Smereka, J. Comput. Phys. 163, 2000, equation
// 13): so the interface stays where it is, and thin bodies, which are steep to both sides, stay as thick as they are.
func (l *Lattice[F]) subcell(f []F, c int) (distance F, crossed bool) {
	v := f[c]
	x, most, crossed := slopes(f, c, 1, l.H[0], v)
	y, steep, also := slopes(f, c, l.SY, l.H[1], v)
	most, crossed = num.Larger(most, steep), crossed || also
	sum := x*x + y*y
	if l.Dim == 3 {
		z, steep, also := slopes(f, c, l.SZ, l.H[2], v)
		most, crossed = num.Larger(most, steep), crossed || also
		sum += z * z
	}
	if !crossed || v == 0 {
		return 0, crossed
	}
	return num.Abs(v) / num.Larger(num.Sqrt(sum), most), true
}

// slopes are the central one along an axis and the steepest to one side, and whether the interface crosses there. A
// centre on it is outside.
func slopes[F num.Float](f []F, c, s int, h, v F) (central, steepest F, crossed bool) {
	a, b := f[c-s], f[c+s]
	lower, upper := (v-a)/h, (b-v)/h
	crossed = (a < 0) != (v < 0) || (b < 0) != (v < 0)
	return (lower + upper) / 2, num.Larger(num.Abs(lower), num.Abs(upper)), crossed
}

// Sweep takes cell (i, j, k) to the least solution that its neighbours allow.
//
//atoll:kernel
func Sweep[F num.Float](i, j, k int, s *Sweeping[F], from, to []F) {
	l := &s.Lattice
	c := l.at(i, j, k)
	v := from[c]
	to[c] = v
	inside := v < 0
	x0, x1, y0, y1 := from[c-1], from[c+1], from[c-l.SY], from[c+l.SY]
	if (x0 < 0) != inside || (x1 < 0) != inside || (y0 < 0) != inside || (y1 < 0) != inside {
		return
	}
	a := num.Smaller(num.Abs(x0), num.Abs(x1))
	b := num.Smaller(num.Abs(y0), num.Abs(y1))
	least := num.Smaller(a, b)
	d := s.Band
	if l.Dim == 3 {
		z0, z1 := from[c-l.SZ], from[c+l.SZ]
		if (z0 < 0) != inside || (z1 < 0) != inside {
			return
		}
		d = num.Smaller(num.Abs(z0), num.Abs(z1))
		least = num.Smaller(least, d)
	}
	u := num.Abs(v)
	if least >= u {
		return
	}
	u = num.Smaller(u, l.eikonal(a, b, d))
	if inside {
		u = -u
	}
	to[c] = u
}

// eikonal solves |∇φ| = 1 for a cell of which the lesser neighbours along the axes are a, b and d, by as many of them
// as are below the solution.
func (l *Lattice[F]) eikonal(a, b, d F) F {
	p, q, r := l.H[0], l.H[1], l.H[2]
	if l.Dim == 2 {
		d = a + b + p + q // beyond any solution
	}
	if b < a {
		a, b, p, q = b, a, q, p
	}
	if d < b {
		b, d, q, r = d, b, r, q
		if b < a {
			a, b, p, q = b, a, q, p
		}
	}
	u := a + p
	if u <= b {
		return u
	}
	// (u-a)²/p² + (u-b)²/q² = 1, about a.
	p, q, r = 1/(p*p), 1/(q*q), 1/(r*r)
	b, d = b-a, d-a
	sum, mean := p+q, q*b
	rest := sum - p*q*(b*b)
	u = a + (mean+num.Sqrt(rest))/sum
	if u-a <= d {
		return u
	}
	rest += r - p*r*(d*d) - q*r*((b-d)*(b-d))
	sum += r
	mean += r * d
	return a + (mean+num.Sqrt(num.Larger(rest, 0)))/sum
}

// FillWall copies a cell at the boundary of the grid to one beyond it: nothing changes across the boundary.
//
//atoll:kernel block=256
func FillWall[F num.Float](i int, from, to []int32, f []F) { f[to[i]] = f[from[i]] }
