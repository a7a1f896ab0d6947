package okada

import (
	"fmt"
	"math"
	"testing"
)

// checkNear reports components that differ by more than a tolerance.
func checkNear(t *testing.T, what string, got, want [3]float64, tolerance float64) {
	t.Helper()
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Errorf("%s: component %d is %.6g, want %.6g", what, i, got[i], want[i])
		}
	}
}

// TestPublishedValues: the values of Okada's Table 2, to their four digits. Lengths are in units of his; the medium has
// λ = μ.
func TestPublishedValues(t *testing.T) {
	for _, c := range []struct {
		name, slip          string
		x, y, depth, degree float64 // depth of the lower edge, dip
		want                [3]float64
	}{
		{"case 2", "strike", 2, 3, 4, 70, [3]float64{-8.689e-3, -4.298e-3, -2.747e-3}},
		{"case 2", "dip", 2, 3, 4, 70, [3]float64{-4.682e-3, -3.527e-2, -3.564e-2}},
		{"case 3", "strike", 0, 0, 4, 90, [3]float64{0, 5.253e-3, 0}},
		{"case 3", "dip", 0, 0, 4, 90, [3]float64{}},
	} {
		rake := map[string]float64{"strike": 0, "dip": 90}[c.slip]
		const length, width = 3, 2
		sin, cos := math.Sincos(c.degree * math.Pi / 180)
		// Strike to the east, so that the paper's y is to the north, with the fault's corner at the origin.
		s := New(&Fault{X: length / 2., Y: width / 2. * cos, Depth: c.depth - width/2.*sin, Length: length, Width: width,
			Strike: 90, Dip: c.degree, Rake: rake, Slip: 1, Poisson: .25})
		var got [3]float64
		got[0], got[1], got[2] = s.At(c.x, c.y)
		for i, want := range c.want {
			unit := 1e-6 // of the fourth digit
			if math.Abs(want) > 1e-2 {
				unit = 1e-5
			}
			if !(math.Abs(got[i]-want) <= unit/2*1.01) {
				t.Errorf("%s, slip along the %s: component %d is %.5g, want %.4g", c.name, c.slip, i, got[i], want)
			}
		}
	}
}

// thrust is a fault under the sea.
var thrust = Fault{X: 3e3, Y: -5e3, Depth: 15e3, Length: 80e3, Width: 40e3, Strike: 25, Dip: 17, Rake: 70, Slip: 4,
	Poisson: .25}

func at(f Fault, x, y float64) (u [3]float64) {
	u[0], u[1], u[2] = New(&f).At(x, y)
	return u
}

// positions calls f at positions around the fault, some above its edges.
func positions(f func(name string, x, y float64)) {
	for _, x := range []float64{-90e3, -21e3, 3e3, 40e3} {
		for _, y := range []float64{-70e3, -5e3, 12e3, 55e3} {
			f(fmt.Sprintf("(%g, %g)", x, y), x, y)
		}
	}
}

// TestRotation: turning the fault and the position turns the displacement.
func TestRotation(t *testing.T) {
	for _, turn := range []float64{30, 90, 200} { // clockwise
		sin, cos := math.Sincos(turn * math.Pi / 180)
		rotate := func(x, y float64) (float64, float64) { return x*cos + y*sin, y*cos - x*sin }
		positions(func(name string, x, y float64) {
			f := thrust
			f.X, f.Y = rotate(f.X, f.Y)
			f.Strike += turn
			want := at(thrust, x, y)
			want[0], want[1] = rotate(want[0], want[1])
			x, y = rotate(x, y)
			checkNear(t, fmt.Sprintf("%s turned by %g", name, turn), at(f, x, y), want, 1e-12)
		})
	}
}

// TestHalves: the halves of a fault, along its strike or down its dip, move the ground as the whole does.
func TestHalves(t *testing.T) {
	for _, dip := range []float64{17, 60, 89.9, 90} {
		whole := thrust
		whole.Dip, whole.Depth = dip, 30e3
		sinStrike, cosStrike := math.Sincos(whole.Strike * math.Pi / 180)
		sin, cos := math.Sincos(dip * math.Pi / 180)
		positions(func(name string, x, y float64) {
			var long, deep [3]float64
			for _, side := range []float64{-1, 1} {
				half := whole
				half.Length /= 2
				half.X += side * sinStrike * half.Length / 2
				half.Y += side * cosStrike * half.Length / 2
				lower := whole
				lower.Width /= 2
				lower.X += side * cosStrike * cos * lower.Width / 2 // down the dip is to the right of the strike
				lower.Y -= side * sinStrike * cos * lower.Width / 2
				lower.Depth += side * sin * lower.Width / 2
				u, v := at(half, x, y), at(lower, x, y)
				for i := range u {
					long[i] += u[i]
					deep[i] += v[i]
				}
			}
			want := at(whole, x, y)
			checkNear(t, fmt.Sprintf("%s, dip %g, in two along the strike", name, dip), long, want, 1e-9)
			checkNear(t, fmt.Sprintf("%s, dip %g, in two down the dip", name, dip), deep, want, 1e-9)
		})
	}
}

// TestVerticalPlanes: the formulas of vertical planes are the limit of the others, from both sides.
func TestVerticalPlanes(t *testing.T) {
	for _, lean := range []float64{-1, 1} {
		positions(func(name string, x, y float64) {
			steep, upright := thrust, thrust
			steep.Dip, steep.Depth = 90+lean*1.01*vertical*180/math.Pi, 30e3
			upright.Dip, upright.Depth = 90, 30e3
			checkNear(t, name, at(steep, x, y), at(upright, x, y), 4*1e-4)
		})
	}
}

// TestSmallFaultIsAPoint: far from it, a fault moves the ground up as the point source of Okada's (9) does, of the same
// area times slip.
func TestSmallFaultIsAPoint(t *testing.T) {
	const depth, dip = 10e3, 30.
	sin, cos := math.Sincos(dip * math.Pi / 180)
	small := Fault{Depth: depth, Length: 20, Width: 10, Strike: 90, Dip: dip, Rake: 90, Slip: 1, Poisson: .25}
	positions(func(name string, x, y float64) {
		r := math.Sqrt(x*x + y*y + depth*depth)
		p, q := y*cos+depth*sin, y*sin-depth*cos
		// (9): u_z = -(moment/μ)/(2π) (3dpq/R⁵ - I₅⁰ sin δ cos δ), with I₅⁰ of (11) for μ/(λ+μ) = 1/2.
		i5 := .5 * (1/(r*(r+depth)) - x*x*(2*r+depth)/(r*r*r*(r+depth)*(r+depth)))
		want := -small.Length * small.Width / (2 * math.Pi) * (3*depth*p*q/math.Pow(r, 5) - i5*sin*cos)
		if got := at(small, x, y)[2]; math.Abs(got-want) > 1e-5*math.Abs(want)+1e-13 {
			t.Errorf("%s: %.6g, want %.6g", name, got, want)
		}
	})
}

// TestSingularPositions: there are finite displacements above edges and corners, and on the plane of the fault.
func TestSingularPositions(t *testing.T) {
	for _, dip := range []float64{0, 30, 90} {
		f := Fault{Depth: 1 * math.Sin(dip*math.Pi/180), Length: 4, Width: 2, Strike: 0, Dip: dip, Slip: 1, Rake: 90,
			Poisson: .25} // its upper edge is in the surface
		if dip == 0 {
			f.Depth = 1
		}
		cos := math.Cos(dip * math.Pi / 180)
		for _, x := range []float64{-cos, 0, cos, 3} {
			for _, y := range []float64{-3, -2, 0, 2, 3} {
				for i, u := range at(f, x, y) {
					if math.IsNaN(u) || math.Abs(u) > 10 {
						t.Errorf("dip %g at (%g, %g): component %d is %g", dip, x, y, i, u)
					}
				}
			}
		}
	}
}

// TestVolume: the volume by which the surface rises is (1 - 2ν)/2 sin δ cos δ of the part of area times slip that is up
// the dip, however deep the fault is: the integral of (9) over the plane.
func TestVolume(t *testing.T) {
	for _, f := range []Fault{thrust, {Depth: 20e3, Length: 50e3, Width: 20e3, Dip: 60, Rake: -90, Slip: 2, Poisson: .3}} {
		s, sum := New(&f), 0.
		sin, cos := math.Sincos(f.Dip * math.Pi / 180)
		want := (1 - 2*f.Poisson) / 2 * sin * cos * f.Length * f.Width * f.Slip * math.Sin(f.Rake*math.Pi/180)
		// Rings around the centre, each wider than the one inside it, up to 1000 times the fault's length.
		const rings, directions = 1500, 360
		inner := 0.
		for ring := range rings {
			outer := 1e3 * math.Expm1(float64(ring+1)/rings*math.Log1p(f.Length))
			r := (inner + outer) / 2
			for k := range directions {
				sin, cos := math.Sincos(2 * math.Pi * (float64(k) + .5) / directions)
				_, _, up := s.At(f.X+r*cos, f.Y+r*sin)
				sum += up * (outer*outer - inner*inner) * math.Pi / directions
			}
			inner = outer
		}
		if math.Abs(sum/want-1) > .01 {
			t.Errorf("%+v: the volume is %g m³, want %g", f, sum, want)
		}
	}
}
