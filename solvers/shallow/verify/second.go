package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// beds has water at rest on beds with random depths in each cell, and an island, at both orders: nothing may move, in
// either precision. The interface ends where the bed is higher.
func beds(ctx context.Context, p *verify.Page) error {
	rough := func(x, y float64) float64 {
		_, noise := math.Modf(math.Abs(math.Sin(x*12.9898+y*78.233)) * 43758.5453)
		return 2 - 4*math.Exp(-(x*x+y*y)) - .6*noise
	}
	two := func(x, y float64) basin.State { return levels(rough(x, y), .2, -1) }
	one := func(x, y float64) basin.State {
		s := two(x, y)
		s.H1, s.H2 = 0, s.H1+s.H2
		return s
	}
	n, end := 45, 2.0
	if p.Options.Quick {
		end = 0.2
	}
	m, err := basin.Square(5, n, basin.MeshSeed)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("rest on a random bed with an island: %d cells, t = %g", len(m.Cells), end),
		"layers", "order", "scheme", "precision", "steps", "max speed", "max |Δh1|", "max |Δh2|")
	for layers, initial := range []func(x, y float64) basin.State{one, two} {
		for _, order := range []int{1, 2} {
			for _, scheme := range basin.Schemes {
				for _, precision := range []string{"float64", "float32"} {
					p.Progress("%d layers, order %d, %s, %s", layers+1, order, scheme, precision)
					cfg := basin.SecondOrder(scheme, .98, 1e-3)
					cfg.Order = order
					b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Precision: precision, Initial: initial})
					if err != nil {
						return err
					}
					speed, d1, d2, err := motionUntil(ctx, b, end)
					b.Close(ctx)
					if err != nil {
						return err
					}
					t.Row(verify.Exactly(max(speed, d1, d2), 0), layers+1, order, scheme, precision, b.Steps(), speed, d1, d2)
				}
			}
		}
	}
	t.Flush()
	return nil
}

// dams are those of Stoker and Ritter at second order, in a channel of 1000 m by 60 m. Stoker's solution must not
// overshoot by more than 1%; Ritter's front must be within 2% of its position with a dry depth of 1e-5 of 1 m.
// Dressler's dam has friction at the bed.
func dams(ctx context.Context, p *verify.Page) error {
	cells := 16000
	if p.Options.Quick {
		cells = 1000
	}
	m, err := mesh.Rectangle(0, 0, 1000, 60, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("dams of 10 m in a channel of %d cells", len(m.Cells)),
		"dam", "steps", "quantity", "reference", "Atoll")
	for _, c := range []struct {
		name  string
		right float64
		end   float64
		dry   float64
	}{{"Stoker", 1, 25, 1e-3}, {"Ritter", 0, 15, 1e-5}} {
		d := newDam(10, c.right)
		p.Progress("%s", c.name)
		initial := func(x, _ float64) basin.State {
			if x < 500 {
				return basin.State{H2: d.left}
			}
			return basin.State{H2: d.right}
		}
		f := basin.Flow{Mesh: m, Config: basin.SecondOrder("pvm-ifcp", 1, c.dry), Initial: initial}
		err := basin.Evolve(ctx, p, f, c.end, func(b *basin.Basin) error {
			exact := func(x, _ float64) float64 {
				h, _ := d.at(x-500, c.end)
				return h
			}
			e := b.MeanError("h2", exact) / b.Mean(func(_ int, x, y float64) float64 { return exact(x, y) })
			s, err := b.Diagnose(ctx)
			if err != nil {
				return err
			}
			if d.right > 0 {
				t.Row(basin.Finest(p, true, verify.AtMost(e, 2.2e-3)), c.name, b.Steps(), "error of h", 0, e)
				t.Row(verify.Between(s.H2Max, 0, 1.01*d.left), c.name, b.Steps(), "largest thickness, m", d.left, s.H2Max)
				t.Row(verify.AtLeast(s.H2Min, .99*d.right), c.name, b.Steps(), "least thickness, m", d.right, s.H2Min)
				return nil
			}
			front := (frontAt(b, "h2", c.dry) - 500) / c.end
			t.Row(verify.Info, c.name, b.Steps(), "error of h", 0, e)
			t.Row(basin.Finest(p, true, verify.Near(front, d.frontSpeed, .02)), c.name, b.Steps(), "speed of the front, m/s",
				d.frontSpeed, front)
			t.Row(verify.AtLeast(s.H2Min, 0), c.name, b.Steps(), "least thickness, m", 0, s.H2Min)
			return nil
		})
		if err != nil {
			return err
		}
	}
	t.Flush()
	return roughDam(ctx, p)
}

// bowls are Thacker's paraboloids at second order, over three periods. The centre of mass of the planar surface moves
// on a circle, whose radius measures the remaining motion.
func bowls(ctx context.Context, p *verify.Page) error {
	cells, periods := 16000, 3.0
	if p.Options.Quick {
		cells, periods = 2000, 1
	}
	m, err := mesh.Rectangle(-2, -2, 2, 2, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("bowls of %d cells after %g periods", len(m.Cells), periods),
		"surface", "steps", "quantity", "reference", "Atoll")
	for _, w := range []bowl{planarBowl(), radialBowl()} {
		p.Progress("%s", w.name)
		end := periods * 2 * math.Pi / w.omega
		b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: basin.SecondOrder("pvm-ifcp", 1, 1e-5),
			Initial: func(x, y float64) basin.State { return w.at(x, y, 0) }})
		if err != nil {
			return err
		}
		c, err := b.Conserve(ctx, end)
		if err != nil {
			b.Close(ctx)
			return err
		}
		water := b.Mean(func(i int, _, _ float64) float64 { return b.Value("h2", i) })
		e := b.MeanError("h2", func(x, y float64) float64 { return w.at(x, y, end).H2 }) / water
		x := b.Mean(func(i int, x, _ float64) float64 { return x * b.Value("h2", i) }) / water
		y := b.Mean(func(i int, _, y float64) float64 { return y * b.Value("h2", i) }) / water
		b.Close(ctx)
		t.Row(basin.Finest(p, true, verify.AtMost(e, .01)), w.name, b.Steps(), "error of h", 0, e)
		if w.name == "planar" {
			orbit := math.Hypot(x, y) / .5
			t.Row(basin.Finest(p, true, verify.AtLeast(orbit, .99)), w.name, b.Steps(), "radius of the orbit", 1, orbit)
		}
		t.Row(verify.AtMost(c.Drift2, 1e-13), w.name, b.Steps(), "drift of mass", 0, c.Drift2)
		t.Row(verify.AtLeast(c.Least, 0), w.name, b.Steps(), "least thickness, m", 0, c.Least)
	}
	t.Flush()
	return nil
}
