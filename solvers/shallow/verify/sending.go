package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// Sources of linear waves in both directions along a channel of 20 km by 2 km, 100 m deep: a hump of 1 cm, about 2 km
// long.
const (
	sendingDepth = 100.0
	sendingTall  = .01
)

func sendingHump(x float64) float64 {
	x = (x - 1e4) / 1e3
	return sendingTall * math.Exp(-x*x)
}

// halves is the two halves of the hump after they have travelled for a time.
func halves(x, t float64) float64 {
	distance := math.Sqrt(basin.Gravity*sendingDepth) * t
	return (sendingHump(x-distance) + sendingHump(x+distance)) / 2
}

// raised lifts the bed by the hump, at once and evenly over 60 s; each moment of the rise emits its part of both
// halves.
func raised(ctx context.Context, p *verify.Page) error {
	const end, during = 150.0, 60.0
	t := p.Table(fmt.Sprintf("the bed rises: waves after %g s", end), "cells", "within, s", "order", "quantity",
		"reference", "Atoll")
	for _, within := range []float64{0, during} {
		exact := func(x float64) float64 {
			const moments = 200
			if within == 0 {
				return halves(x, end)
			}
			sum := 0.0
			for k := range moments {
				sum += halves(x, end-(float64(k)+.5)/moments*within) / moments
			}
			return sum
		}
		for _, order := range []int{1, 2} {
			cfg := basin.Second("pvm-ifcp", 1, 1e-3)
			cfg.Order = order
			cfg.Forcing.UpliftTo = within
			f := basin.Flow{Config: cfg, Uplift: func(x, _ float64) float64 { return sendingHump(x) }}
			e, b, err := send(ctx, p, f, end, exact)
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
			lifted := sendingDepth - b.Value("depth", i)
			t.Row(verify.Near(lifted, sendingHump(x), 1e-9), b.Part.Owned, within, order, "rise of the bed, m",
				sendingHump(x), lifted)
		}
	}
	t.Flush()
	return nil
}

// pressed applies the weight of the hump as air pressure from the start. The level below falls by the hump, and the
// excess travels in both directions.
func pressed(ctx context.Context, p *verify.Page) error {
	const end = 150.0
	t := p.Table(fmt.Sprintf("the air presses: waves after %g s", end), "cells", "order", "quantity", "reference", "Atoll")
	for _, order := range []int{1, 2} {
		cfg := basin.Second("pvm-ifcp", 1, 1e-3)
		cfg.Order = order
		f := basin.Flow{Config: cfg, Pressure: func(x, _ float64) float64 { return basin.Gravity * sendingHump(x) }}
		e, b, err := send(ctx, p, f, end, func(x float64) float64 { return halves(x, end) - sendingHump(x) })
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

// send runs a flow from rest and returns the mean error of its level, relative to the mean level.
func send(ctx context.Context, p *verify.Page, f basin.Flow, end float64,
	exact func(x float64) float64) (e float64, b *basin.Basin, err error) {
	cells := 4000
	if p.Options.Quick {
		cells = 1000
	}
	if f.Mesh, err = mesh.Rectangle(0, 0, 20e3, 2e3, cells, basin.MeshSeed); err != nil {
		return 0, nil, err
	}
	p.Progress("waves, order %d, %d cells", f.Config.Order, len(f.Mesh.Cells))
	f.Initial = func(_, _ float64) basin.State { return basin.State{Depth: sendingDepth, H2: sendingDepth} }
	err = basin.Evolve(ctx, p, f, end, func(run *basin.Basin) error {
		b = run
		size := b.Mean(func(_ int, x, _ float64) float64 { return math.Abs(exact(x)) })
		e = b.MeanError("z2", func(x, _ float64) float64 { return exact(x) }) / size
		return nil
	})
	return e, b, err
}
