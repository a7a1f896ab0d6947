package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
)

// layers compares flows of layers of two fluids of one density, of which one is ten times as viscous.
func layers(ctx context.Context, p *verify.Page) error {
	if err := channelOfLayers(ctx, p); err != nil {
		return err
	}
	return stripes(ctx, p)
}

// A channel of unit width that is driven along its walls.
const layersCase = `
solver = "two-phase"
grid = { bounds = [0, 0, %g, 1], cells = [4, %d], periodic = ["x"] }
fluids = { density = 1, viscosity = [1, 0.1], gravity = [1, 0] }
initial = { shape = "box(-1, -1, 2, %g)" }
sides = { y_low = "no-slip", y_high = "no-slip" }
method = { max_step = 0.05, viscous_tolerance = 1e-9 }
time = { end = 40 }
`

// layered is the steady velocity of layersCase with the interface at height a: parabolas of the curvatures -1 and -10,
// with equal velocities and stresses at y = a.
func layered(y, a float64) float64 {
	// below: -y²/2 + by; above: -5(1-y)² + c(1-y); stresses b-a and 1-a-c/10
	c := (a - a*a/2 + 5*(1-a)*(1-a)) / (1 - a + a/10)
	if y < a {
		return -y*y/2 + (1-c/10)*y
	}
	return -5*(1-y)*(1-y) + c*(1-y)
}

// channelOfLayers measures the largest error of the velocity, relative to the largest velocity.
func channelOfLayers(ctx context.Context, p *verify.Page) error {
	t := p.Table("A channel of two layers, one ten times as viscous", "cells across", "interface at", "steps",
		"largest error", "order")
	for _, a := range []float64{.5, .53, .4843} {
		last := 0.0
		for _, n := range []int{16, 32, 64} {
			if p.Options.Quick && n > 32 {
				continue
			}
			p.Progress("channel of two layers, %d cells", n)
			o, err := testRun{text: fmt.Sprintf(layersCase, 4/float64(n), n, a)}.run(ctx, p, 1)
			if err != nil {
				return err
			}
			most, largest := 0.0, 0.0
			for j := range n {
				exact := layered((float64(j)+.5)/float64(n), a)
				most, largest = max(most, math.Abs(o.fields["face_u"][4*j]-exact)), max(largest, exact)
			}
			e, order := most/largest, ""
			v := verify.AtMost(e, 3.2/float64(n*n))
			if last > 0 {
				order = fmt.Sprintf("%.2f", verify.Order(last, e))
				v = v.And(verify.AtLeast(verify.Order(last, e), 1.8), "order")
			}
			t.Row(v, n, fmt.Sprintf("%g", a), o.steps, fmt.Sprintf("%.2f%%", 100*e), order)
			last = e
		}
	}
	t.Flush()
	return nil
}

// Stripes of two fluids along (b, a), which move along themselves with the velocity cos(2πn) at n = ax - by.
const stripesCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 1, 1], cells = [%[1]d, %[1]d], periodic = ["x", "y"] }
fluids = { density = 1, viscosity = [1, 0.1] }
initial = { shape = "cos(%[2]s)", u = "%[3]g*cos(%[2]s)", v = "%[4]g*cos(%[2]s)" }
method = { max_step = %[5]g, viscous_tolerance = 1e-8 }
time = { end = %[6]g }
`

// stripes compares the energy that is left of a shear, in stripes of several directions, with that in one dimension.
func stripes(ctx context.Context, p *verify.Page) error {
	t := p.Table("A shear across stripes of two fluids, one ten times as viscous, decays by half", "slope", "cells",
		"steps", "energy / exact - 1")
	const duration, steps = .02, 200
	want := energyLeft(duration)
	for _, c := range []struct {
		a, b  int
		bound [3]float64 // of the error on 32, 64 and 128 cells
	}{
		{0, 1, [3]float64{.004, .002, .001}},
		{1, 1, [3]float64{.008, .0025, .001}},
		{1, 2, [3]float64{.05, .03, .018}},
	} {
		for k, n := range []int{32, 64, 128} {
			if p.Options.Quick && n > 64 {
				continue
			}
			p.Progress("stripes, %d cells", n)
			gradient := float64(c.a*c.a + c.b*c.b)
			phase := fmt.Sprintf("%.17g*(%d*x - %d*y) + 0.3", 2*math.Pi, c.a, c.b)
			j := testRun{text: fmt.Sprintf(stripesCase, n, phase, 1e-3*float64(c.b)/math.Sqrt(gradient),
				1e-3*float64(c.a)/math.Sqrt(gradient), duration/gradient/steps, duration/gradient)}
			start := 0.0
			j.each = func(m *moment) error {
				if m.dt == 0 {
					start = m.value["kinetic_energy"]
				}
				return nil
			}
			o, err := j.run(ctx, p, 1)
			if err != nil {
				return err
			}
			e := o.value["kinetic_energy"]/start/want - 1
			t.Row(verify.AtMost(math.Abs(e), c.bound[k]), fmt.Sprintf("%d/%d", c.a, c.b), n, o.steps, fmt.Sprintf("%+.4f", e))
		}
	}
	t.Flush()
	p.Note("The viscosity of cells and edges with both fluids is a tensor, of which the terms that couple shear with " +
		"stretch are left out: between axes and diagonals the error is of first order.")
	return nil
}

// energyLeft is the part of the energy that is left in stripesCase, by finite differences in half of a wavelength,
// in which the viscosity is .1 and then 1.
func energyLeft(duration float64) float64 {
	const n, steps = 200, 8000
	const h, half = .5 / n, n / 2
	dt := duration / steps
	var v [n]float64
	for i := range n {
		v[i] = math.Cos(2 * math.Pi * h * (float64(i) + .5))
	}
	start := sumOfSquares(v[:])
	for range steps {
		var stress [n + 1]float64
		for i := 1; i < n; i++ {
			mu := .1
			if i > half {
				mu = 1
			} else if i == half {
				mu = 2 / (1/.1 + 1)
			}
			stress[i] = mu * (v[i] - v[i-1]) / h
		}
		for i := range n {
			v[i] += dt / h * (stress[i+1] - stress[i])
		}
	}
	return sumOfSquares(v[:]) / start
}

func sumOfSquares(v []float64) (sum float64) {
	for _, x := range v {
		sum += x * x
	}
	return sum
}
