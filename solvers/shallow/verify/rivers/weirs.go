package rivers

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// headUpstream returns the mean of the head, level + (u²+v²)/2g, between two positions over the second half of a run
// until end, since a seiche decays slowly.
func headUpstream(ctx context.Context, b *basin.Basin, from, to, end float64) (head float64, err error) {
	var weight float64
	err = b.Until(ctx, end, func(dt float64) error {
		if b.Time() < end/2 {
			return nil
		}
		for i := range b.Part.Owned {
			if x, _ := b.Part.Centroid(i); x > from && x < to {
				u, v, w := b.Value("u2", i), b.Value("v2", i), b.Part.Area(i)*dt
				head += w * (b.Value("z2", i) + (u*u+v*v)/(2*basin.Gravity))
				weight += w
			}
		}
		return nil
	})
	return head / weight, err
}

// Weirs has flow over steps of the bed and over weirs.
func Weirs(ctx context.Context, p *verify.Page) error {
	if err := overSteps(ctx, p); err != nil {
		return err
	}
	return weirs(ctx, p)
}

// weirs has a discharge over weirs of .5 m with crests of several lengths, the shortest that of a single cell. On the
// crest the flow is critical: the head over it is 3/2 (q²/g)^(1/3). On crests of one or two cells it is up to 11% too
// low on the coarser mesh.
func weirs(ctx context.Context, p *verify.Page) error {
	const q, high, end = .3244, .5, 120.0
	head := criticalHead(q)
	crests, edges := []float64{4, 2, .5}, []float64{.5, .25}
	if p.Options.Quick {
		crests, edges = crests[:1], edges[:1]
	}
	t := p.Table(fmt.Sprintf("weirs of %g m with %g m²/s, from an empty channel", high, q), "crest, m", "edge, m", "order",
		"head over the crest, m", "Atoll")
	for _, edge := range edges {
		m, err := mesh.Rectangle(0, 0, 20, 4*edge, int(8*20/edge), basin.MeshSeed)
		if err != nil {
			return err
		}
		for _, crest := range crests {
			for order := 1; order <= 2; order++ {
				p.Progress("a crest of %g m, edges of %g m, order %d", crest, edge, order)
				cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-5)
				cfg.Order, cfg.Given = order, basin.Given(m, map[string]*shallow.Given{
					"left":  {Kind: "discharge", Value: series.Constant(q)},
					"right": {Kind: "critical"}})
				b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Initial: func(x, _ float64) basin.State {
					if x > 10 && x < 10+crest {
						return basin.State{Depth: -high}
					}
					return basin.State{}
				}})
				if err != nil {
					return err
				}
				h, err := headUpstream(ctx, b, 3, 8, end)
				b.Close(ctx)
				if err != nil {
					return err
				}
				tolerance := .03
				if crest < 4*edge {
					tolerance = .12
				}
				t.Row(verify.Near(h-high, head, tolerance), crest, edge, order, head, h-high)
			}
		}
	}
	t.Flush()
	return nil
}
