package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Clock has the data of a step: for each axis, Courant = dt/h times the time factor of the velocity. The velocity
// through a face times Courant is the signed CFL number of the face.
type Clock[F num.Float] struct{ Courant [3]F }

// Sweep2 is a sweep in the plane. A face has the index of the cell above it along the axis.
//
// Out is F after the sweep. Start is the field at the beginning of the step, and may alias Out: only its own cell is
// read. F is read up to two cells away along the axis and one across; with Heights, up to four along and three across.
//
//atoll:constant
type Sweep2[F num.Float] struct {
	Lattice
	Axis           int32 // 0 or 1
	Stride         int32 // from cell to cell along the axis
	Method         int32 // of advection: WeymouthYue, Eulerian or Lagrangian
	Normal         int32
	Stored         bool // planes are read from Planes, not found from F: it must be set for ELVIRA and LVIRA
	DifferenceStep F    // of LVIRA: about the square root of the unit round-off
	RoundOff       F    // the tolerance within which cells count as pure: see pureFlux
	F              []F
	Start          []F
	Out            []F
	U              []F // velocity through the faces
	Planes         []geom.Line[F]
}

// Advance2 computes the volume fraction of cell (i, j) after a sweep. Values are never clipped: the fluid that leaves
// one cell enters the next.
//
//atoll:kernel lanes
func Advance2[F num.Float](i, j int, s *Sweep2[F], clock *Clock[F]) {
	c := s.at(i, j, 0)
	f, below, above := s.F[c], s.F[c-int(s.Stride)], s.F[c+int(s.Stride)]
	emptyStays := staysEmpty(f, below, above, s.RoundOff)
	fullStays := staysFull(f, below, above, s.RoundOff)
	fullStays = fullStays && (s.Method != WeymouthYue || s.Start[c] > 0.5)
	after := f
	if !(emptyStays || fullStays) {
		after = s.advanced(c, clock.Courant[s.Axis], f, below, above)
	}
	s.Out[c] = after
}

// advanced returns the fraction of cell c after the sweep. f, below and above are those of the cell and of its two
// neighbours along the axis before it; q is Clock.Courant of the axis.
func (s *Sweep2[F]) advanced(c int, q, f, below, above F) F {
	lo, hi := s.U[c]*q, s.U[c+int(s.Stride)]*q
	in, inPure := pureFlux(lo, donorOf(lo, below, f), s.RoundOff)
	out, outPure := pureFlux(hi, donorOf(hi, f, above), s.RoundOff)
	if !(inPure && outPure) {
		v := s.mixedFluxes(c, q, fluxes[F]{lo, hi}, fluxes[F]{in, out}, inPure, outPure)
		in, out = v.in, v.out
	}
	return updated(s.Method, f, s.Start[c], lo, hi, in, out)
}

// mixedFluxes are the fluxes of cell c if one of their donors is mixed, which is rare: v are those from pure donors.
//
//atoll:rare
func (s *Sweep2[F]) mixedFluxes(c int, q F, cfl, v fluxes[F], inPure, outPure bool) fluxes[F] {
	if !inPure {
		v.in = s.mixedFlux(c, q, cfl.in)
	}
	if !outPure {
		v.out = s.mixedFlux(c+int(s.Stride), q, cfl.out)
	}
	return v
}

// mixedFlux returns the fluid that passes the lower face of cell c upwards from a mixed donor, as a fraction of the
// cell's volume.
func (s *Sweep2[F]) mixedFlux(c int, q, cfl F) F {
	step := int(s.Stride)
	donor := c
	if cfl > 0 {
		donor = c - step
	}
	t := num.Abs(cfl)
	if s.Method == Lagrangian {
		t = stretched(t, s.U[donor]*q, s.U[donor+step]*q)
	}
	p := s.plane(donor)
	along, across := p.X, p.Y
	if s.Axis == 1 {
		along, across = across, along
	}
	return lineFlux(cfl, t, along, across, p.Alpha)
}

// plane returns the plane of a mixed cell.
func (s *Sweep2[F]) plane(c int) geom.Line[F] {
	if s.Stored {
		return s.Planes[c]
	}
	mx, my := simple2(s.F, c, int(s.SY), s.Normal)
	return geom.Line[F]{X: mx, Y: my, Alpha: geom.LineConstant(mx, my, s.F[c])}
}

// reconstruct computes the plane of a mixed cell.
//
//atoll:rare
func (s *Sweep2[F]) reconstruct(c int) geom.Line[F] {
	mx, my := normal2(s.F, c, int(s.SY), s.Normal, s.DifferenceStep)
	return geom.Line[F]{X: mx, Y: my, Alpha: geom.LineConstant(mx, my, s.F[c])}
}

// Reconstruct2 computes the plane of cell (i, j) if it is mixed. Other cells keep their value in Planes.
//
//atoll:kernel lanes
func Reconstruct2[F num.Float](i, j int, s *Sweep2[F]) {
	c := s.at(i, j, 0)
	if mixed(s.F[c], s.RoundOff) {
		p := s.reconstruct(c)
		s.Planes[c] = p
	}
}

// PlaneOf2 returns, on the host, the plane of the mixed cell at index c of a field by a method.
func PlaneOf2[F num.Float](f []F, c int, l Lattice, way int32, difference F) geom.Line[F] {
	s := Sweep2[F]{Lattice: l, Normal: way, DifferenceStep: difference, F: f}
	return s.reconstruct(c)
}
