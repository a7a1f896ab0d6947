package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Methods of advection, each for the sweep along one axis.
const (
	// WeymouthYue is Eulerian, with the compression of the cell's state at the step's begin (J. Comput. Phys. 229, 2010).
	WeymouthYue int32 = iota
	// Eulerian is the implicit sweep of EI-LE (Scardovelli and Zaleski, Int. J. Numer. Meth. Fluids 41, 2003).
	Eulerian
	// Lagrangian is the explicit sweep that follows it.
	Lagrangian
)

// empty reports whether a cell is empty up to round-off: the volume fraction is at most tolerance.
func empty[F num.Float](f, tolerance F) bool { return f <= tolerance }

// full reports whether a cell is full up to round-off.
func full[F num.Float](f, tolerance F) bool { return f >= 1-tolerance }

// mixed reports whether a cell is neither empty nor full. It is true for a NaN, which must not be hidden.
func mixed[F num.Float](f, tolerance F) bool { return !(empty(f, tolerance) || full(f, tolerance)) }

// staysEmpty reports whether a sweep leaves the fraction f of a cell as it is, since the cell and its neighbours along
// the axis are empty up to round-off.
//
// The sweeps of EI-LE would multiply what round-off has left by 1/(1 - spread), and then by 1 + spread of the other
// axis, the product of which is 1. Leaving it changes the volume by less than the rounding of mixed cells does, and
// keeps the cells that an interface has passed idle, instead of all of them busy to the end.
func staysEmpty[F num.Float](f, below, above, tolerance F) bool {
	return empty(f, tolerance) && empty(below, tolerance) && empty(above, tolerance)
}

// staysFull reports whether a sweep leaves the fraction f of a cell as it is, since the cell and its neighbours along
// the axis are full: by Weymouth and Yue if the cell was more than half full when the step began.
func staysFull[F num.Float](f, below, above, tolerance F) bool {
	return full(f, tolerance) && full(below, tolerance) && full(above, tolerance)
}

// updated is the volume fraction after a sweep: lo and hi are the CFL numbers of the faces, in and out the fluid that
// passes them. Among full cells the result is the old value, to the last bit.
func updated[F num.Float](method int32, f, start, lo, hi, in, out F) F {
	gain := in - out
	spread := hi - lo
	switch method {
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

// pureFlux is the volume of fluid that passes a face upwards from an empty or full donor, as a part of the cell's
// volume. It also reports whether the donor is pure, that is empty or full (or the flux is 0): otherwise its plane is
// needed.
//
// The flux from a donor whose volume fraction is 0 or 1 up to round-off is that for exactly 0 or 1. The donor keeps the
// difference until the interface reaches it: if these differences were advected, each of their fluxes would cause
// another one, in more and more cells.
func pureFlux[F num.Float](cfl, donor, tolerance F) (flux F, pure bool) {
	if full(donor, tolerance) && cfl != 0 {
		flux = cfl
	}
	return flux, cfl == 0 || empty(donor, tolerance) || full(donor, tolerance)
}

// donorOf is the volume fraction of the donor of a face: the one of the cells below and above it from which fluid
// flows.
func donorOf[F num.Float](cfl, below, above F) F {
	donor := above
	if cfl > 0 {
		donor = below
	}
	return donor
}

// fluxes are the fluxes, or the CFL numbers, of a cell's lower face (in) and upper face (out).
type fluxes[F num.Float] struct{ in, out F }

// faceFlux is the flux through a face between two cells; inMixed is its value if the donor is mixed.
func faceFlux[F num.Float](cfl, below, above, inMixed, tolerance F) F {
	if flux, pure := pureFlux(cfl, donorOf(cfl, below, above), tolerance); pure {
		return flux
	}
	return inMixed
}

// fromMixed reports whether the donor of a face with the given CFL number is mixed; below and above tell it of the two
// cells. If the CFL number is NaN, the donor is the cell above, so that the NaN is not hidden.
func fromMixed[F num.Float](cfl F, below, above bool) bool {
	return cfl > 0 && below || !(cfl >= 0) && above
}

// stretched is the thickness of the layer that the Lagrangian sweep moves over a face, as a part of the donor, which
// the sweep has stretched: lo and hi are the CFL numbers of the donor's faces.
func stretched[F num.Float](thickness, lo, hi F) F { return thickness / (1 + (hi - lo)) }

// movedAlpha is the α of a donor's plane relative to the layer of the given thickness that is moved over the face;
// along is the normal's component along the axis.
func movedAlpha[F num.Float](cfl, thickness, along, alpha F) F {
	if cfl > 0 {
		return alpha - along*(1-thickness)
	}
	return alpha
}

// lineFlux is the flux from a mixed donor in the plane; along and across are its normal's components along the axis of
// the sweep and across it.
func lineFlux[F num.Float](cfl, thickness, along, across, alpha F) F {
	return cfl * geom.Area(along*thickness, across, movedAlpha(cfl, thickness, along, alpha))
}

// The functions below are for other solvers that advect volume fractions.

// FluxOfLine is the fluid that passes a face across an axis upwards from a mixed cell in the plane, as a fraction of
// the cell's volume. cfl is the CFL number of the face, and p the line of the donor.
func FluxOfLine[F num.Float](axis int32, cfl F, p *geom.Line[F]) F {
	along, across := p.X, p.Y
	if axis == 1 {
		along, across = across, along
	}
	return lineFlux(cfl, num.Abs(cfl), along, across, p.Alpha)
}

// FluxOfPlane is FluxOfLine in space.
func FluxOfPlane[F num.Float](axis int32, cfl F, p *geom.Plane[F]) F {
	along, a, b := p.X, p.Y, p.Z
	if axis == 1 {
		along, a = a, along
	} else if axis == 2 {
		along, b = b, along
	}
	t := num.Abs(cfl)
	return cfl * geom.Volume(along*t, a, b, movedAlpha(cfl, t, along, p.Alpha))
}

// AfterSweep is the volume fraction after a sweep of Weymouth and Yue: start is the fraction when the step began, lo
// and hi are the CFL numbers of the cell's faces, in and out the fluid that passes them.
func AfterSweep[F num.Float](f, start, lo, hi, in, out F) F {
	return updated(WeymouthYue, f, start, lo, hi, in, out)
}
