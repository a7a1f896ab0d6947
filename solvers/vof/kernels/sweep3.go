package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Sweep3 is a sweep in three dimensions. It is like [Sweep2] without EI-LE, which is conservative in two dimensions
// only.
//
//atoll:constant
type Sweep3[F num.Float] struct {
	Lattice
	Axis           int32 // 0, 1 or 2
	Stride         int32 // from cell to cell along the axis
	Normal         int32
	Stored         bool // planes are read from Planes, not found from F: it must be set for ELVIRA and LVIRA
	DifferenceStep F    // of LVIRA: the root of the precision
	RoundOff       F    // the tolerance within which cells count as pure, as in Sweep2
	F              []F
	Start          []F
	Out            []F
	U              []F // velocity through the faces
	Planes         []geom.Plane[F]
}

// Advance3 takes cell (i, j, k) through a sweep of Weymouth and Yue. Nothing is clipped.
//
//atoll:kernel lanes
func Advance3[F num.Float](i, j, k int, s *Sweep3[F], clock *Clock[F]) {
	c := s.at(i, j, k)
	f, below, above := s.F[c], s.F[c-int(s.Stride)], s.F[c+int(s.Stride)]
	if staysEmpty(WeymouthYue, f, below, above, s.RoundOff) ||
		staysFull(WeymouthYue, f, below, above, s.RoundOff) && s.Start[c] > 0.5 {
		s.Out[c] = f
		return
	}
	s.advance(c, clock)
}

func (s *Sweep3[F]) advance(c int, clock *Clock[F]) {
	q := clock.Courant[s.Axis]
	above := c + int(s.Stride)
	lo, hi := s.U[c]*q, s.U[above]*q
	in := s.flux(c, q)
	out := s.flux(above, q)
	s.Out[c] = updated(WeymouthYue, s.F[c], s.Start[c], lo, hi, in, out)
}

// flux returns the fluid that passes the lower face of cell c upwards, as a fraction of the cell's volume.
func (s *Sweep3[F]) flux(c int, q F) F {
	cfl := s.U[c] * q
	donor := c
	if cfl > 0 {
		donor = c - int(s.Stride)
	}
	if flux, pure := pureFlux(cfl, s.F[donor], s.RoundOff); pure {
		return flux
	}
	p := s.plane(donor)
	along, a, b := p.X, p.Y, p.Z
	if s.Axis == 1 {
		along, a = a, along
	} else if s.Axis == 2 {
		along, b = b, along
	}
	t := num.Abs(cfl)
	return cfl * geom.Volume(along*t, a, b, movedAlpha(cfl, t, along, p.Alpha))
}

// plane returns the plane of a mixed cell, which is rare.
//
//atoll:rare
func (s *Sweep3[F]) plane(c int) geom.Plane[F] {
	if s.Stored {
		return s.Planes[c]
	}
	mx, my, mz := simple3(s.F, c, int(s.SY), int(s.SZ), s.Normal)
	return geom.Plane[F]{X: mx, Y: my, Z: mz, Alpha: geom.PlaneConstant(mx, my, mz, s.F[c])}
}

// reconstruct computes the plane of a mixed cell.
//
//atoll:rare
func (s *Sweep3[F]) reconstruct(c int) geom.Plane[F] {
	mx, my, mz := normal3(s.F, c, int(s.SY), int(s.SZ), s.Normal, s.DifferenceStep)
	return geom.Plane[F]{X: mx, Y: my, Z: mz, Alpha: geom.PlaneConstant(mx, my, mz, s.F[c])}
}

// Reconstruct3 computes the plane of cell (i, j, k) if it is mixed. Other cells keep their value in Planes.
//
//atoll:kernel lanes
func Reconstruct3[F num.Float](i, j, k int, s *Sweep3[F]) {
	c := s.at(i, j, k)
	if mixed(s.F[c], s.RoundOff) {
		s.Planes[c] = s.reconstruct(c)
	}
}

// PlaneOf3 returns, on the host, the plane of the mixed cell at index c of a field by a method.
func PlaneOf3[F num.Float](f []F, c int, l Lattice, way int32, difference F) geom.Plane[F] {
	s := Sweep3[F]{Lattice: l, Normal: way, DifferenceStep: difference, F: f}
	return s.reconstruct(c)
}
