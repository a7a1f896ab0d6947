package verify

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// derivatives returns the derivatives of f by x, y and t, by central differences.
func derivatives(f func(x, y, t float64) float64, x, y, t float64) (dx, dy, dt float64) {
	const h = 1e-5
	dx, dy, dt = f(x+h, y, t)-f(x-h, y, t), f(x, y+h, t)-f(x, y-h, t), f(x, y, t+h)-f(x, y, t-h)
	return dx / (2 * h), dy / (2 * h), dt / (2 * h)
}

// residual returns the residual of the equations of one layer, the lower of s, at a point.
func residual(s func(x, y, t float64) basin.State, x, y, t float64) (mass, qx, qy float64) {
	derivative := func(pick func(basin.State) float64) (dx, dy, dt float64) {
		return derivatives(func(x, y, t float64) float64 { return pick(s(x, y, t)) }, x, y, t)
	}
	at := s(x, y, t)
	_, _, ht := derivative(func(s basin.State) float64 { return s.H2 })
	fx, _, qxt := derivative(func(s basin.State) float64 { return s.H2 * s.U2 })
	_, fy, qyt := derivative(func(s basin.State) float64 { return s.H2 * s.V2 })
	xx, _, _ := derivative(func(s basin.State) float64 { return s.H2 * s.U2 * s.U2 })
	xyx, xyy, _ := derivative(func(s basin.State) float64 { return s.H2 * s.U2 * s.V2 })
	_, yy, _ := derivative(func(s basin.State) float64 { return s.H2 * s.V2 * s.V2 })
	zx, zy, _ := derivative(func(s basin.State) float64 { return s.H2 - s.Depth })
	return ht + fx + fy, qxt + xx + xyy + basin.Gravity*at.H2*zx, qyt + xyx + yy + basin.Gravity*at.H2*zy
}

// TestBowlsSolveTheEquations proves that both of Thacker's solutions solve the equations wherever there is water.
func TestBowlsSolveTheEquations(t *testing.T) {
	for _, w := range []bowl{planarBowl(), radialBowl()} {
		rapid.Check(t, func(t *rapid.T) {
			x, y := rapid.Float64Range(-1.2, 1.2).Draw(t, "x"), rapid.Float64Range(-1.2, 1.2).Draw(t, "y")
			when := rapid.Float64Range(0, 5).Draw(t, "t")
			if w.at(x, y, when).H2 < 1e-3 {
				t.Skip("dry")
			}
			if m, qx, qy := residual(w.at, x, y, when); math.Abs(m)+math.Abs(qx)+math.Abs(qy) > 1e-8 {
				t.Fatalf("%s at (%g, %g), t = %g: the residuals are %g, %g, %g", w.name, x, y, when, m, qx, qy)
			}
		})
	}
}

// TestDamSolvesTheEquations proves that the fan solves the equations, and that the shock conserves mass and momentum.
func TestDamSolvesTheEquations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		left := rapid.Float64Range(0.1, 20).Draw(t, "left")
		d := newDam(left, left*rapid.Float64Range(0, 0.95).Draw(t, "share"))
		head, tail := -math.Sqrt(basin.Gravity*left), d.frontSpeed // over a dry bed the fan extends to the front
		if d.right > 0 {
			tail = d.speed - math.Sqrt(basin.Gravity*d.depth)
			mass := d.frontSpeed*(d.depth-d.right) - d.depth*d.speed
			momentum := d.frontSpeed*d.depth*d.speed - d.depth*d.speed*d.speed -
				basin.Gravity/2*(d.depth*d.depth-d.right*d.right)
			if scale := basin.Gravity * left * left; math.Abs(mass) > 1e-9*scale || math.Abs(momentum) > 1e-9*scale {
				t.Fatalf("the residuals at the shock are %g for mass and %g for momentum", mass, momentum)
			}
		}
		at := func(x, _, time float64) basin.State {
			h, u := d.at(x, time)
			return basin.State{H2: h, U2: u}
		}
		x := head + (tail-head)*rapid.Float64Range(0.1, 0.9).Draw(t, "position")
		if m, q, _ := residual(at, x, 0, 1); math.Abs(m)+math.Abs(q) > 1e-5*basin.Gravity*left {
			t.Fatalf("the residuals in the fan are %g for mass and %g for momentum at %g", m, q, x)
		}
	})
}

// TestDualDerivatives compares derivatives by automatic differentiation with finite differences.
func TestDualDerivatives(t *testing.T) {
	pick := map[string]func(motion) dual{
		"depth": func(m motion) dual { return m.depth }, "h1": func(m motion) dual { return m.h1 },
		"u1": func(m motion) dual { return m.u1 }, "v1": func(m motion) dual { return m.v1 },
		"h2": func(m motion) dual { return m.h2 }, "u2": func(m motion) dual { return m.u2 },
		"v2": func(m motion) dual { return m.v2 }, "h1 u1 v1": func(m motion) dual { return m.h1.times(m.u1).times(m.v1) },
	}
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Float64Range(0, 1).Draw(t, "x"), rapid.Float64Range(0, 1).Draw(t, "y")
		when := rapid.Float64Range(0, 2).Draw(t, "t")
		for name, of := range pick {
			value := func(x, y, t float64) float64 { return of(manufacturedMotion(positionAt(x, y), clockAt(t))).v }
			dx, dy, dt := derivatives(value, x, y, when)
			d := of(manufacturedMotion(positionAt(x, y), clockAt(when)))
			if math.Abs(d.x-dx)+math.Abs(d.y-dy)+math.Abs(d.t-dt) > 1e-7 {
				t.Fatalf("%s: derivatives %g, %g, %g; differences give %g, %g, %g", name, d.x, d.y, d.t, dx, dy, dt)
			}
		}
	})
}

// TestMotionSuitsWalls proves that at walls normal velocities vanish and the other fields are even.
func TestMotionSuitsWalls(t *testing.T) {
	const tiny = 1e-14
	rapid.Check(t, func(t *rapid.T) {
		along := rapid.Float64Range(0, 1).Draw(t, "along")
		when := clockAt(rapid.Float64Range(0, 2).Draw(t, "t"))
		for _, wall := range []float64{0, 1} {
			m := manufacturedMotion(positionAt(wall, along), when)
			if math.Abs(m.u1.v)+math.Abs(m.u2.v) > tiny {
				t.Fatalf("x = %g: normal velocities %g, %g", wall, m.u1.v, m.u2.v)
			}
			if math.Abs(m.depth.x)+math.Abs(m.h1.x)+math.Abs(m.h2.x)+math.Abs(m.v1.x)+math.Abs(m.v2.x) > 10*tiny {
				t.Fatalf("x = %g: not even: %+v", wall, m)
			}
			m = manufacturedMotion(positionAt(along, wall), when)
			if math.Abs(m.v1.v)+math.Abs(m.v2.v) > tiny {
				t.Fatalf("y = %g: normal velocities %g, %g", wall, m.v1.v, m.v2.v)
			}
			if math.Abs(m.depth.y)+math.Abs(m.h1.y)+math.Abs(m.h2.y)+math.Abs(m.u1.y)+math.Abs(m.u2.y) > 10*tiny {
				t.Fatalf("y = %g: not even: %+v", wall, m)
			}
		}
	})
}

// TestLinearModes tests linearMode for the external and the internal wave: the speed c and the amplitude μ of the lower
// layer, relative to that of the upper layer, are those of the linearised 4×4 system, whose eigenvalues were computed
// to 40 digits (modes.go). They satisfy the equation of the lower layer, c² μ = g h2 (r + μ); that of the upper layer,
// c² = g h1 (1 + μ), defines μ.
func TestLinearModes(t *testing.T) {
	for _, c := range []struct{ r, h1, h2, speed, mu float64 }{
		{0.9, 0.6, 0.4, 3.093319, .625658}, {0.9, 0.6, 0.4, .491304, -.958991},
		{0.98, 1, 1, 4.418303, .989949}, {0.98, 1, 1, .313999, -.989949},
	} {
		speed, mu := linearMode(c.r, c.h1, c.h2, c.mu > 0)
		if math.Abs(speed-c.speed) > 1e-6 || math.Abs(mu-c.mu) > 1e-6 {
			t.Errorf("r = %g: speed %.6f, μ %.6f; want %.6f, %.6f", c.r, speed, mu, c.speed, c.mu)
		}
		if residual := speed*speed*mu - basin.Gravity*c.h2*(c.r+mu); math.Abs(residual) > 1e-12 {
			t.Errorf("r = %g, μ = %.6f: the residual of the lower layer's equation is %g", c.r, mu, residual)
		}
	}
}

// TestDressler proves that with Chézy's law the expansion is that of Dressler's paper.
func TestDressler(t *testing.T) {
	const deep, chezy, end = 6.0, 40.0, 10.0
	f := roughFan{deep, func(h, u float64) float64 { return basin.Gravity * u * u / (chezy * chezy * h) }}
	c := math.Sqrt(basin.Gravity * deep)
	for _, x := range []float64{-60, -20, 0, 30, 60} {
		chi := 2 - x/(end*c)
		one := 6/(5*chi) - 2.0/3 + 4*math.Sqrt(3)/135*math.Pow(chi, 1.5)
		two := 12/chi - 8.0/3 + 8*math.Sqrt(3)/189*math.Pow(chi, 1.5) - 108/(7*chi*chi)
		small := basin.Gravity * basin.Gravity / (chezy * chezy) * end
		wave := 2*c/3 - x/(3*end) + small*one
		h, u := f.at(x, end)
		wantH, wantU := wave*wave/basin.Gravity, 2*c/3+2*x/(3*end)+small*two
		if math.Abs(h-wantH) > 1e-6*wantH || math.Abs(u-wantU) > 1e-6*math.Abs(wantU) {
			t.Errorf("x = %g: depth %g and velocity %g, Dressler has %g and %g", x, h, u, wantH, wantU)
		}
	}
}
