package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// lowerSlope is the WENO difference from below of fifth order along an axis, per cell (Jiang and Peng, SIAM J. Sci.
// Comput. 21, 2000).
func lowerSlope[F num.Float](f []F, c, s int) F {
	return weno(f[c-2*s]-f[c-3*s], f[c-s]-f[c-2*s], f[c]-f[c-s], f[c+s]-f[c], f[c+2*s]-f[c+s])
}

// upperSlope is the same from above.
func upperSlope[F num.Float](f []F, c, s int) F {
	return weno(f[c+3*s]-f[c+2*s], f[c+2*s]-f[c+s], f[c+s]-f[c], f[c]-f[c-s], f[c-s]-f[c-2*s])
}

// weno weighs three parabolas through five differences in a row, the third of which is the nearest one on the side
// that counts. What keeps weights finite goes with the square of the differences, so that units do not matter, and is
// 0 only where all are: then any weights do.
func weno[F num.Float](a, b, c, d, e F) F {
	most := num.Larger(num.Larger(num.Larger(a*a, b*b), num.Larger(c*c, d*d)), e*e)
	if most == 0 {
		return 0
	}
	scale := 1 / most
	const epsilon = 1e-6
	p := a - 2*b + c
	q := a - 4*b + 3*c
	s0 := (13./12*(p*p)+q*q/4)*scale + epsilon
	p = b - 2*c + d
	q = b - d
	s1 := (13./12*(p*p)+q*q/4)*scale + epsilon
	p = c - 2*d + e
	q = 3*c - 4*d + e
	s2 := (13./12*(p*p)+q*q/4)*scale + epsilon
	s0, s1, s2 = s0*s0, s1*s1, s2*s2
	w0, w1, w2 := s1*s2, 6*(s0*s2), 3*(s0*s1)
	v0 := (2*a - 7*b + 11*c) * w0
	v1 := (5*c - b + 2*d) * w1
	v2 := (2*c + 5*d - e) * w2
	return (v0 + v1 + v2) / (6 * (w0 + w1 + w2))
}

// Relaxation is what all stages of reinitialisation by φ_τ + S(φ₀)(|∇φ| - 1) = 0 have in common (Sussman, Smereka and
// Osher, J. Comput. Phys. 114, 1994). Next to the interface the subcell fix holds it in place (Russo and Smereka, J.
// Comput. Phys. 163, 2000).
//
//atoll:constant
type Relaxation[F num.Float] struct {
	Lattice Lattice[F]
	Step    F // in τ, of all stages
	Band    F // what φ is in size beyond the band
	Start   []F
}

// Limits counts what was limited.
type Limits struct {
	Flips int64 // changes of sign by reinitialisation that were refused
}

// Relax is a stage of RK3 for cells in the band and next to it: to = (1-share)·base + share·(from + Step·L(from)), but
// at most what is beyond the band. Elsewhere to stays. No cell changes its sign: where a lone particle has corrected
// what is beyond the band WENO overshoots, and in a thousand steps that grows to a quarter of the volume.
//
//atoll:kernel lanes
func Relax[F num.Float](i, j, k int, s *Relaxation[F], n *Limits, share F, base, from, to []F) {
	c := s.Lattice.at(i, j, k)
	start := s.Start[c]
	if s.nearest(c, start) >= s.Band {
		return
	}
	v := (1-share)*base[c] + share*(from[c]+s.Step*s.rate(from, c, start))
	if v*start < 0 {
		atomic.AddInt64(&n.Flips, 1)
		v = from[c]
	}
	to[c] = num.Larger(num.Smaller(v, s.Band), -s.Band)
}

// nearest is the least |φ| at the start, of a cell where it is start and of its neighbours. Where a lone particle has
// corrected what was beyond the band, the interface is at a neighbour. All are compared without branches: most cells
// are far from any interface.
func (s *Relaxation[F]) nearest(c int, start F) F {
	l := &s.Lattice
	least := num.Abs(start)
	least = num.Smaller(num.Abs(s.Start[c-1]), least)
	least = num.Smaller(num.Abs(s.Start[c+1]), least)
	least = num.Smaller(num.Abs(s.Start[c-l.SY]), least)
	least = num.Smaller(num.Abs(s.Start[c+l.SY]), least)
	if l.Dim == 3 {
		least = num.Smaller(num.Abs(s.Start[c-l.SZ]), least)
		least = num.Smaller(num.Abs(s.Start[c+l.SZ]), least)
	}
	return least
}

// rate returns L at a cell.
func (s *Relaxation[F]) rate(f []F, c int, start F) F {
	l := &s.Lattice
	if l.crossed(s.Start, c) {
		distance, sign := l.subcell(s.Start, c), F(1)
		if start < 0 {
			sign = -1
		}
		return (sign*distance - sign*num.Abs(f[c])) / l.Least
	}
	outside := start > 0
	sum := godunovSquare(f, c, 1, l.H[0], outside) + godunovSquare(f, c, l.SY, l.H[1], outside)
	if l.Dim == 3 {
		sum += godunovSquare(f, c, l.SZ, l.H[2], outside)
	}
	return -start / num.Sqrt(start*start+l.Least*l.Least) * (num.Sqrt(sum) - 1)
}

// godunovSquare returns the square of Godunov's upwind slope along an axis.
func godunovSquare[F num.Float](f []F, c, s int, h F, outside bool) F {
	a, b := lowerSlope(f, c, s)/h, upperSlope(f, c, s)/h
	if !outside {
		a, b = -a, -b
	}
	a, b = num.Larger(a, 0), num.Smaller(b, 0)
	return num.Larger(a*a, b*b)
}
