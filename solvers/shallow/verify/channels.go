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
// seiche between both has died: subcritical flow over the bump of the SWASHES collection (O. Delestre et al., arXiv
// 1110.0288), whose head q²/(2gh²) + h + b is the same everywhere; uniform flow down a plane, whose depth is the normal
// one, (n q/√S)^(3/5); and a wave that runs out through a side that radiates.
func channels(ctx context.Context, p *verify.Page) error {
	if err := bump(ctx, p); err != nil {
		return err
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

func bump(ctx context.Context, p *verify.Page) error {
	const q, out = 4.42, 2.0 // m²/s, m
	cells, end, most := 2000, 200.0, 6e-5
	if p.Options.Quick {
		cells, end, most = 200, 60, .02
	}
	m, err := mesh.Rectangle(0, 0, 25, 1, cells, meshSeed)
	if err != nil {
		return err
	}
	bed := func(x float64) float64 { return max(0, .2-.05*(x-10)*(x-10)) }
	cfg := second("pvm-ifcp", 1, 1e-4)
	cfg.Given = given(m, map[string]*shallow.Given{
		"left": {Kind: "discharge", Value: series.Steady(q)}, "right": {Kind: "level", Value: series.Steady(out)},
	})
	p.Progress("bump, %d cells", len(m.Cells))
	t := p.Table(fmt.Sprintf("subcritical flow over a bump: %d cells, t = %g", len(m.Cells), end),
		"quantity", "theirs", "ours")
	f := flow{mesh: m, config: cfg, initial: func(x, _ float64) state { return state{depth: -bed(x), h2: out - bed(x)} }}
	err = evolve(ctx, p, f, end, func(b *basin) error {
		head := q*q/(2*gravity*out*out) + out
		depth := func(x, _ float64) float64 {
			h := out
			for range 100 {
				h -= (q*q/(2*gravity*h*h) + h + bed(x) - head) / (1 - q*q/(gravity*h*h*h))
			}
			return h
		}
		e := b.meanError("h2", depth)
		t.Row(verify.AtMost(e, most), "mean error of h, m", 0, e)
		flow := b.mean(func(i int, _, _ float64) float64 { return b.Value("h2", i) * b.Value("u2", i) })
		t.Row(verify.Near(flow, q, share(p, 1e-4, .01)), "mean discharge, m²/s", q, flow)
		return nil
	})
	t.Flush()
	return err
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
	m, err := mesh.Rectangle(0, 0, 20, 1, 2000, meshSeed)
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
