package kernels

// Kinds of sweeps along one axis.
const (
	// WeymouthYue is Eulerian, with the compression of the cell's state at the step's begin (J. Comput. Phys. 229, 2010).
	WeymouthYue int32 = iota
	// Eulerian is the implicit sweep of EI-LE (Scardovelli and Zaleski, Int. J. Numer. Meth. Fluids 41, 2003).
	Eulerian
	// Lagrangian is the explicit sweep that follows it.
	Lagrangian
)

// Clock is what changes from step to step: velocity times Courant is the signed CFL number of a face by axis, that is
// Courant = dt/h, times the factor of a velocity that varies in time.
type Clock[F Float] struct{ Courant [3]F }

// Sweep2 is a sweep in the plane. A face has the index of the cell above it along the axis.
//
// Out is F after the sweep. Start is the field at the beginning of the step, and may be Out itself: only its own cell
// is read. Neighbours of F are read two cells far along the axis and one across, four with Heights.
//
//atoll:constant
type Sweep2[F Float] struct {
	Lattice
	Axis   int32 // 0 or 1
	Stride int32 // from cell to cell along the axis
	Kind   int32
	Normal int32
	Stored bool // planes are read from Planes, not found from F: it must be set for ELVIRA and LVIRA
	Nudge  F    // the step of LVIRA's differences: the root of the precision
	Dust   F    // cells this near to 0 or 1 count as pure: see flux
	F      []F
	Start  []F
	Out    []F
	U      []F // velocity through the faces
	Planes []Plane2[F]
}

// Advance2 takes cell (i, j) through a sweep. Nothing is clipped: what leaves one cell enters the next.
//
//atoll:kernel
func Advance2[F Float](i, j int, s *Sweep2[F], clock *Clock[F]) {
	c := s.at(i, j, 0)
	f, below, above := s.F[c], s.F[c-int(s.Stride)], s.F[c+int(s.Stride)]
	// What follows is what advance comes to here, without its work.
	if f <= s.Dust && below <= s.Dust && above <= s.Dust && (s.Kind == WeymouthYue || f == 0) {
		s.Out[c] = f
		return
	}
	full := 1 - s.Dust
	if f >= full && below >= full && above >= full && (s.Kind == WeymouthYue && s.Start[c] > 0.5 ||
		s.Kind != WeymouthYue && f == 1) {
		s.Out[c] = f
		return
	}
	s.advance(c, clock)
}

func (s *Sweep2[F]) advance(c int, clock *Clock[F]) {
	q := clock.Courant[s.Axis]
	above := c + int(s.Stride)
	lo, hi := s.U[c]*q, s.U[above]*q
	in := s.flux(c, q)
	out := s.flux(above, q)
	s.Out[c] = updated(s.Kind, s.F[c], s.Start[c], lo, hi, in, out)
}

// updated is the volume fraction after a sweep: lo and hi are the CFL numbers of the faces, in and out the fluid that
// passes them. In full surroundings all is as before, to the last bit.
func updated[F Float](kind int32, f, start, lo, hi, in, out F) F {
	gain := in - out
	spread := hi - lo
	switch kind {
	case Eulerian:
		return (f + gain) / (1 - spread)
	case Lagrangian:
		return f + (f*spread + gain)
	}
	if start > 0.5 {
		gain += spread
	}
	return f + gain
}

// flux is the fluid that passes the lower face of cell c upwards, as a part of the cell's volume.
//
// A donor whose volume fraction is 0 or 1 but for rounding passes nothing, or fluid alone. What is there stays until
// the interface comes by: if such dust moved, each of its fluxes would leave some more behind, in more and more cells.
func (s *Sweep2[F]) flux(c int, q F) F {
	step := int(s.Stride)
	cfl := s.U[c] * q
	if cfl == 0 {
		return 0
	}
	donor := c
	if cfl > 0 {
		donor = c - step
	}
	f := s.F[donor]
	if f <= s.Dust {
		return 0
	}
	if f >= 1-s.Dust {
		return cfl
	}
	t := abs(cfl) // the layer of the donor that is swept over the face
	if s.Kind == Lagrangian {
		t /= 1 + (s.U[donor+step]*q - s.U[donor]*q)
	}
	p := s.plane(donor)
	along, across := p.X, p.Y
	if s.Axis == 1 {
		along, across = across, along
	}
	alpha := p.Alpha
	if cfl > 0 {
		alpha -= along * (1 - t)
	}
	return cfl * Area(along*t, across, alpha)
}

func (s *Sweep2[F]) plane(c int) Plane2[F] {
	if s.Stored {
		return s.Planes[c]
	}
	mx, my := simple2(s.F, c, int(s.SY), s.Normal)
	return Plane2[F]{X: mx, Y: my, Alpha: LineConstant(mx, my, s.F[c])}
}

func (s *Sweep2[F]) found(c int) Plane2[F] {
	mx, my := normal2(s.F, c, int(s.SY), s.Normal, s.Nudge)
	return Plane2[F]{X: mx, Y: my, Alpha: LineConstant(mx, my, s.F[c])}
}

// Reconstruct2 finds the plane of cell (i, j) if it is mixed. Other cells keep what Planes has.
//
//atoll:kernel
func Reconstruct2[F Float](i, j int, s *Sweep2[F]) {
	c := s.at(i, j, 0)
	if f := s.F[c]; f > s.Dust && f < 1-s.Dust {
		s.Planes[c] = s.found(c)
	}
}

// PlaneOf2 is the plane of the mixed cell at place c of a field, found in the given way, on the host.
func PlaneOf2[F Float](f []F, c int, l Lattice, way int32, nudge F) Plane2[F] {
	s := Sweep2[F]{Lattice: l, Normal: way, Nudge: nudge, F: f}
	return s.found(c)
}
