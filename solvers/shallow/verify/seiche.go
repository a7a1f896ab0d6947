package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// seiche is an oscillation of the interface of two layers in a closed basin, in the slow mode of linear waves, whose
// surface hardly moves: after whole periods its phase and amplitude must be the initial ones.
func seiche(ctx context.Context, p *verify.Page) error {
	const h1, h2, ratio, long, tall = 40.0, 60.0, .98, 1000.0, .05
	nx, periods := 100, 5
	if p.Options.Quick {
		nx, periods = 40, 1
	}
	m, err := basin.Strip(0, long, nx, 4)
	if err != nil {
		return err
	}
	// squaredSpeed is c² of the slow mode. surface is the rise z1 of the surface where the interface rises by z2 = 1: the
	// upper layer's equations give c²(z1 - z2) = g h1 z1, so that z1 = c²/(c² - g h1).
	sum, product := basin.Gravity*(h1+h2), basin.Gravity*basin.Gravity*(1-ratio)*h1*h2
	squaredSpeed := product / ((sum + math.Sqrt(sum*sum-4*product)) / 2)
	surface := squaredSpeed / (squaredSpeed - basin.Gravity*h1)
	period := 2 * long / math.Sqrt(squaredSpeed)
	initial := func(x, _ float64) basin.State {
		z2 := tall * math.Cos(math.Pi*x/long)
		return basin.State{Depth: h1 + h2, H2: h2 + z2, H1: h1 + (surface-1)*z2}
	}
	t := p.Table(fmt.Sprintf("a seiche of two layers after %d periods: %d cells", periods, len(m.Cells)),
		"order", "quantity", "reference", "Atoll")
	for _, order := range []int{1, 2} {
		p.Progress("seiche, order %d", order)
		cfg := basin.SecondOrder("pvm-ifcp", ratio, 1e-3)
		cfg.Order = order
		b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Initial: initial})
		if err != nil {
			return err
		}
		c, err := b.Conserve(ctx, float64(periods)*period)
		if err != nil {
			b.Close(ctx)
			return err
		}
		remaining := b.Mean(func(i int, x, _ float64) float64 {
			return 2 * math.Cos(math.Pi*x/long) * (b.Value("h2", i) - h2) / tall
		})
		steps := b.Steps()
		b.Close(ctx)
		v := verify.Info
		if order == 2 {
			v = verify.Near(remaining, 1, basin.Bound(p, .01, .02))
		}
		t.Row(v, order, "height of the mode", 1, remaining)
		t.Row(verify.AtMost(max(c.Drift1, c.Drift2), 1e-13), order, "drift of mass", 0, max(c.Drift1, c.Drift2))
		t.Row(verify.Info, order, "steps", "", steps)
	}
	t.Flush()
	return longRuns(ctx, p, initial, ratio)
}

// longRuns takes 100,000 steps on a coarse mesh: with a seiche of two layers, and with one layer in a parabolic
// channel, W. C. Thacker's planar surface with moving shores. The motion may decay, but must neither grow nor make a
// thickness negative.
func longRuns(ctx context.Context, p *verify.Page, layered func(x, y float64) basin.State, ratio float64) error {
	steps, nx := 100000, 40
	if p.Options.Quick {
		steps = 1000
	}
	const half, deep, tilt = 500.0, 10.0, .004
	channel := func(x, _ float64) basin.State {
		x -= half
		s := basin.State{Depth: deep * (1 - 4*x*x/(half*half))}
		s.H2 = max(0, s.Depth+tilt*x)
		return s
	}
	t := p.Table(fmt.Sprintf("long runs: %d steps", steps), "water", "cells", "t, s", "quantity", "Atoll")
	for _, c := range []struct {
		name    string
		ratio   float64
		initial func(x, y float64) basin.State
		rest    func(x float64) float64 // level of the surface, or of the interface of two layers, at rest
	}{
		{"two layers", ratio, layered, func(float64) float64 { return 60 }},
		{"shores", 1, channel, func(x float64) float64 { return max(0, channel(x, 0).Depth) }},
	} {
		m, err := basin.Strip(0, 1000, nx, 4)
		if err != nil {
			return err
		}
		p.Progress("%d steps, %s", steps, c.name)
		b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: basin.SecondOrder("pvm-ifcp", c.ratio, 1e-3),
			Initial: c.initial})
		if err != nil {
			return err
		}
		motion := func() float64 {
			return b.Mean(func(i int, x, _ float64) float64 { return math.Abs(b.Value("h2", i) - c.rest(x)) })
		}
		initialMotion, largest, least := motion(), 0.0, math.Inf(1)
		for err == nil && b.Steps() < steps {
			if _, err = b.Step(ctx, math.Inf(1)); err == nil && b.Steps()%10 == 0 {
				largest = max(largest, motion())
				for i := range b.Part.Owned {
					least = min(least, b.Value("h1", i), b.Value("h2", i))
				}
			}
		}
		name, cells, at := c.name, b.Part.Owned, b.Time()
		b.Close(ctx)
		if err != nil {
			return err
		}
		t.Row(verify.AtMost(largest/initialMotion, 1.02), name, cells, at, "largest motion, of that at the start",
			largest/initialMotion)
		t.Row(verify.AtLeast(least, 0), name, cells, at, "least thickness, m", least)
	}
	t.Flush()
	return nil
}
