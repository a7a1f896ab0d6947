package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
)

const movingCase = `
solver = "two-phase"
grid = { bounds = [%[1]s], cells = %[2]d, periodic = [%[3]s] }
fluids = { density = [1, %[4]g], viscosity = [%[5]g, %[6]g], surface_tension = %[7]g }
initial = { shape = "%[8]s", %[9]s }
method = { tolerance = 1e-9 }
time = { end = %[10]g }
`

// movingDrop is a drop of diameter 0.4 in a periodic unit square or cube, of density and velocity 1.
type movingDrop struct {
	dim, n           int
	ratio            float64 // of the densities
	weber            float64 // ρU²D/σ
	viscosity, other float64 // of the drop, and around it
	velocity         string  // [initial] keys
	until            float64
}

func (d *movingDrop) text() string {
	bounds, periodic, body := "0, 0, 1, 1", `"x", "y"`, "circle(0.5, 0.5, 0.2)"
	if d.dim == 3 {
		bounds, periodic, body = "0, 0, 0, 1, 1, 1", `"x", "y", "z"`, "sphere(0.5, 0.5, 0.5, 0.2)"
	}
	return fmt.Sprintf(movingCase, bounds, d.n, periodic, 1/d.ratio, d.viscosity, d.other, .4/d.weber, body, d.velocity,
		d.until)
}

// moving runs drops with surface tension through a fluid at rest, and with a fluid that moves as they do.
func moving(ctx context.Context, p *verify.Page) error {
	if err := throughGas(ctx, p); err != nil {
		return err
	}
	return inUniformFlow(ctx, p)
}

// throughGas runs drops through a gas at rest. If the net force of surface tension on a drop is not 0, one of 6.4 cells
// has lost a half of its velocity after 2.5 diameters.
func throughGas(ctx context.Context, p *verify.Page) error {
	t := p.Table("A drop moves through a gas at rest, density ratio 1000, Weber number 0.2, Reynolds number 100, for 2.5 "+
		"diameters", "dimensions", "D/h", "steps", "velocity / start", "change of momentum", "energy / start")
	for _, c := range []struct{ dim, n, resolution int }{{2, 8, 0}, {2, 16, 0}, {2, 32, 1}, {3, 8, 0}, {3, 16, 1},
		{3, 32, 2}} {
		if skipped(p, c.resolution) {
			continue
		}
		p.Progress("a drop through a gas on %d cells in %d dimensions", c.n, c.dim)
		d := movingDrop{c.dim, c.n, 1e3, .2, .4 / 100, .4 / 5000, "body_u = 1", 1}
		var start, end carriedDrop
		j := testRun{text: d.text(), every: 1 << 30, each: func(m *moment) error {
			return carriedOf(m, c.n, 1/d.ratio, &start, &end)
		}}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		off, kept := end.momentum/start.momentum-1, end.energy/start.energy
		verdict := verify.AtLeast(end.velocity/start.velocity, .98).And(verify.AtMost(math.Abs(off), 1e-5), "momentum").
			And(verify.AtMost(kept, 1.08), "energy")
		t.Row(verdict, c.dim, fmt.Sprintf("%.1f", .4*float64(c.n)), o.steps,
			fmt.Sprintf("%.4f", end.velocity/start.velocity), fmt.Sprintf("%.0e", off), fmt.Sprintf("%.4f", kept))
	}
	t.Flush()
	p.Note("The gas slows the drop by a part of its momentum; energy above the start is that of waves on the drop.")
	return nil
}

// inUniformFlow runs drops in a fluid that moves as they do (Popinet, J. Comput. Phys. 228, 2009): the velocity should
// stay the same everywhere.
func inUniformFlow(ctx context.Context, p *verify.Page) error {
	t := p.Table("A drop in a uniform flow, Weber number 0.4, Laplace number 12000, for a diameter", "density ratio",
		"D/h", "steps", "error of u / U: mean square", "largest", "change of momentum")
	mu := math.Sqrt(.4 / 12000)
	for _, c := range []struct {
		ratio, other  float64 // of the densities, and the other viscosity
		n, resolution int
		mean, largest float64
	}{{1, mu, 32, 0, 5e-3, .08}, {1, mu, 64, 1, 3e-3, .05}, {1e3, mu / 100, 32, 0, .015, .15},
		{1e3, mu / 100, 64, 1, 9e-3, .15}} {
		if skipped(p, c.resolution) {
			continue
		}
		p.Progress("a drop in a uniform flow, ratio %g, on %d cells", c.ratio, c.n)
		d := movingDrop{2, c.n, c.ratio, .4, mu, c.other, "u = 1", .4}
		var start, end carriedDrop
		square, largest, count := 0.0, 0.0, 0
		j := testRun{text: d.text(), each: func(m *moment) error {
			for axis, name := range []string{"face_u", "face_v"} {
				u, err := m.read(name)
				if err != nil {
					return err
				}
				for _, v := range u {
					off := v - float64(1-axis)
					square, largest, count = square+off*off, max(largest, math.Abs(off)), count+1
				}
			}
			return carriedOf(m, c.n, 1/d.ratio, &start, &end)
		}}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		square = math.Sqrt(square / float64(count))
		off := end.momentum/start.momentum - 1
		verdict := verify.AtMost(square, c.mean).And(verify.AtMost(largest, c.largest), "largest").
			And(verify.AtMost(math.Abs(off), 1e-6), "momentum")
		t.Row(verdict, c.ratio, fmt.Sprintf("%.1f", .4*float64(c.n)), o.steps, fmt.Sprintf("%.1e", square),
			fmt.Sprintf("%.3f", largest), fmt.Sprintf("%.0e", off))
	}
	t.Flush()
	return nil
}
