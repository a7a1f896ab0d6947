package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Sweeping is fast sweeping (Zhao, Math. Comput. 74, 2005) with simultaneous updates of all cells instead of eight
// orders, so that the result does not depend on order and blocks: each pass extends the first-order solution of |∇φ|
// = 1 by at least one cell, and values only decrease.
//
//atoll:constant
type Sweeping[F num.Float] struct {
	Lattice       Lattice[F]
	Bricks        Bricks
	Band          F    // |φ| where it is farther from the interface, or not known yet
	KeepDistances bool // cells next to the interface already hold their distance
}

// InitDistances sets the cells of brick t next to the interface to their distance from it, and all others to that of
// the band, in both arrays between which sweeps alternate, and sets Crossed if the brick has any of the first kind.
//
//atoll:kernel tile block=256
func InitDistances[F num.Float](t int, s *Sweeping[F], from, to, also []F, pieces *[brickPieces]int32,
	groups *[brickGroups]int32) {
	x, y, z := s.Bricks.corner(int32(t))
	for k := range int32(brickPieces) {
		crossed := s.initDistances(k, x, y, z, from, to, also)
		pieces[k] = crossed
	}
	for k := range int32(brickGroups) {
		groups[k] = combine(pieces[:], k, brickGroups, brickPieces/brickGroups)
	}
	for range 1 {
		s.Bricks.Crossed[t] = combine(groups[:], 0, 1, brickGroups)
	}
}

// initDistances does so for every brickPieces-th cell of a brick, starting with number k.
func (s *Sweeping[F]) initDistances(k, x, y, z int32, from, to, also []F) (crossed int32) {
	b := &s.Bricks
	for at := k; at < b.cells(); at += brickPieces {
		i, j, h := x+at%BrickSide, y+at/BrickSide%BrickSide, z+at/(BrickSide*BrickSide)
		if !b.has(i, j, h) {
			continue
		}
		c := s.Lattice.at(int(b.Lo[0]+i), int(b.Lo[1]+j), int(b.Lo[2]+h))
		v := from[c]
		distance := s.Band
		if s.Lattice.crossed(from, c) {
			crossed = 1
			distance = num.Abs(v)
			if !s.KeepDistances {
				distance = s.Lattice.subcell(from, c)
			}
			distance = num.Smaller(distance, s.Band)
		}
		if v < 0 {
			distance = -num.Larger(distance, s.Lattice.Least*0x1p-60) // not -0, which is outside
		}
		to[c] = distance
		also[c] = distance
	}
	return crossed
}

// crossed reports whether the interface crosses an edge from a cell's centre to a neighbour's. A centre on it is
// outside.
func (l *Lattice[F]) crossed(f []F, c int) bool {
	inside := f[c] < 0
	if (f[c-1] < 0) != inside || (f[c+1] < 0) != inside || (f[c-l.SY] < 0) != inside || (f[c+l.SY] < 0) != inside {
		return true
	}
	return l.Dim == 3 && ((f[c-l.SZ] < 0) != inside || (f[c+l.SZ] < 0) != inside)
}

// subcell is the distance of a cell's centre from the interface where that crosses an edge to a neighbour: its value
// over the slope there. That is a mean over the cell and its neighbours across the interface, with weights that are the
// same for both ends of an edge, so that the interface stays where it is (Hartmann, Meinke and Schröder, J. Comput.
// Phys. 227, 2008).
func (l *Lattice[F]) subcell(f []F, c int) F {
	v := num.Abs(f[c])
	if v == 0 {
		return 0
	}
	sum, weight := v/l.slope(f, c), v
	sum, weight = l.opposite(f, c, c-1, sum, weight)
	sum, weight = l.opposite(f, c, c+1, sum, weight)
	sum, weight = l.opposite(f, c, c-l.SY, sum, weight)
	sum, weight = l.opposite(f, c, c+l.SY, sum, weight)
	if l.Dim == 3 {
		sum, weight = l.opposite(f, c, c-l.SZ, sum, weight)
		sum, weight = l.opposite(f, c, c+l.SZ, sum, weight)
	}
	return v * (sum / weight)
}

// opposite adds neighbour n of cell c to the sums of a mean over the interface, if it is across.
func (l *Lattice[F]) opposite(f []F, c, n int, sum, weight F) (F, F) {
	if (f[n] < 0) != (f[c] < 0) && f[n] != 0 {
		sum, weight = sum+num.Abs(f[n])/l.slope(f, n), weight+num.Abs(f[n])
	}
	return sum, weight
}

// slope returns the slope of a level set at a cell next to the interface: the central or the steepest one-sided one
// (Russo and Smereka, J. Comput. Phys. 163, 2000, equation 13), so that thin bodies, which are steep on both sides,
// keep their thickness.
func (l *Lattice[F]) slope(f []F, c int) F {
	v := f[c]
	x, most := slopes(f, c, 1, l.H[0], v)
	y, steep := slopes(f, c, l.SY, l.H[1], v)
	most = num.Larger(most, steep)
	sum := x*x + y*y
	if l.Dim == 3 {
		z, steep := slopes(f, c, l.SZ, l.H[2], v)
		most = num.Larger(most, steep)
		sum += z * z
	}
	return num.Larger(num.Sqrt(sum), most)
}

// slopes returns the central and the steepest one-sided slope along an axis.
func slopes[F num.Float](f []F, c, s int, h, v F) (central, steepest F) {
	lower, upper := (v-f[c-s])/h, (f[c+s]-v)/h
	return (lower + upper) / 2, num.Larger(num.Abs(lower), num.Abs(upper))
}

// Sweep updates each cell of brick t to the least solution that its neighbours allow.
//
//atoll:kernel tile block=256
func Sweep[F num.Float](t int, s *Sweeping[F], from, to []F) {
	x, y, z := s.Bricks.corner(int32(t))
	for k := range s.Bricks.work(t) {
		i, j, h := x+k%BrickSide, y+k/BrickSide%BrickSide, z+k/(BrickSide*BrickSide)
		if s.Bricks.has(i, j, h) {
			c := s.Lattice.at(int(s.Bricks.Lo[0]+i), int(s.Bricks.Lo[1]+j), int(s.Bricks.Lo[2]+h))
			to[c] = s.solution(from, c)
		}
	}
}

// solution returns the least solution at a cell. Cells next to the interface keep theirs.
func (s *Sweeping[F]) solution(from []F, c int) F {
	l := &s.Lattice
	v := from[c]
	inside := v < 0
	x0, x1, y0, y1 := from[c-1], from[c+1], from[c-l.SY], from[c+l.SY]
	if (x0 < 0) != inside || (x1 < 0) != inside || (y0 < 0) != inside || (y1 < 0) != inside {
		return v
	}
	a := num.Smaller(num.Abs(x0), num.Abs(x1))
	b := num.Smaller(num.Abs(y0), num.Abs(y1))
	least := num.Smaller(a, b)
	d := s.Band
	if l.Dim == 3 {
		z0, z1 := from[c-l.SZ], from[c+l.SZ]
		if (z0 < 0) != inside || (z1 < 0) != inside {
			return v
		}
		d = num.Smaller(num.Abs(z0), num.Abs(z1))
		least = num.Smaller(least, d)
	}
	u := num.Abs(v)
	if least >= u {
		return v
	}
	u = num.Smaller(u, l.eikonal(a, b, d))
	if inside {
		u = -u
	}
	return u
}

// eikonal solves |∇φ| = 1 for a cell with the smaller neighbours a, b and d along the axes, using those that are
// below the solution.
func (l *Lattice[F]) eikonal(a, b, d F) F {
	h, p, q, r := l.H[0], l.Squares[0], l.Squares[1], l.Squares[2]
	if l.Dim == 2 {
		d = a + b + h + l.H[1] // beyond any solution
	}
	if b < a {
		a, b, h, p, q = b, a, l.H[1], q, p
	}
	if d < b {
		b, d, q, r = d, b, r, q
		if b < a {
			a, b, h, p, q = b, a, l.H[2], q, p
		}
	}
	u := a + h
	if u <= b {
		return u
	}
	// (u-a)²·p + (u-b)²·q = 1, about a.
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

// FillWall copies a boundary cell of the grid to a ghost: the gradient normal to the boundary is zero.
//
//atoll:kernel block=256
func FillWall[F num.Float](i int, from, to []int32, f []F) { f[to[i]] = f[from[i]] }
