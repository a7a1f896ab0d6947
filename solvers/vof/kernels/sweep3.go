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
	DifferenceStep F    // of LVIRA: about the square root of the unit round-off
	RoundOff       F    // the tolerance within which cells count as pure, as in Sweep2
	F              []F
	Start          []F
	Out            []F
	U              []F // velocity through the faces
	Planes         []geom.Plane[F]
}

// Advance3 computes the volume fraction of cell (i, j, k) after a sweep of Weymouth and Yue, without clipping.
//
//atoll:kernel lanes
func Advance3[F num.Float](i, j, k int, s *Sweep3[F], clock *Clock[F]) {
	c := s.at(i, j, k)
	f, below, above := s.F[c], s.F[c-int(s.Stride)], s.F[c+int(s.Stride)]
	emptyStays := staysEmpty(f, below, above, s.RoundOff)
	fullStays := staysFull(f, below, above, s.RoundOff)
	fullStays = fullStays && s.Start[c] > 0.5
	after := f
	if !(emptyStays || fullStays) {
		after = s.advanced(c, clock.Courant[s.Axis], f, below, above)
	}
	s.Out[c] = after
}

// advanced returns the fraction of cell c after the sweep. f, below and above are those of the cell and of its two
// neighbours along the axis before it; q is Clock.Courant of the axis.
func (s *Sweep3[F]) advanced(c int, q, f, below, above F) F {
	lo, hi := s.U[c]*q, s.U[c+int(s.Stride)]*q
	in, inPure := pureFlux(lo, donorOf(lo, below, f), s.RoundOff)
	out, outPure := pureFlux(hi, donorOf(hi, f, above), s.RoundOff)
	if !(inPure && outPure) {
		v := s.mixedFluxes(c, fluxes[F]{lo, hi}, fluxes[F]{in, out}, inPure, outPure)
		in, out = v.in, v.out
	}
	return updated(WeymouthYue, f, s.Start[c], lo, hi, in, out)
}

// mixedFluxes are the fluxes of cell c if one of their donors is mixed, which is rare: v are those from pure donors.
//
//atoll:rare
func (s *Sweep3[F]) mixedFluxes(c int, cfl, v fluxes[F], inPure, outPure bool) fluxes[F] {
	if !inPure {
		v.in = s.mixedFlux(c, cfl.in)
	}
	if !outPure {
		v.out = s.mixedFlux(c+int(s.Stride), cfl.out)
	}
	return v
}

// mixedFlux returns the fluid that passes the lower face of cell c upwards from a mixed donor, as a fraction of the
// cell's volume.
func (s *Sweep3[F]) mixedFlux(c int, cfl F) F {
	donor := c
	if cfl > 0 {
		donor = c - int(s.Stride)
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

// plane returns the plane of a mixed cell.
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
		p := s.reconstruct(c)
		s.Planes[c] = p
	}
}

// PlaneOf3 returns, on the host, the plane of the mixed cell at index c of a field by a method.
func PlaneOf3[F num.Float](f []F, c int, l Lattice, way int32, difference F) geom.Plane[F] {
	s := Sweep3[F]{Lattice: l, Normal: way, DifferenceStep: difference, F: f}
	return s.reconstruct(c)
}
