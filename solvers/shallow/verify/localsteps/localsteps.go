// Package localsteps checks local time steps of shallow water, on meshes whose cells differ in size.
package localsteps

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// ranks are numbers of ranks on which flows are computed again: their states have the same bits.
var ranks = []int{3, 7}

// lengths are numbers of lengths of steps.
var lengths = []int{1, 2, 4}

// Exact is an exact solution: thickness and velocity at x and a time, of a pulse in a channel of 20 km.
type Exact func(x, t float64) (h, u float64)

// Check returns the check, which compares with the exact solution of a pulse.
func Check(pulse Exact) func(context.Context, *verify.Page) error {
	return func(ctx context.Context, p *verify.Page) error {
		for _, check := range []func(context.Context, *verify.Page) error{
			func(ctx context.Context, p *verify.Page) error { return wave(ctx, p, pulse) }, rest, front,
		} {
			if err := check(ctx, p); err != nil {
				return err
			}
		}
		return nil
	}
}

// settings are those of one layer, for a number of lengths of steps.
func settings(order, lengths int) shallow.Config {
	c := basin.SecondOrder("pvm-ifcp", 1, 1e-4)
	c.Order, c.Layers, c.LocalSteps = order, 1, lengths
	return c
}

// refined returns the mesh of a rectangle whose triangles in the middle have a seventh of the length that those at its
// ends have.
func refined(x0, y0, x1, y1 float64, cells int) (*mesh.Mesh, error) {
	m, err := mesh.Rectangle(x0, y0, x1, y1, cells, basin.MeshSeed)
	if err != nil {
		return nil, err
	}
	const amount = .75
	for i, x := range m.X {
		s := (x - x0) / (x1 - x0)
		m.X[i] = x0 + (x1-x0)*(s-amount/(2*math.Pi)*math.Sin(2*math.Pi*(s-.5)))
	}
	return m, nil
}

// wave compares a pulse, which travels from long cells to short ones, with the exact solution: its error must be near
// that of equal steps, and its order too, but at second order, where theirs is above 2, need only be 1.9.
func wave(ctx context.Context, p *verify.Page, pulse Exact) error {
	const end, depth = 160, 100
	sizes := []int{4000, 16000}
	if p.Options.Quick {
		sizes = []int{500, 2000}
	}
	t := p.Table("a simple wave that travels into shorter cells: mean error as a share of the wave", "order", "lengths",
		"cells", "steps", "error of h", "over that of equal steps", "order of the error")
	for _, order := range []int{1, 2} {
		var equal [2]float64
		for _, n := range lengths {
			var errs [2]float64
			for k, size := range sizes {
				p.Progress("order %d, %d lengths, %d cells", order, n, size)
				m, err := refined(0, 0, 20000, 2000, size)
				if err != nil {
					return err
				}
				f := basin.Flow{Mesh: m, Config: settings(order, n), Ranks: ranks, Initial: func(x, _ float64) basin.State {
					h, u := pulse(x, 0)
					return basin.State{Depth: depth, H2: h, U2: u}
				}}
				exact := func(x, _ float64) float64 {
					h, _ := pulse(x, end)
					return h
				}
				err = basin.Evolve(ctx, p, f, end, func(b *basin.Basin) error {
					size := b.Mean(func(_ int, x, y float64) float64 { return math.Abs(exact(x, y) - depth) })
					errs[k] = b.MeanError("h2", exact) / size
					if n == 1 {
						equal[k] = errs[k]
					}
					found, was := "", verify.Order(equal[0], equal[1])
					verdict := verify.AtMost(errs[k]/equal[k], 1.4)
					if k == 1 {
						o := verify.Order(errs[0], errs[1])
						found = fmt.Sprintf("%.2f", o)
						verdict = verdict.And(verify.AtLeast(o, min(was-.05, 1.9)), "order")
					}
					t.Row(verdict, order, n, len(m.Cells), b.Steps(), errs[k], fmt.Sprintf("%.3f", errs[k]/equal[k]), found)
					return nil
				})
				if err != nil {
					return err
				}
			}
		}
	}
	t.Flush()
	return nil
}

// rest is a lake at rest with islands over an uneven bed. It must not move at all.
func rest(ctx context.Context, p *verify.Page) error {
	end := 20.0
	if p.Options.Quick {
		end = 1
	}
	m, err := refined(-5, -5, 5, 5, 1500)
	if err != nil {
		return err
	}
	bed := func(x, y float64) float64 {
		return 1 - 2.5*math.Exp(-(x*x+y*y)/2) + .3*math.Sin(7*x)*math.Cos(5*y)
	}
	t := p.Table(fmt.Sprintf("a lake at rest with an island: %d cells, %g s", len(m.Cells), end), "order", "lengths",
		"precision", "steps", "largest speed, m/s")
	for _, order := range []int{1, 2} {
		for _, n := range lengths {
			for _, precision := range []string{"float64", "float32"} {
				f := basin.Flow{Mesh: m, Config: settings(order, n), Precision: precision, Ranks: ranks,
					Initial: func(x, y float64) basin.State {
						d := bed(x, y)
						return basin.State{Depth: d, H2: max(0, d)}
					}}
				err := basin.Evolve(ctx, p, f, end, func(b *basin.Basin) error {
					now, err := b.Diagnose(ctx)
					t.Row(verify.Exactly(now.SpeedMax, 0), order, n, precision, b.Steps(), now.SpeedMax)
					return err
				})
				if err != nil {
					return err
				}
			}
		}
	}
	t.Flush()
	return nil
}

// front is water that floods dry hills from a reservoir, with friction: mass is kept to rounding, and no thickness
// becomes negative, which ends a run.
func front(ctx context.Context, p *verify.Page) error {
	end, cells := 8.0, 6000
	if p.Options.Quick {
		end, cells = 4, 1500
	}
	m, err := refined(-10, -5, 10, 5, cells)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("a flood of dry hills: %d cells, %g s", len(m.Cells), end), "order", "lengths", "steps",
		"change of mass", "mean difference of h from equal steps, m")
	for _, order := range []int{1, 2} {
		var equal []float64
		for _, n := range lengths {
			p.Progress("flood, order %d, %d lengths", order, n)
			f := basin.Flow{Mesh: m, Config: settings(order, n), Manning: .03, Ranks: ranks,
				Initial: func(x, y float64) basin.State {
					s := basin.State{Depth: -.3 * math.Sin(2*x) * math.Cos(3*y)}
					if x < -4 {
						s.H2 = max(0, 2+s.Depth)
					}
					return s
				}}
			before := 0.0
			b, err := basin.Start(ctx, p, f)
			if err != nil {
				return err
			}
			d, err := b.Diagnose(ctx)
			if err == nil {
				before = d.Mass2
				err = b.Until(ctx, end, nil)
			}
			if err == nil {
				d, err = b.Diagnose(ctx)
			}
			var h []float64
			if err == nil {
				h, err = b.Field("h2")
			}
			if err == nil {
				if n == 1 {
					equal = h
				}
				differ := b.Mean(func(i int, _, _ float64) float64 { return math.Abs(h[i] - equal[i]) })
				change := math.Abs(d.Mass2-before) / before
				verdict := verify.AtMost(change, 1e-13).And(verify.AtMost(differ, .01), "difference")
				t.Row(verdict, order, n, b.Steps(), change, differ)
			}
			b.Close(ctx)
			if err != nil {
				return err
			}
		}
	}
	t.Flush()
	return nil
}
