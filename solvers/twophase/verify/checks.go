package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
)

// sameOnRanks adds a row that tells whether a run on several ranks has the same bits.
func sameOnRanks(ctx context.Context, p *verify.Page, j testRun, ranks int, want string) (verify.Verdict, error) {
	j.each = nil
	o, err := j.run(ctx, p, ranks)
	return verify.VerdictOf(o.hash == want, fmt.Sprintf("same bits on %d ranks", ranks)), err
}

const dropCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 0.5, 0.5], cells = [%d, %d] }
fluids = { density = [1, %g], viscosity = [%g, %g], surface_tension = 1 }
initial = { shape = "circle(0, 0, 0.2)" }
method = { tolerance = 1e-11, viscous_tolerance = 1e-8 }
time = { end = %g }
`

// staticDrop runs quarters of drops at rest: velocities over that of capillarity, √(σ/ρD), after parts of the time
// D²/ν in which viscosity acts. The published methods of this kind reach round-off (Popinet, J. Comput. Phys. 228,
// 2009).
func staticDrop(ctx context.Context, p *verify.Page) error {
	const d = .4
	t := p.Table("A quarter of a drop at rest, D/h = 12.8, density ratio 1000", "Laplace number", "time / (D²/ν)", "steps",
		"velocity / √(σ/ρD)", "bound")
	for _, la := range []float64{120, 1200} {
		if la > 120 && p.Options.Quick {
			continue
		}
		nu := math.Sqrt(d / la)
		j := testRun{text: fmt.Sprintf(dropCase, 16, 16, 1e-3, nu, nu/100, .4*d*d/nu)}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		v := o.value["largest_speed"] / math.Sqrt(1/d)
		t.Row(verify.AtMost(v, 1e-9), la, .4, o.steps, fmt.Sprintf("%.1e", v), "1e-9")
	}
	t.Flush()
	return nil
}

const vortexCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 6.283185307179586, 6.283185307179586], cells = [%d, %d], periodic = ["x", "y"] }
fluids = { density = 1, viscosity = 0.1 }
initial = { u = "sin(x)*cos(y)", v = "-cos(x)*sin(y)" }
method = { max_step = %g }
time = { end = 1 }
`

// vortices compares the decay of the energy of vortices with exp(-4νt).
func vortices(ctx context.Context, p *verify.Page) error {
	t := p.Table("Vortices of Taylor and Green, ν = 0.1, t = 1, dt proportional to h", "cells", "steps", "energy's error",
		"order")
	last := 0.0
	for _, n := range []int{16, 32, 64, 128} {
		j := testRun{text: fmt.Sprintf(vortexCase, n, n, 2/float64(n))}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		e := math.Abs(o.value["kinetic_energy"]/(math.Pi*math.Pi) - math.Exp(-.4))
		if last == 0 {
			t.Row(verify.Info, n, o.steps, fmt.Sprintf("%.2e", e), "")
		} else {
			order := verify.Order(last, e)
			t.Row(verify.AtLeast(order, .9), n, o.steps, fmt.Sprintf("%.2e", e), fmt.Sprintf("%.2f", order))
		}
		last = e
	}
	t.Flush()
	p.Note("Viscosity is implicit (backward Euler), so that the error is of first order in time.")
	return nil
}

const carriedCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 1, 1], cells = [%d, %d], periodic = ["x", "y"] }
fluids = { density = [1, %g], viscosity = 0 }
initial = { shape = "circle(0.5, 0.5, 0.2)", body_u = 1, body_v = %d }
method = { tolerance = %g }
time = { end = 1 }
`

// carried runs drops through a fluid at rest, once across the periodic grid. Without consistent fluxes of momentum
// they are torn within a fraction of it (Rudman, Int. J. Numer. Meth. Fluids 28, 1998).
func carried(ctx context.Context, p *verify.Page) error {
	t := p.Table("A dense drop crosses the grid", "density ratio", "toward", "cells", "steps", "energy / start",
		"velocity of the drop")
	n := 64
	if p.Options.Quick {
		n = 32
	}
	for _, ratio := range []float64{1e3, 1e6, 1e9} {
		for v, toward := range []string{"(1, 0)", "(1, 1)"} {
			tolerance := max(1e-10, min(1e-6, 1e-2/ratio))
			j := testRun{text: fmt.Sprintf(carriedCase, n, n, 1/ratio, v, tolerance)}
			o, err := j.run(ctx, p, 1)
			if err != nil {
				return err
			}
			start := .5 * math.Pi * .04 * float64(1+v)
			kept := o.value["kinetic_energy"] / start
			t.Row(verify.Between(kept, .97, 1.1), fmt.Sprintf("%.0e", ratio), toward, n, o.steps, fmt.Sprintf("%.6f", kept),
				fmt.Sprintf("%.5f", o.value["mean_u"]))
		}
	}
	t.Flush()
	return nil
}

const cavityCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 1, 1], cells = [%d, %d] }
fluids = { density = 1, viscosity = %g }
sides = { x_low = "no-slip", x_high = "no-slip", y_low = "no-slip", y_high = { kind = "no-slip", velocity = [1, 0] } }
time = { end = %g }
`

// cavity compares the extreme velocities on the lines through the centre with those of Ghia, Ghia and Shin, J. Comput.
// Phys. 48, 1982.
func cavity(ctx context.Context, p *verify.Page) error {
	t := p.Table("The lid-driven cavity", "Reynolds number", "cells", "steps", "least u", "Ghia", "least v", "Ghia",
		"greatest v", "Ghia")
	for _, c := range []struct {
		re, end float64
		n       int
		want    [3]float64
		share   float64
		slow    bool
	}{{100, 15, 32, [3]float64{-.21090, -.24533, .17527}, .03, false},
		{100, 15, 64, [3]float64{-.21090, -.24533, .17527}, .03, true},
		{400, 40, 64, [3]float64{-.32726, -.44993, .30203}, .04, true}} {
		if c.slow && p.Options.Quick {
			continue
		}
		j := testRun{text: fmt.Sprintf(cavityCase, c.n, c.n, 1/c.re, c.end)}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		var got [3]float64
		u, v := o.fields["face_u"], o.fields["face_v"]
		for k := range c.n {
			got[0] = min(got[0], u[c.n/2+(c.n+1)*k])
			got[1], got[2] = min(got[1], v[k+c.n*(c.n/2)]), max(got[2], v[k+c.n*(c.n/2)])
		}
		verdict := verify.Near(got[0], c.want[0], c.share)
		verdict = verdict.And(verify.Near(got[1], c.want[1], c.share), "least v").
			And(verify.Near(got[2], c.want[2], c.share), "greatest v")
		t.Row(verdict, c.re, c.n, o.steps, fmt.Sprintf("%.5f", got[0]), c.want[0], fmt.Sprintf("%.5f", got[1]), c.want[1],
			fmt.Sprintf("%.5f", got[2]), c.want[2])
	}
	t.Flush()
	return nil
}

const bubbleCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 1, 2], cells = [%d, %d] }
fluids = { density = [100, 1000], viscosity = [1, 10], surface_tension = 24.5, gravity = [0, -0.98] }
initial = { shape = "circle(0.5, 0.5, 0.25)" }
sides = { y_low = "no-slip", y_high = "no-slip" }
time = { end = 3 }
`

// bubble compares the rising bubble with the reference of Hysing et al., Int. J. Numer. Meth. Fluids 60, 2009: the
// centre at t = 3 is 1.0813, the largest velocity .2417 at t = .9213, the least circularity .9013.
func bubble(ctx context.Context, p *verify.Page) error {
	t := p.Table("A rising bubble, case 1 of Hysing et al.", "1/h", "steps", "centre at t = 3", "largest velocity", "at t",
		"least circularity", "volume drift")
	for _, c := range []struct {
		n             int
		centre, speed float64 // bounds of the deviations
	}{{20, 6e-3, 2e-3}, {40, 1.2e-3, 3e-4}, {80, 1e-3, 3e-4}} {
		if c.n > 40 && p.Options.Quick {
			continue
		}
		fastest, when, least := 0.0, 0.0, 2.0
		j := testRun{text: fmt.Sprintf(bubbleCase, c.n, 2*c.n), each: func(t float64, value map[string]float64) {
			if v := value["mean_v"]; v > fastest {
				fastest, when = v, t
			}
			least = min(least, math.Pi*.5/value["interface"])
		}}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		drift := 0.0
		cell := 1 / float64(c.n*c.n)
		for _, f := range o.fields["f"] {
			drift += f * cell
		}
		drift = drift/(math.Pi/16) - 1
		centre := o.value["centre_y"]
		verdict := verify.AtMost(math.Abs(centre-1.0813), c.centre).
			And(verify.AtMost(math.Abs(fastest-.2417), c.speed), "velocity").
			And(verify.AtMost(math.Abs(drift), 2e-6), "drift")
		if c.n == 20 {
			same, err := sameOnRanks(ctx, p, j, 3, o.hash)
			if err != nil {
				return err
			}
			verdict = verdict.And(same, "ranks")
		}
		t.Row(verdict, c.n, o.steps, fmt.Sprintf("%.4f", centre), fmt.Sprintf("%.4f", fastest), fmt.Sprintf("%.3f", when),
			fmt.Sprintf("%.4f", least), fmt.Sprintf("%.0e", drift))
	}
	t.Flush()
	p.Note("The reference: 1.0813; 0.2417 at 0.921; 0.9013. The circularity is from the lines in cells, which read long.")
	return nil
}
