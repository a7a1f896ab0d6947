package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Sampling holds the parameters of measuring cells by samples.
//
//atoll:constant
type Sampling[F num.Float] struct {
	Lattice   Lattice[F]
	Points    int32    // samples of a cell along each axis
	GridCells [2]int64 // cells of the grid along x and y, for numbering cells
}

// Counts are numbers of samples and of particles.
type Counts struct {
	Inside    int64 // samples where the level set is negative
	Differ    int64 // samples where only one of two level sets is negative
	Particles int64 // particles
	Escaped   int64 // those that have escaped
	Misplaced int64 // those whose position belongs to another block
	Broken    int64 // code of the first cell that is not finite, see exact.FirstBroken; 0 if there is none
}

// cellCounts are the Counts of a cell.
type cellCounts struct {
	Inside int64 `reduce:"count"`
	Differ int64 `reduce:"count"`
	Broken int64 `reduce:"max"`
}

// countInside counts the samples of cell (i, j, k) that are inside in the level set now, and those that are inside
// in only one of now and start.
//
//atoll:reduce CountInside Counts
func countInside[F num.Float](i, j, k int, s *Sampling[F], now, start []F) (c cellCounts) {
	l := &s.Lattice
	c.Broken = exact.Broken(int64(i)+s.GridCells[0]*(int64(j)+s.GridCells[1]*int64(k)), float64(now[l.index(i, j, k)]))
	sideNow, sideAtStart := l.cellSide(now, i, j, k), l.cellSide(start, i, j, k)
	total := s.Points * s.Points
	if l.Dim == 3 {
		total *= s.Points
	}
	insideCount, differing := int32(0), int32(0)
	if sideNow != 0 && sideAtStart != 0 {
		if sideNow < 0 {
			insideCount = total
		}
		if sideNow != sideAtStart {
			differing = total
		}
	} else {
		for sample := range total {
			x, y, z := s.samplePosition(i, sample%s.Points), s.samplePosition(j, sample/s.Points%s.Points), F(0)
			if l.Dim == 3 {
				z = s.samplePosition(k, sample/s.Points/s.Points)
			}
			insideNow, insideAtStart := sideNow < 0, sideAtStart < 0
			if sideNow == 0 {
				insideNow = l.valueAt(now, x, y, z) < 0
			}
			if sideAtStart == 0 {
				insideAtStart = l.valueAt(start, x, y, z) < 0
			}
			if insideNow {
				insideCount++
			}
			if insideNow != insideAtStart {
				differing++
			}
		}
	}
	c.Inside, c.Differ = int64(insideCount), int64(differing)
	return c
}

// samplePosition returns the position along an axis of a sample of a cell.
func (s *Sampling[F]) samplePosition(cell int, sample int32) F {
	return F(cell) + (F(sample)+0.5)/F(s.Points) - 0.5
}

// valueAt interpolates f at a position.
func (l *Lattice[F]) valueAt(f []F, x, y, z F) F {
	i, fx := splitCoordinate(x)
	j, fy := splitCoordinate(y)
	k, fz := splitCoordinate(z)
	return l.interpolate(f, l.index(i, j, k), fx, fy, fz)
}

// cellSide returns -1 for a cell entirely inside, 1 for one entirely outside, and 0 otherwise: the interpolation
// between centres has their sign if they all agree.
func (l *Lattice[F]) cellSide(f []F, i, j, k int) int32 {
	layers := 1
	if l.Dim == 2 {
		layers = 0
	}
	negative, all := 0, 0
	for dk := -layers; dk <= layers; dk++ {
		for dj := -1; dj <= 1; dj++ {
			for di := -1; di <= 1; di++ {
				if f[l.index(i+di, j+dj, k+dk)] < 0 {
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

// SlopeError returns ||∇φ|-1| of cell (i, j, k) if |φ| is below limit, by differences of first order toward the
// interface; otherwise 0.
//
//atoll:kernel max
func SlopeError[F num.Float](i, j, k int, l *Lattice[F], limit F, f []F) F {
	c := l.index(i, j, k)
	v := f[c]
	if !(num.Abs(v) < limit) {
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

// particleCounts are the Counts of a particle.
type particleCounts struct {
	Particles int64 `reduce:"count"`
	Escaped   int64 `reduce:"count"`
	Misplaced int64 `reduce:"count"`
}

// countParticle counts particle i, and whether it has escaped, or belongs to another block.
//
//atoll:reduce CountParticles Counts
func countParticle[F num.Float](i int, s *Correction[F], d *Domain, p []Particle[F]) (c particleCounts) {
	q := p[i]
	if q.R == 0 {
		return c
	}
	c.Particles = 1
	if _, destination := locate(q, d); destination != StaysInBlock {
		c.Misplaced = 1
	} else if s.escaped(q.R, s.phiAt(q)) {
		c.Escaped = 1
	}
	return c
}
