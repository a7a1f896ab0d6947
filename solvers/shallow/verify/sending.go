package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// The checks in this file generate linear waves in both directions along a channel of 20 km by 2 km, 100 m deep, from a
// hump of 1 cm, about 2 km long.
const (
	waveDepth  = 100.0
	humpHeight = .01
)

func hump(x float64) float64 {
	x = (x - 1e4) / 1e3
	return humpHeight * math.Exp(-x*x)
}

// travellingHalves returns the level at x of the two halves of the hump after they have travelled for a time t in s.
func travellingHalves(x, t float64) float64 {
	distance := math.Sqrt(basin.Gravity*waveDepth) * t
	return (hump(x-distance) + hump(x+distance)) / 2
}

// upliftWave lifts the bed by the hump, at once, or evenly over 60 s, when each moment of the rise emits its part of
// both halves.
func upliftWave(ctx context.Context, p *verify.Page) error {
	const end, during = 150.0, 60.0
	t := p.Table(fmt.Sprintf("the bed rises: waves after %g s", end), "cells", "within, s", "order", "quantity",
		"reference", "Atoll")
	for _, within := range []float64{0, during} {
		exact := func(x float64) float64 {
			const moments = 200
			if within == 0 {
				return travellingHalves(x, end)
			}
			sum := 0.0
			for k := range moments {
				sum += travellingHalves(x, end-(float64(k)+.5)/moments*within) / moments
			}
			return sum
		}
		for _, order := range []int{1, 2} {
			cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-3)
			cfg.Order = order
			cfg.Forcing.UpliftTo = within
			f := basin.Flow{Config: cfg, Uplift: func(x, _ float64) float64 { return hump(x) }}
			e, b, err := runWave(ctx, p, f, end, exact)
			if err != nil {
				return err
			}
			v := verify.Info
			if order == 2 {
				v = verify.AtMost(e, basin.Bound(p, .01, .1))
			}
			t.Row(v, b.Part.Owned, within, order, "error of the level, as a share", 0, e)
			i := b.SoundingAt(1e4, 1e3).Cell
			x, _ := b.Part.Centroid(i)
			lifted := waveDepth - b.Value("depth", i)
			t.Row(verify.Near(lifted, hump(x), 1e-9), b.Part.Owned, within, order, "rise of the bed, m",
				hump(x), lifted)
		}
	}
	t.Flush()
	return nil
}

// pressureWave applies the weight of the hump as air pressure from the start. The level there falls by the hump, and
// the displaced water travels in both directions.
func pressureWave(ctx context.Context, p *verify.Page) error {
	const end = 150.0
	t := p.Table(fmt.Sprintf("the air presses: waves after %g s", end), "cells", "order", "quantity", "reference", "Atoll")
	for _, order := range []int{1, 2} {
		cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-3)
		cfg.Order = order
		f := basin.Flow{Config: cfg, Pressure: func(x, _ float64) float64 { return basin.Gravity * hump(x) }}
		e, b, err := runWave(ctx, p, f, end, func(x float64) float64 { return travellingHalves(x, end) - hump(x) })
		if err != nil {
			return err
		}
		v := verify.Info
		if order == 2 {
			v = verify.AtMost(e, basin.Bound(p, .01, .1))
		}
		t.Row(v, b.Part.Owned, order, "error of the level, as a share", 0, e)
	}
	t.Flush()
	return nil
}

// runWave runs a flow from rest and returns the mean error of its level, relative to the mean of |exact|.
func runWave(ctx context.Context, p *verify.Page, f basin.Flow, end float64,
	exact func(x float64) float64) (e float64, b *basin.Basin, err error) {
	cells := 4000
	if p.Options.Quick {
		cells = 1000
	}
	if f.Mesh, err = mesh.Rectangle(0, 0, 20e3, 2e3, cells, basin.MeshSeed); err != nil {
		return 0, nil, err
	}
	p.Progress("waves, order %d, %d cells", f.Config.Order, len(f.Mesh.Cells))
	f.Initial = func(_, _ float64) basin.State { return basin.State{Depth: waveDepth, H2: waveDepth} }
	err = basin.Evolve(ctx, p, f, end, func(run *basin.Basin) error {
		b = run
		size := b.Mean(func(_ int, x, _ float64) float64 { return math.Abs(exact(x)) })
		e = b.MeanError("z2", func(x, _ float64) float64 { return exact(x) }) / size
		return nil
	})
	return e, b, err
}
