package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// channels run steady flows of one layer between a discharge and a level that are given, at second order, until the
// seiche between both has died: those over a bump and over MacDonald's bed; uniform flow down a plane, whose depth is
// the normal one, (n q/√S)^(3/5); and a wave that runs out through a side that radiates.
func channels(ctx context.Context, p *verify.Page) error {
	for _, c := range steadyFlows(p) {
		if err := c.run(ctx, p); err != nil {
			return err
		}
	}
	if err := plane(ctx, p); err != nil {
		return err
	}
	return leaving(ctx, p)
}

// given sets what is given at the groups of a rectangle, left, right, bottom and top in their order in the mesh.
func given(m *mesh.Mesh, at map[string]*shallow.Given) []*shallow.Given {
	all := make([]*shallow.Given, len(m.Groups))
	for i, g := range m.Groups {
		all[i] = at[g.Name]
	}
	return all
}

func plane(ctx context.Context, p *verify.Page) error {
	const q, slope, manning, end = .5, .01, .03, 100.0
	cells := 2000
	if p.Options.Quick {
		cells = 500
	}
	normal := math.Pow(manning*q/math.Sqrt(slope), .6)
	m, err := mesh.Rectangle(0, 0, 100, 10, cells, meshSeed)
	if err != nil {
		return err
	}
	cfg := second("pvm-ifcp", 1, 1e-4)
	cfg.Given = given(m, map[string]*shallow.Given{
		"left":  {Kind: "discharge", Value: series.Steady(q)},
		"right": {Kind: "level", Value: series.Steady(normal - 100*slope)},
	})
	p.Progress("plane, %d cells", len(m.Cells))
	// It starts with half the depth, so that the normal one is found and not kept.
	f := flow{mesh: m, config: cfg, manning: manning, initial: func(x, _ float64) state {
		return state{depth: slope * x, h2: normal / 2, u2: q / normal}
	}}
	t := p.Table(fmt.Sprintf("uniform flow down a plane: %d cells, t = %g", len(m.Cells), end),
		"quantity", "theirs", "ours")
	err = evolve(ctx, p, f, end, func(b *basin) error {
		depth := b.meanBetween("h2", 20, 80)
		t.Row(verify.Near(depth, normal, .002), "mean depth from 20 m to 80 m, m", normal, depth)
		return nil
	})
	t.Flush()
	return err
}

// share is a bound, or a wider one of quick runs.
func share(p *verify.Page, full, quick float64) float64 {
	if p.Options.Quick {
		return quick
	}
	return full
}

// leaving sends a pulse out through a radiating side: what is left of its energy once it should be gone is what was
// reflected.
func leaving(ctx context.Context, p *verify.Page) error {
	cells := 2000
	if p.Options.Quick {
		cells = 800
	}
	m, err := mesh.Rectangle(0, 0, 20, 1, cells, meshSeed)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("a wave leaves: %d cells", len(m.Cells)), "order", "side", "left of the wave")
	for _, order := range []int{1, 2} {
		for _, kind := range []string{"wall", "radiation"} {
			p.Progress("a wave leaves, order %d, %s", order, kind)
			cfg := second("pvm-ifcp", 1, 1e-4)
			cfg.Order = order
			if kind == "radiation" {
				side := &shallow.Given{Kind: kind, Value: series.Steady(0)}
				cfg.Given = given(m, map[string]*shallow.Given{"left": side, "right": side})
			}
			wave := func(x, _ float64) state { return state{depth: 1, h2: 1 + .05*math.Exp(-(x-10)*(x-10))} }
			height := func(b *basin) float64 {
				return b.mean(func(i int, _, _ float64) float64 { return math.Abs(b.Value("z2", i)) })
			}
			b, err := start(ctx, p, flow{mesh: m, config: cfg, initial: wave})
			if err != nil {
				return err
			}
			before := height(b)
			err = b.until(ctx, 8, nil)
			left := height(b) / before
			b.close(ctx)
			if err != nil {
				return err
			}
			v := verify.AtLeast(left, .5)
			if kind == "radiation" {
				v = verify.AtMost(left, .01)
			}
			t.Row(v, order, kind, left)
		}
	}
	t.Flush()
	return nil
}
