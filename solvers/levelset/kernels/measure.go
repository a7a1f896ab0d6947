package kernels

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Sampling measures cells by Points samples along each axis.
//
//atoll:constant
type Sampling[F num.Float] struct {
	Lattice Lattice[F]
	Points  int32
	Across  [2]int64 // cells of the grid along x and y, which number them
}

// Counts are of samples, and of particles.
type Counts struct {
	Inside    int64 // samples where the level set is negative
	Differ    int64 // where one of two level sets is
	Particles int64 // particles
	Escaped   int64 // of them
	Misplaced int64 // whose position belongs to another block
	Broken    int64 // of the first cell that is not finite: see BrokenCell
}

// CountInside counts the samples of cell (i, j, k) that are inside according to now, and those at which now and then
// differ.
//
//atoll:kernel
func CountInside[F num.Float](i, j, k int, s *Sampling[F], now, then []F, n *Counts) {
	l := &s.Lattice
	if v := now[l.at(i, j, k)]; v-v != 0 {
		atomics.Max(&n.Broken, encodeBroken(int64(i)+s.Across[0]*(int64(j)+s.Across[1]*int64(k)), v))
	}
	a, b := l.cellSide(now, i, j, k), l.cellSide(then, i, j, k)
	all := s.Points * s.Points
	if l.Dim == 3 {
		all *= s.Points
	}
	inside, differ := int32(0), int32(0)
	if a != 0 && b != 0 {
		if a < 0 {
			inside = all
		}
		if a != b {
			differ = all
		}
	} else {
		for at := range all {
			x, y, z := s.samplePosition(i, at%s.Points), s.samplePosition(j, at/s.Points%s.Points), F(0)
			if l.Dim == 3 {
				z = s.samplePosition(k, at/s.Points/s.Points)
			}
			in, was := a < 0, b < 0
			if a == 0 {
				in = l.value(now, x, y, z) < 0
			}
			if b == 0 {
				was = l.value(then, x, y, z) < 0
			}
			if in {
				inside++
			}
			if in != was {
				differ++
			}
		}
	}
	if inside > 0 {
		atomic.AddInt64(&n.Inside, int64(inside))
	}
	if differ > 0 {
		atomic.AddInt64(&n.Differ, int64(differ))
	}
}

// firstCell makes the word of the first cell that is not finite the largest.
const firstCell = 1 << 48

func encodeBroken[F num.Float](cell int64, v F) int64 {
	what := int64(0)
	if v > 0 {
		what = 1
	}
	if v < 0 {
		what = 2
	}
	return (firstCell-cell)*4 + what
}

// BrokenCell returns the first cell, by its number in the grid, that was found not finite, and its value: NaN or an
// infinity; -1 if there is none.
func BrokenCell(word int64) (cell int64, v float64) {
	switch {
	case word == 0:
		return -1, 0
	case word%4 == 0:
		return firstCell - word/4, math.NaN()
	}
	return firstCell - word/4, math.Inf(3 - 2*int(word%4))
}

// samplePosition returns the position of a sample of a cell along an axis.
func (s *Sampling[F]) samplePosition(cell int, at int32) F {
	return F(cell) + (F(at)+0.5)/F(s.Points) - 0.5
}

func (l *Lattice[F]) value(f []F, x, y, z F) F {
	i, fx := splitCoordinate(x)
	j, fy := splitCoordinate(y)
	k, fz := splitCoordinate(z)
	return l.linear(f, l.at(i, j, k), fx, fy, fz)
}

// cellSide returns -1 for a cell entirely inside, 1 for one entirely outside, and 0 otherwise: the interpolation
// between centres has their sign if they all agree.
func (l *Lattice[F]) cellSide(f []F, i, j, k int) int32 {
	deep := 1
	if l.Dim == 2 {
		deep = 0
	}
	negative, all := 0, 0
	for dk := -deep; dk <= deep; dk++ {
		for dj := -1; dj <= 1; dj++ {
			for di := -1; di <= 1; di++ {
				if f[l.at(i+di, j+dj, k+dk)] < 0 {
					negative++
				}
				all++
			}
		}
	}
	if negative == all {
		return -1
	}
	if negative == 0 {
		return 1
	}
	return 0
}

// SlopeError returns ||∇φ|-1| of cell (i, j, k) where |φ| is below near, by differences of first order toward the
// interface.
//
//atoll:kernel max
func SlopeError[F num.Float](i, j, k int, l *Lattice[F], near F, f []F) F {
	c := l.at(i, j, k)
	v := f[c]
	if !(num.Abs(v) < near) {
		return v - v // NaN stays
	}
	sum := upwindSlopeSquare(f, c, 1, l.H[0]) + upwindSlopeSquare(f, c, l.SY, l.H[1])
	if l.Dim == 3 {
		sum += upwindSlopeSquare(f, c, l.SZ, l.H[2])
	}
	return num.Abs(num.Sqrt(sum) - 1)
}

// upwindSlopeSquare is the square of the steepest slope toward the interface along an axis.
func upwindSlopeSquare[F num.Float](f []F, c, s int, h F) F {
	v, a, b := f[c], f[c-s], f[c+s]
	if v < 0 {
		v, a, b = -v, -a, -b
	}
	slope := (v - num.Smaller(a, b)) / h
	if slope < 0 {
		return 0
	}
	return slope * slope
}

// CountParticle counts particle i, and whether it has escaped, or belongs to another block.
//
//atoll:kernel
func CountParticle[F num.Float](i int, s *Correction[F], d *Domain, p []Particle[F], n *Counts) {
	q := p[i]
	if q.R == 0 {
		return
	}
	atomic.AddInt64(&n.Particles, 1)
	if _, where := locate(q, d); where != StaysInBlock {
		atomic.AddInt64(&n.Misplaced, 1)
		return
	}
	if s.escaped(q.R, s.phiAt(q)) {
		atomic.AddInt64(&n.Escaped, 1)
	}
}
