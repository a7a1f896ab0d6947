package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
)

// rings compares axisymmetric flows with exact solutions, and with the same flow in space.
func rings(ctx context.Context, p *verify.Page) error {
	for _, compare := range []func(context.Context, *verify.Page) error{sphereAtRest, sphereOscillates, jet, pipe,
		bubbleInTube} {
		if err := compare(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

const sphereCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 0.5, 0.5], cells = [%[1]d, %[1]d], axisymmetric = true }
fluids = { density = [1, 0.001], viscosity = [%[2]g, %[3]g], surface_tension = 1 }
initial = { shape = "ellipse(0, 0, %[4]g, %[5]g)" }
method = { tolerance = 1e-11, viscous_tolerance = 1e-8 }
time = { end = %[6]g }
`

// sphereAtRest runs halves of spheres at rest: see staticDrop.
func sphereAtRest(ctx context.Context, p *verify.Page) error {
	const d, la = .4, 120
	t := p.Table("A sphere at rest, axisymmetric, density ratio 1000, Laplace number 120", "D/h", "time / (D²/ν)", "steps",
		"velocity / √(σ/ρD)", "volume / exact", "change of volume")
	for _, c := range []struct {
		n, resolution int
	}{{24, 0}, {32, 1}} {
		if skipped(p, c.resolution) {
			continue
		}
		nu, volume := math.Sqrt(d/float64(la)), 0.0
		j := testRun{text: fmt.Sprintf(sphereCase, c.n, nu, nu/100, .2, .2, .8*d*d/nu), every: 1 << 30,
			each: func(m *moment) error {
				f, err := m.read("f")
				if m.dt == 0 {
					volume = ringVolume(f, c.n, .5/float64(c.n))
				}
				return err
			}}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		v := o.value["largest_speed"] / math.Sqrt(1/d)
		end, exact := ringVolume(o.fields["f"], c.n, .5/float64(c.n)), 2./3*math.Pi*.008
		verdict := verify.AtMost(v, 1e-6).And(verify.Near(volume/exact, 1, 1e-4), "volume").
			And(verify.AtMost(math.Abs(end/volume-1), 1e-11), "change")
		t.Row(verdict, fmt.Sprintf("%.1f", d*float64(2*c.n)), .8, o.steps, fmt.Sprintf("%.1e", v),
			fmt.Sprintf("%.6f", volume/exact), fmt.Sprintf("%.0e", end/volume-1))
	}
	t.Flush()
	return nil
}

// ringVolume is the volume of a volume fraction in n rings along x.
func ringVolume(f []float64, n int, h float64) (sum float64) {
	for k, v := range f {
		sum += v * (float64(k%n) + .5)
	}
	return sum * 2 * math.Pi * h * h * h
}

// sphereOscillates compares the period of the second mode with Lamb's: see oscillation.
func sphereOscillates(ctx context.Context, p *verify.Page) error {
	const r = .2
	t := p.Table("A sphere that oscillates, axisymmetric, density ratio 1000", "R/h", "amplitude", "steps",
		"period / theory")
	for _, c := range []struct {
		n, resolution int
		amplitude     float64
	}{{16, 0, .1}, {32, 0, .05}, {64, 2, .05}} {
		if skipped(p, c.resolution) {
			continue
		}
		p.Progress("a sphere on %d cells", c.n)
		theory := 2 * math.Pi / math.Sqrt(24/(3.002*r*r*r))
		var crossings crossings
		j := testRun{text: fmt.Sprintf(sphereCase, c.n, 2e-3, 2e-5, r*(1-c.amplitude/2), r*(1+c.amplitude), 2.1*theory),
			sets: []string{"method.tolerance=1e-7", "method.viscous_tolerance=1e-5"}, each: func(m *moment) error {
				f, at, err := m.fractions()
				v := 0.0
				for k, part := range f {
					x, y := float64(k%c.n)+.5, float64(k/c.n)+.5
					v += part * x * (y*y - x*x/2) // 0 for a sphere
				}
				crossings.add(at, v)
				return err
			}}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		period := crossings.period() / theory
		t.Row(verify.Near(period, 1, .015), fmt.Sprintf("%.1f", r*float64(2*c.n)), c.amplitude, o.steps,
			fmt.Sprintf("%.4f", period))
	}
	t.Flush()
	return nil
}

// Half a wave of a jet without viscosity, of radius 1 and wavenumber 0.7: 3 radii wide.
const jetCase = `
solver = "two-phase"
grid = { bounds = [0, 0, %[3]g, 4.48798950512828], cells = [%[1]d, %[2]d], axisymmetric = true }
fluids = { density = [1, 0.001], viscosity = 0, surface_tension = 1 }
initial = { shape = "x - 1 - 0.01*cos(0.7*y)" }
time = { end = 6 }
`

// jet compares the growth of a wave on a jet with Rayleigh's (Proc. London Math. Soc. 10, 1878): ω² = σ/(ρR³) k(1 - k²)
// I₁(k)/I₀(k), for the wavenumber k times the radius. At rest at first, it grows with cosh ωt.
func jet(ctx context.Context, p *verify.Page) error {
	const k, end = .7, 6
	theory := math.Sqrt(k * (1 - k*k) * bessel(1, k) / bessel(0, k))
	t := p.Table("A wave on a jet, axisymmetric, wavelength 9 R", "R/h", "steps", "growth / start", "rate / Rayleigh's")
	for _, c := range []struct {
		rows, resolution int
	}{{36, 0}, {72, 0}, {144, 2}} {
		if skipped(p, c.resolution) {
			continue
		}
		p.Progress("a jet on %d rows", c.rows)
		h := math.Pi / k / float64(c.rows)
		n := int(math.Round(3 / h))
		first, last, when := 0.0, 0.0, 0.0
		j := testRun{text: fmt.Sprintf(jetCase, n, c.rows, float64(n)*h), every: 1 << 30, each: func(m *moment) error {
			f, at, err := m.fractions()
			last, when = 0, at
			for cell, v := range f {
				last += v * (float64(cell%n) + .5) * math.Cos(k*(float64(cell/n)+.5)*h)
			}
			if m.dt == 0 {
				first = last
			}
			return err
		}}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		rate := math.Acosh(last/first) / when / theory
		t.Row(verify.Near(rate, 1, .005), fmt.Sprintf("%.1f", 1/h), o.steps, fmt.Sprintf("%.3f", last/first),
			fmt.Sprintf("%.4f", rate))
	}
	t.Flush()
	return nil
}

// bessel is the modified Bessel function I_n for small x, by its series.
func bessel(n int, x float64) (sum float64) {
	term := math.Pow(x/2, float64(n))
	for k := range n {
		term /= float64(k + 1)
	}
	for k := 1; k < 30; k++ {
		sum += term
		term *= x * x / 4 / float64(k*(k+n))
	}
	return sum
}

const pipeCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 1, 1], cells = [%[1]d, %[1]d], periodic = ["y"], axisymmetric = true }
fluids = { density = 1, viscosity = 1, gravity = [0, 4] }
sides = { x_high = "no-slip" }
method = { tolerance = 1e-10, viscous_tolerance = 1e-9 }
time = { end = 3 }
`

// pipe compares steady flow with that of Hagen and Poiseuille: w = 1 - r².
func pipe(ctx context.Context, p *verify.Page) error {
	t := p.Table("Flow through a pipe, axisymmetric", "R/h", "steps", "discharge / exact", "dissipation / exact")
	for _, n := range []int{8, 16, 32} {
		o, err := testRun{text: fmt.Sprintf(pipeCase, n)}.run(ctx, p, 1)
		if err != nil {
			return err
		}
		discharge := 0.0
		for i, w := range o.fields["face_v"][:n] {
			discharge += w * (float64(i) + .5) * 2 * math.Pi / float64(n*n)
		}
		discharge /= math.Pi / 2
		lost := o.value["dissipation"] / (2 * math.Pi)
		bound := 1.05 / float64(n*n)
		t.Row(verify.Near(discharge, 1, bound).And(verify.Near(lost, 1, bound), "dissipation"), n, o.steps,
			fmt.Sprintf("%.5f", discharge), fmt.Sprintf("%.5f", lost))
	}
	t.Flush()
	return nil
}

// The fluids of case 1 of Hysing et al., in a tube with walls.
const tubeCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 0.5, 2], cells = [%d, %d], axisymmetric = true }
fluids = { density = [100, 1000], viscosity = [1, 10], surface_tension = 24.5, gravity = [0, -0.98] }
initial = { shape = "circle(0, 0.5, 0.25)" }
sides = { x_high = "no-slip", y_low = "no-slip", y_high = "no-slip" }
time = { end = 1.5 }
`

const tubeInSpaceCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 0, 0.5, 2, 0.5], cells = [%d, %d, %[1]d] }
fluids = { density = [100, 1000], viscosity = [1, 10], surface_tension = 24.5, gravity = [0, -0.98, 0] }
initial = { shape = "sphere(0, 0.5, 0, 0.25)" }
solid = [{ shape = "0.5 - sqrt(x*x + z*z)" }]
sides = { x_high = "no-slip", y_low = "no-slip", y_high = "no-slip", z_high = "no-slip" }
time = { end = 1.5 }
`

// bubbleInTube compares a bubble that rises in a tube with a quarter of the same in space, where the tube is a solid:
// there is no published result for the tube.
func bubbleInTube(ctx context.Context, p *verify.Page) error {
	t := p.Table("A rising bubble in a tube, axisymmetric and in space", "flow", "1/h", "steps", "centre at t = 1.5",
		"largest velocity", "at t", "volume drift")
	var finest, last rise
	for _, c := range []struct {
		text          string
		n, resolution int
	}{{tubeCase, 32, 0}, {tubeCase, 64, 0}, {tubeCase, 128, 1}, {tubeInSpaceCase, 32, 0}, {tubeInSpaceCase, 48, 1}} {
		if skipped(p, c.resolution) {
			continue
		}
		p.Progress("a tube, 1/h = %d", c.n)
		r, _, err := watch(ctx, p, fmt.Sprintf(c.text, c.n/2, 2*c.n), halfCircle)
		if err != nil {
			return err
		}
		flow := "axisymmetric"
		var verdict verify.Verdict
		if c.text == tubeCase {
			r.drift = ringVolume(r.outcome.fields["f"], c.n/2, 1/float64(c.n))/(4./3*math.Pi*math.Pow(.25, 3)) - 1
			verdict = verify.AtMost(math.Abs(r.drift), 1e-4)
			if last.fastest > 0 {
				verdict = verdict.And(verify.Near(r.fastest, last.fastest, .02), "velocity")
			}
			finest, last = r, r
		} else {
			flow = "space"
			verdict = verify.Near(r.fastest, finest.fastest, .01).And(verify.Near(r.centre, finest.centre, .006), "centre")
		}
		t.Row(verdict, flow, c.n, r.outcome.steps, fmt.Sprintf("%.4f", r.centre), fmt.Sprintf("%.4f", r.fastest),
			fmt.Sprintf("%.3f", r.when), fmt.Sprintf("%.0e", r.drift))
	}
	t.Flush()
	p.Note("The drift of axisymmetric flow is from the exact volume of the sphere.")
	return nil
}
