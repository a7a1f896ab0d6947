// Package okada computes by how much the ground moves when rock slips along a rectangle in it.
//
// Source: Y. Okada, "Surface deformation due to shear and tensile faults in a half-space", Bull. Seism. Soc. Am. 75,
// 1985, 1135-1154. The rock is an elastic half-space, homogeneous and isotropic, under a plane surface.
package okada

import (
	"math"

	"github.com/atoll-hpc/atoll/internal/portable"
)

// Fault is a rectangle that slips. Angles are in degrees, by the convention of K. Aki and P. G. Richards: looking along
// the strike, which is clockwise from the north, the plane dips to the right; rake is the direction in which the rock
// above the plane moves, counterclockwise from the strike: 90 is a thrust, -90 a normal fault, 0 left-lateral.
type Fault struct {
	X, Y              float64 // of its centre, m to the east and to the north
	Depth             float64 // of its centre under the surface, m
	Length, Width     float64 // along the strike, and down the dip, m
	Strike, Dip, Rake float64
	Slip              float64 // m
	Poisson           float64 // Poisson's ratio of the rock
}

// Top returns the depth of the upper edge in m. It is not below 0: formulas hold for faults in the ground.
func (f *Fault) Top() float64 { return f.Depth - f.Width/2*math.Sin(f.Dip*math.Pi/180) }

// vertical is the cosine of the dip below which a plane counts as vertical: the general formulas divide differences by
// it, and those of the limit are wrong by about as much.
const vertical = 1e-5

// Source is a fault prepared for many positions.
type Source struct {
	x, y, length, width float64
	depth               float64 // of the lower edge
	along               [2]float64
	sin, cos            float64 // of the dip; cos is 0 if the plane is vertical
	strike, dip         float64 // slip along the strike and up the dip
	mu                  float64 // μ/(λ+μ) = 1 - 2ν
}

// New prepares a fault.
func New(f *Fault) *Source {
	const degree = math.Pi / 180
	s := &Source{x: f.X, y: f.Y, length: f.Length, width: f.Width, along: [2]float64{math.Sin(f.Strike * degree),
		math.Cos(f.Strike * degree)}, sin: math.Sin(f.Dip * degree), cos: math.Cos(f.Dip * degree),
		strike: f.Slip * math.Cos(f.Rake*degree), dip: f.Slip * math.Sin(f.Rake*degree), mu: 1 - 2*f.Poisson}
	if math.Abs(s.cos) < vertical {
		s.sin, s.cos = math.Copysign(1, s.sin), 0
	}
	s.depth = f.Depth + s.width/2*s.sin
	return s
}

// At returns the displacement of the surface at a position, in m to the east, to the north, and up.
func (s *Source) At(x, y float64) (east, north, up float64) {
	x, y = x-s.x, y-s.y
	// In the paper x is along the strike from one end of the fault, and y to the left of it, from above the lower edge.
	u := s.inFrame(x*s.along[0]+y*s.along[1]+s.length/2, y*s.along[0]-x*s.along[1]+s.width/2*s.cos)
	return u[0]*s.along[0] - u[1]*s.along[1], u[0]*s.along[1] + u[1]*s.along[0], u[2]
}

// inFrame returns the displacement in the paper's coordinates, by Chinnery's notation (24),
//
//	f(ξ,η)‖ = f(x, p) - f(x, p-W) - f(x-L, p) + f(x-L, p-W),
//
// with p and q of (30).
func (s *Source) inFrame(x, y float64) (u [3]float64) {
	p, q := y*s.cos+s.depth*s.sin, y*s.sin-s.depth*s.cos
	for k, corner := range [4][2]float64{{x, p}, {x, p - s.width}, {x - s.length, p}, {x - s.length, p - s.width}} {
		sign := -1 / (2 * math.Pi)
		if k == 1 || k == 2 {
			sign = -sign
		}
		alongStrike, upDip := s.corner(corner[0], corner[1], q)
		for i := range u {
			u[i] += sign * (s.strike*alongStrike[i] + s.dip*upDip[i])
		}
	}
	return u
}

// corner returns the expressions in brackets of (25) for slip along the strike, and of (26) for slip up the dip. Where
// these are not defined it follows the paper: a term with R+η, or R+ξ, as divisor is 0 where that is, and so is the
// arctangent at q = 0; ln(R+η) becomes -ln(R-η).
func (s *Source) corner(xi, eta, q float64) (strike, dip [3]float64) {
	sin, cos := s.sin, s.cos
	yTilde, dTilde := eta*cos+q*sin, eta*sin-q*cos
	r := math.Sqrt(xi*xi + eta*eta + q*q)
	if r+dTilde <= 0 {
		return strike, dip // the corner is at this position of the surface, where the displacement has no limit
	}
	byEta, logEta := reciprocal(r, eta, xi*xi+q*q), 0.
	if byEta > 0 {
		logEta = -portable.Log(byEta)
	} else {
		logEta = -portable.Log(r - eta)
	}
	byXi := reciprocal(r, xi, eta*eta+q*q)
	angle := 0.
	if q != 0 {
		angle = math.Atan(xi * eta / (q * r))
	}
	i := s.integrals(xi, eta, q, r, yTilde, dTilde, logEta)
	strike = [3]float64{
		xi*q/r*byEta + angle + i[1]*sin,
		yTilde*q/r*byEta + q*cos*byEta + i[2]*sin,
		dTilde*q/r*byEta + q*sin*byEta + i[4]*sin,
	}
	dip = [3]float64{
		q/r - i[3]*sin*cos,
		yTilde*q/r*byXi + cos*angle - i[1]*sin*cos,
		dTilde*q/r*byXi + sin*angle - i[5]*sin*cos,
	}
	return strike, dip
}

// reciprocal returns 1/(r+a) for r = √(a²+rest), without cancellation, or 0 where r+a is 0.
func reciprocal(r, a, rest float64) float64 {
	switch {
	case a > 0:
		return 1 / (r + a)
	case rest == 0:
		return 0
	}
	return (r - a) / rest
}

// integrals returns I₁ to I₅ of (28), or of (29) for a vertical plane; the first element has no meaning.
func (s *Source) integrals(xi, eta, q, r, yTilde, dTilde, logEta float64) (i [6]float64) {
	sin, cos, rd := s.sin, s.cos, r+dTilde
	if cos == 0 {
		i[1] = -s.mu / 2 * xi * q / (rd * rd)
		i[3] = s.mu / 2 * (eta/rd + yTilde*q/(rd*rd) - logEta)
		i[4] = -s.mu * q / rd
		i[5] = -s.mu * xi * sin / rd
		i[2] = -s.mu*logEta - i[3]
		return i
	}
	if xi != 0 {
		x := math.Sqrt(xi*xi + q*q)
		i[5] = s.mu * 2 / cos * math.Atan((eta*(x+q*cos)+x*(r+x)*sin)/(xi*(r+x)*cos))
	}
	i[4] = s.mu / cos * (portable.Log(rd) - sin*logEta)
	i[3] = s.mu*(yTilde/(cos*rd)-logEta) + sin/cos*i[4]
	i[2] = -s.mu*logEta - i[3]
	i[1] = -s.mu/cos*xi/rd - sin/cos*i[5]
	return i
}
