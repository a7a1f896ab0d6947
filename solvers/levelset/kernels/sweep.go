package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Sweeping holds the parameters of fast sweeping (Zhao, Math. Comput. 74, 2005) with simultaneous updates of all
// cells instead of eight orders, so that the result does not depend on order and blocks: each pass extends the
// first-order solution of |∇φ| = 1 by at least one cell, and values only decrease.
//
//atoll:constant
type Sweeping[F num.Float] struct {
	Lattice       Lattice[F]
	Bricks        Bricks
	Band          F    // |φ| beyond the band, and where it is not known yet
	KeepDistances bool // cells next to the interface already hold their distance
}

// InitDistances sets the cells of brick t next to the interface to their distance from it, and all others to that
// of the band, in both arrays between which sweeps alternate, and sets HasInterface if the brick has any cell next to
// the interface.
//
//atoll:kernel tile block=256
func InitDistances[F num.Float](t int, s *Sweeping[F], from, first, second []F, pieces *[brickPieces]int32,
	groups *[brickGroups]int32) {
	x, y, z := s.Bricks.corner(int32(t))
	for k := range int32(brickPieces) {
		crossed := s.initDistances(k, x, y, z, from, first, second)
		pieces[k] = crossed
	}
	for k := range int32(brickGroups) {
		groups[k] = combine(pieces[:], k, brickGroups, brickPieces/brickGroups)
	}
	for range 1 {
		s.Bricks.HasInterface[t] = combine(groups[:], 0, 1, brickGroups)
	}
}

// initDistances sets every brickPieces-th cell of a brick, starting with cell k, and returns 1 if any is next to
// the interface.
func (s *Sweeping[F]) initDistances(k, x, y, z int32, from, first, second []F) (crossed int32) {
	b := &s.Bricks
	for number := k; number < b.cells(); number += brickPieces {
		i, j, h := x+number%BrickSide, y+number/BrickSide%BrickSide, z+number/(BrickSide*BrickSide)
		if !b.contains(i, j, h) {
			continue
		}
		c := s.Lattice.index(int(b.Lo[0]+i), int(b.Lo[1]+j), int(b.Lo[2]+h))
		v := from[c]
		distance := s.Band
		if s.Lattice.isBesideInterface(from, c) {
			crossed = 1
			distance = num.Abs(v)
			if !s.KeepDistances {
				distance = s.Lattice.subcellDistance(from, c)
			}
			distance = num.Smaller(distance, s.Band)
		}
		if v < 0 {
			distance = -num.Larger(distance, s.Lattice.MinSide*0x1p-60) // not -0, which is outside
		}
		first[c] = distance
		second[c] = distance
	}
	return crossed
}

// isBesideInterface reports whether the interface crosses an edge between a cell's centre and a neighbour's. A
// centre on the interface is outside.
func (l *Lattice[F]) isBesideInterface(f []F, c int) bool {
	inside := f[c] < 0
	if (f[c-1] < 0) != inside || (f[c+1] < 0) != inside || (f[c-l.SY] < 0) != inside || (f[c+l.SY] < 0) != inside {
		return true
	}
	return l.Dim == 3 && ((f[c-l.SZ] < 0) != inside || (f[c+l.SZ] < 0) != inside)
}

// subcellDistance returns the distance from the interface of the centre of a cell next to it: the value divided by
// the slope. The slope is a mean over the cell and its neighbours across the interface, with weights that are the
// same for both ends of an edge, so that the interface stays where it is (Hartmann, Meinke and Schröder, J. Comput.
// Phys. 227, 2008).
func (l *Lattice[F]) subcellDistance(f []F, c int) F {
	v := num.Abs(f[c])
	if v == 0 {
		return 0
	}
	sum, weight := v/l.slope(f, c), v
	sum, weight = l.addAcross(f, c, c-1, sum, weight)
	sum, weight = l.addAcross(f, c, c+1, sum, weight)
	sum, weight = l.addAcross(f, c, c-l.SY, sum, weight)
	sum, weight = l.addAcross(f, c, c+l.SY, sum, weight)
	if l.Dim == 3 {
		sum, weight = l.addAcross(f, c, c-l.SZ, sum, weight)
		sum, weight = l.addAcross(f, c, c+l.SZ, sum, weight)
	}
	return v * (sum / weight)
}

// addAcross adds neighbour n of cell c to the sums of a mean, if it is on the other side of the interface.
func (l *Lattice[F]) addAcross(f []F, c, n int, sum, weight F) (F, F) {
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
	x, steepest := axisSlopes(f, c, 1, l.H[0], v)
	y, steep := axisSlopes(f, c, l.SY, l.H[1], v)
	steepest = num.Larger(steepest, steep)
	sum := x*x + y*y
	if l.Dim == 3 {
		z, steep := axisSlopes(f, c, l.SZ, l.H[2], v)
		steepest = num.Larger(steepest, steep)
		sum += z * z
	}
	return num.Larger(num.Sqrt(sum), steepest)
}

// axisSlopes returns the central slope and the steepest one-sided one along an axis.
func axisSlopes[F num.Float](f []F, c, s int, h, v F) (central, steepest F) {
	lower, upper := (v-f[c-s])/h, (f[c+s]-v)/h
	return (lower + upper) / 2, num.Larger(num.Abs(lower), num.Abs(upper))
}

// Sweep updates each cell of brick t to the smallest |φ| that follows from its neighbours.
//
//atoll:kernel tile block=256
func Sweep[F num.Float](t int, s *Sweeping[F], from, to []F) {
	x, y, z := s.Bricks.corner(int32(t))
	for k := range s.Bricks.activeCells(t) {
		i, j, h := x+k%BrickSide, y+k/BrickSide%BrickSide, z+k/(BrickSide*BrickSide)
		if s.Bricks.contains(i, j, h) {
			c := s.Lattice.index(int(s.Bricks.Lo[0]+i), int(s.Bricks.Lo[1]+j), int(s.Bricks.Lo[2]+h))
			to[c] = s.solution(from, c)
		}
	}
}

// solution returns φ at a cell with the smallest |φ| that follows from its neighbours. Cells next to the interface
// keep their value.
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
	nearest := num.Smaller(a, b)
	d := s.Band
	if l.Dim == 3 {
		z0, z1 := from[c-l.SZ], from[c+l.SZ]
		if (z0 < 0) != inside || (z1 < 0) != inside {
			return v
		}
		d = num.Smaller(num.Abs(z0), num.Abs(z1))
		nearest = num.Smaller(nearest, d)
	}
	u := num.Abs(v)
	if nearest >= u {
		return v
	}
	u = num.Smaller(u, l.eikonal(a, b, d))
	if inside {
		u = -u
	}
	return u
}

// eikonal solves |∇φ| = 1 for a cell whose smaller neighbours along the axes are a, b and d, using those that are
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
	// The equation is (u-a)²·p + (u-b)²·q = 1; from here b and d are relative to a.
	b, d = b-a, d-a
	weights, weighted := p+q, q*b
	discriminant := weights - p*q*(b*b)
	u = a + (weighted+num.Sqrt(discriminant))/weights
	if u-a <= d {
		return u
	}
	discriminant += r - p*r*(d*d) - q*r*((b-d)*(b-d))
	weights += r
	weighted += r * d
	return a + (weighted+num.Sqrt(num.Larger(discriminant, 0)))/weights
}

// FillWall copies a boundary cell of the grid to a ghost: the gradient normal to the boundary is zero.
//
//atoll:kernel block=256
func FillWall[F num.Float](i int, from, to []int32, f []F) { f[to[i]] = f[from[i]] }
