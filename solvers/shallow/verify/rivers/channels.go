// Package rivers checks steady flow in channels and over weirs, what is given at the boundaries of rivers, the runoff
// of rain, and infiltration.
package rivers

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// Channels runs steady flows of one layer between a prescribed discharge and a prescribed level, at second order,
// until the seiche between the two has decayed: over a bump, over MacDonald's bed, and uniform flow down a plane with
// the normal depth (n q/√S)^(3/5); and a wave that leaves through a radiating side.
func Channels(ctx context.Context, p *verify.Page) error {
	for _, c := range steadyFlows(p) {
		if err := c.run(ctx, p); err != nil {
			return err
		}
	}
	if err := macDonaldChannels(ctx, p); err != nil {
		return err
	}
	if err := uniformFlow(ctx, p); err != nil {
		return err
	}
	return radiatingWave(ctx, p)
}

// uniformFlow runs uniform flow down a plane, from half of the normal depth.
func uniformFlow(ctx context.Context, p *verify.Page) error {
	const q, slope, manning, end = .5, .01, .03, 100.0
	cells := 2000
	if p.Options.Quick {
		cells = 500
	}
	normal := math.Pow(manning*q/math.Sqrt(slope), .6)
	m, err := mesh.Rectangle(0, 0, 100, 10, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-4)
	cfg.Given = basin.Given(m, map[string]*shallow.Given{
		"left":  {Kind: "discharge", Value: series.Constant(q)},
		"right": {Kind: "level", Value: series.Constant(normal - 100*slope)},
	})
	p.Progress("plane, %d cells", len(m.Cells))
	// It starts with half the depth, so that the normal depth is found and not only kept.
	f := basin.Flow{Mesh: m, Config: cfg, Manning: manning, Initial: func(x, _ float64) basin.State {
		return basin.State{Depth: slope * x, H2: normal / 2, U2: q / normal}
	}}
	t := p.Table(fmt.Sprintf("uniform flow down a plane: %d cells, t = %g", len(m.Cells), end),
		"quantity", "reference", "Atoll")
	err = basin.Evolve(ctx, p, f, end, func(b *basin.Basin) error {
		depth := b.MeanBetween("h2", 20, 80)
		t.Row(verify.Near(depth, normal, .002), "mean depth from 20 m to 80 m, m", normal, depth)
		return nil
	})
	t.Flush()
	return err
}

// radiatingWave sends a pulse out of a channel with walls or radiation conditions at its ends; the part of its height
// that remains in the channel was reflected.
func radiatingWave(ctx context.Context, p *verify.Page) error {
	cells := 2000
	if p.Options.Quick {
		cells = 800
	}
	m, err := mesh.Rectangle(0, 0, 20, 1, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("a wave leaves: %d cells", len(m.Cells)), "order", "side", "left of the wave")
	for _, order := range []int{1, 2} {
		for _, kind := range []string{"wall", "radiation"} {
			p.Progress("a wave leaves, order %d, %s", order, kind)
			cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-4)
			cfg.Order = order
			if kind == "radiation" {
				side := &shallow.Given{Kind: kind, Value: series.Constant(0)}
				cfg.Given = basin.Given(m, map[string]*shallow.Given{"left": side, "right": side})
			}
			wave := func(x, _ float64) basin.State { return basin.State{Depth: 1, H2: 1 + .05*math.Exp(-(x-10)*(x-10))} }
			height := func(b *basin.Basin) float64 {
				return b.Mean(func(i int, _, _ float64) float64 { return math.Abs(b.Value("z2", i)) })
			}
			b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Initial: wave})
			if err != nil {
				return err
			}
			initial := height(b)
			err = b.Until(ctx, 8, nil)
			remaining := height(b) / initial
			b.Close(ctx)
			if err != nil {
				return err
			}
			v := verify.AtLeast(remaining, .5)
			if kind == "radiation" {
				v = verify.AtMost(remaining, .01)
			}
			t.Row(v, order, kind, remaining)
		}
	}
	t.Flush()
	return nil
}
