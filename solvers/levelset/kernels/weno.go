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

// upperSlope is the WENO difference from above.
func upperSlope[F num.Float](f []F, c, s int) F {
	return weno(f[c+3*s]-f[c+2*s], f[c+2*s]-f[c+s], f[c+s]-f[c], f[c]-f[c-s], f[c-s]-f[c-2*s])
}

// weno returns the weighted mean of three parabolas through five differences in a row, the third of which is next
// to the cell on the upwind side. The term that keeps the weights finite is proportional to the square of the
// differences, so that the unit of length does not matter. It is 0 only where all differences are.
func weno[F num.Float](a, b, c, d, e F) F {
	largestSquare := num.Larger(num.Larger(num.Larger(a*a, b*b), num.Larger(c*c, d*d)), e*e)
	if largestSquare == 0 {
		return 0
	}
	scale := 1 / largestSquare
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

// Relaxation holds the parameters of reinitialisation by φ_τ + S(φ₀)(|∇φ| - 1) = 0 (Sussman, Smereka and Osher, J.
// Comput. Phys. 114, 1994). Next to the interface the subcell fix holds it in place (Russo and Smereka, J. Comput.
// Phys. 163, 2000).
//
//atoll:constant
type Relaxation[F num.Float] struct {
	Lattice Lattice[F]
	Step    F // length of a step in τ
	Band    F // |φ| beyond the band
	Start   []F
}

// Limits counts the changes that reinitialisation prevented.
type Limits struct {
	Flips int64 // changes of sign
}

// Relax is a stage of a Runge-Kutta method for cells in the band and next to it: to = (1-weight)·base + weight·(from +
// Step·L(from)), limited to |φ| beyond the band. Other cells of `to` are not changed. No cell changes its sign:
// where a lone particle has corrected a cell beyond the band, WENO overshoots, and in a thousand steps the error
// would grow to a quarter of the volume.
//
//atoll:kernel lanes
func Relax[F num.Float](i, j, k int, s *Relaxation[F], n *Limits, weight F, base, from, to []F) {
	c := s.Lattice.index(i, j, k)
	start := s.Start[c]
	if s.minDistance(c, start) >= s.Band {
		return
	}
	v := (1-weight)*base[c] + weight*(from[c]+s.Step*s.rate(from, c, start))
	if v*start < 0 {
		atomic.AddInt64(&n.Flips, 1)
		v = from[c]
	}
	to[c] = num.Larger(num.Smaller(v, s.Band), -s.Band)
}

// minDistance returns the smallest |φ₀| of a cell, where φ₀ is start, and of its neighbours: where a lone particle
// has corrected a cell beyond the band, the interface is at a neighbour. There are no branches, since most cells
// are far from any interface.
func (s *Relaxation[F]) minDistance(c int, start F) F {
	l := &s.Lattice
	nearest := num.Abs(start)
	nearest = num.Smaller(num.Abs(s.Start[c-1]), nearest)
	nearest = num.Smaller(num.Abs(s.Start[c+1]), nearest)
	nearest = num.Smaller(num.Abs(s.Start[c-l.SY]), nearest)
	nearest = num.Smaller(num.Abs(s.Start[c+l.SY]), nearest)
	if l.Dim == 3 {
		nearest = num.Smaller(num.Abs(s.Start[c-l.SZ]), nearest)
		nearest = num.Smaller(num.Abs(s.Start[c+l.SZ]), nearest)
	}
	return nearest
}

// rate returns L, the rate of change of φ in τ, at a cell.
func (s *Relaxation[F]) rate(f []F, c int, start F) F {
	l := &s.Lattice
	if l.isBesideInterface(s.Start, c) {
		distance, sign := l.subcellDistance(s.Start, c), F(1)
		if start < 0 {
			sign = -1
		}
		return (sign*distance - sign*num.Abs(f[c])) / l.MinSide
	}
	outside := start > 0
	sum := godunovSquare(f, c, 1, l.H[0], outside) + godunovSquare(f, c, l.SY, l.H[1], outside)
	if l.Dim == 3 {
		sum += godunovSquare(f, c, l.SZ, l.H[2], outside)
	}
	return -start / num.Sqrt(start*start+l.MinSide*l.MinSide) * (num.Sqrt(sum) - 1)
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
