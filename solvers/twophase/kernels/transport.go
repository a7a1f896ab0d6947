package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	vof "github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Sweep is the transport of the volume fraction along an axis (Weymouth and Yue, J. Comput. Phys. 229, 2010).
//
//atoll:constant
type Sweep[F num.Float] struct {
	Lattice
	Fluids       Fluids[F]
	Axis, Stride int32
	F            []F // volume fraction before the sweep
	Start        []F // at the beginning of the step
	U            []F // velocity along the axis at the beginning of the step
	Lines        []geom.Line[F]
	Planes       []geom.Plane[F]
	Volume, Mass []F // of the first fluid, and of both, that passes the lower face of each cell, per volume of a cell
	Out          []F // volume fraction after the sweep
}

// Flux computes the volume of the first fluid and the mass that pass the lower face of a cell.
//
//atoll:kernel lanes
func Flux[F num.Float](i, j, k int, s *Sweep[F], clock *Clock[F]) {
	c := s.at(i, j, k)
	cfl := s.U[c] * clock.PerCell
	if s.Rings {
		cfl *= area[F](&s.Lattice, s.Axis, i)
	}
	donor := s.F[c]
	if cfl > 0 {
		donor = s.F[c-int(s.Stride)]
	}
	volume := F(0)
	if donor >= 1 {
		volume = cfl
	}
	if cfl != 0 && !(donor <= 0 || donor >= 1) {
		volume = s.fromMixed(c, i, cfl)
	}
	s.Volume[c] = volume
	s.Mass[c] = s.Fluids.Density*cfl + s.Fluids.DensityStep*volume
}

// fromMixed is the volume from a mixed donor.
//
//atoll:rare
func (s *Sweep[F]) fromMixed(c, i int, cfl F) F {
	donor := c
	if cfl > 0 {
		donor = c - int(s.Stride)
	}
	if s.Dim == 2 {
		p := s.Lines[donor]
		if s.Rings {
			return s.fromRing(&p, i, cfl)
		}
		return vof.FluxOfLine(s.Axis, cfl, &p)
	}
	p := s.Planes[donor]
	return vof.FluxOfPlane(s.Axis, cfl, &p)
}

// fromRing is the volume from a mixed donor in axisymmetric flow: that below the line in the part of the donor which
// leaves it, so that no cell loses more than it has.
func (s *Sweep[F]) fromRing(p *geom.Line[F], i int, volume F) F {
	size := num.Abs(volume)
	inner := F(i + int(s.Inner)) // of the donor; before, of the face across x
	b := geom.Box[F]{X0: 0, X1: 1, Y0: 0, Y1: 1}
	if s.Axis == 1 {
		b.Y1 = size / (inner + 0.5)
		if volume > 0 {
			b.Y0 = 1 - b.Y1
			b.Y1 = 1
		}
	} else if volume > 0 { // inner² - (inner - x)² = 2·size
		b.X0 = 1 - 2*size/(inner+num.Sqrt(num.Larger(0, inner*inner-2*size)))
		inner -= 1
	} else {
		b.X1 = 2 * size / (inner + num.Sqrt(inner*inner+2*size))
	}
	v := num.Smaller(size, geom.RingVolume(p.X, p.Y, p.Alpha, inner, b))
	if volume < 0 {
		v = -v
	}
	return v
}

// FitRings moves the lines of mixed cells in axisymmetric flow: so far the area below them is the volume fraction.
//
//atoll:kernel grain=256
func FitRings[F num.Float](i, j, k int, l *Lattice, f []F, lines []geom.Line[F]) {
	c := l.at(i, j, k)
	v := f[c]
	if v > 0 && v < 1 {
		p := lines[c]
		p.Alpha = geom.RingConstant(p.X, p.Y, v, F(i+int(l.Inner)))
		lines[c] = p
	}
}

// Enter is Flux, after it, for faces in a side through which fluid of a given fraction enters, toward higher
// coordinates with a sign of 1: the fraction is that of the ghost, in which no plane is.
//
//atoll:kernel
func Enter[F num.Float](i, j, k int, s *Sweep[F], sign F, clock *Clock[F]) {
	c := s.at(i, j, k)
	cfl := s.U[c] * clock.PerCell
	if s.Rings {
		cfl *= area[F](&s.Lattice, s.Axis, i)
	}
	if cfl*sign > 0 {
		donor := s.F[c]
		if sign > 0 {
			donor = s.F[c-int(s.Stride)]
		}
		s.Volume[c] = donor * cfl
		s.Mass[c] = s.Fluids.Density*cfl + s.Fluids.DensityStep*s.Volume[c]
	}
}

// Advance computes the volume fraction of a cell after a sweep.
//
//atoll:kernel lanes
func Advance[F num.Float](i, j, k int, s *Sweep[F], clock *Clock[F]) {
	c := s.at(i, j, k)
	up := c + int(s.Stride)
	lo, hi := s.U[c]*clock.PerCell, s.U[up]*clock.PerCell
	in, out := s.Volume[c], s.Volume[up]
	if s.Rings { // rounded as in Flux, so that pure cells stay pure
		r, next := radius[F](&s.Lattice, i), i
		if s.Axis == 0 {
			next++
		}
		lo = lo * area[F](&s.Lattice, s.Axis, i) / r
		hi = hi * area[F](&s.Lattice, s.Axis, next) / r
		in /= r
		out /= r
	}
	s.Out[c] = vof.AfterSweep(s.F[c], s.Start[c], lo, hi, in, out)
}

// Momentum is the transport of the momentum of one velocity component along an axis, by the mass that Flux has found.
//
// The mass of a face's volume is the mean of those of its two cells, and so are the fluxes of its mass: the mean of
// the cells' mass equations is exactly its own. Hence a velocity that is the same everywhere stays so, and with upwind
// values every new velocity is an average of old ones, at any ratio of densities.
//
//atoll:constant
type Momentum[F num.Float] struct {
	Lattice
	Fluids        Fluids[F]
	Along, Across int32 // strides along the axis of the sweep, and along that of the component
	Before, After []F   // volume fraction before and after the sweep
	Start         []F   // at the beginning of the step
	Mass          []F   // that passes lower faces along the axis
	U             []F   // velocity along the axis at the beginning of the step
	Begun         []F   // the component at the beginning of the step
	V, Out        []F   // the component before and after the sweep
	LooksAhead    bool
	Ahead         []F // change of the component by forces in half a step: see LookAhead
}

// Carry computes the velocity of a face after a sweep.
//
//atoll:kernel lanes
func Carry[F num.Float](i, j, k int, m *Momentum[F], clock *Clock[F]) {
	c := m.at(i, j, k)
	s, below := int(m.Along), c-int(m.Across)
	lower, upper := m.flux(c, clock.PerCell), m.flux(c+s, clock.PerCell)
	before := m.Fluids.mass(&m.Lattice, m.Across == 1, i, m.Before[below], m.Before[c])
	after := m.Fluids.mass(&m.Lattice, m.Across == 1, i, m.After[below], m.After[c])
	own, other := m.U[c+s]-m.U[c], m.U[below+s]-m.U[below]
	if m.Rings {
		own = m.spreadOfRing(c, i)
		other = own
		if m.Across == 1 {
			other = m.spreadOfRing(below, i-1)
		} else {
			other = m.spreadOfRing(below, i)
		}
	}
	spread := m.pure(below)*other + m.pure(c)*own
	spread *= 0.5 * clock.PerCell
	m.Out[c] = (before*m.V[c] - (upper - lower) + spread*m.Begun[c]) / after
}

// spreadOfRing is what leaves a ring along the axis of the sweep, by the velocity at the beginning of the step.
func (m *Momentum[F]) spreadOfRing(c, i int) F {
	s, r := int(m.Along), radius[F](&m.Lattice, i)
	if s == 1 {
		return m.U[c+s]*(r+0.5) - m.U[c]*(r-0.5)
	}
	return (m.U[c+s] - m.U[c]) * r
}

// pure is the density of the fluid of which a cell had more when the step began.
func (m *Momentum[F]) pure(c int) F {
	f := F(0)
	if m.Start[c] > 0.5 {
		f = 1
	}
	return m.Fluids.density(f)
}

// flux is the momentum that passes the lower face, along the axis, of the volume of face c: its mass times the
// velocity of the donor half a step later, with a slope limited by van Leer's function. Without the forces of that
// half step a steady flow has an error of first order in the step; of fluids of different densities they are left out,
// since the acceleration of a light fluid must not move a heavy one.
func (m *Momentum[F]) flux(c int, perCell F) F {
	s, below := int(m.Along), c-int(m.Across)
	mass := 0.5 * (m.Mass[below] + m.Mass[c])
	part := 0.5 * (1 - 0.5*num.Abs(m.U[below]+m.U[c])*perCell)
	v0, v1, v2, v3 := m.V[c-2*s], m.V[c-s], m.V[c], m.V[c+s]
	value := v1 + part*vanLeer(v1-v0, v2-v1)
	if mass < 0 {
		value = v2 - part*vanLeer(v3-v2, v2-v1)
	}
	if m.LooksAhead {
		ahead := m.Ahead[c-s]
		if mass < 0 {
			ahead = m.Ahead[c]
		}
		value += ahead
	}
	return mass * value
}

// vanLeer is the harmonic mean of two differences of the same sign, otherwise 0.
func vanLeer[F num.Float](a, b F) F {
	v := F(0)
	if a*b > 0 {
		v = 2 * a * b / (a + b)
	}
	return v
}

// Clipped is the volume that Clip has added or removed, in units of 2^-60 of a cell.
type Clipped struct{ Amount int64 }

// Clip makes cells empty or full that are so up to round-off.
//
//atoll:kernel
func Clip[F num.Float](i, j, k int, l *Lattice, roundOff F, f []F, clipped *Clipped) {
	c := l.at(i, j, k)
	v := f[c]
	to := v
	if v < roundOff {
		to = 0
	} else if v > 1-roundOff {
		to = 1
	}
	if to != v && v > -1 && v < 2 {
		f[c] = to
		atomic.AddInt64(&clipped.Amount, int64(float64(num.Abs(v-to))*0x1p60))
	}
}

// Pass adds the volume of the first fluid that passes a face to sum[n], in units of 2^-40 of a cell, or of 1/part
// cells.
//
//atoll:kernel
func Pass[F num.Float](i, j, k int, l *Lattice, n int, part float64, volume []F, sum []int64) {
	v := float64(volume[l.at(i, j, k)]) * part
	if v > -1 && v < 1 {
		atomic.AddInt64(&sum[n], int64(v*0x1p40))
	}
}
