package rivers

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// moreRanks are those on which flows with a coefficient that depends on the water are computed again.
var moreRanks = []int{3, 7}

// roughness is Manning's n by depth.
type roughness struct{ shallow, below, deep, manning float64 }

// normal returns the depth of uniform flow, the root of h = (n(h) q/√S)^(3/5).
func (r *roughness) normal(q, slope float64) float64 {
	low, high := 0.0, 10.0
	for range 100 {
		h := (low + high) / 2
		share := max(0, min(1, (h-r.below)/(r.deep-r.below)))
		n := r.shallow + (r.manning-r.shallow)*share
		if math.Pow(h, 5.0/3)*math.Sqrt(slope)/n < q {
			low = h
		} else {
			high = h
		}
	}
	return low
}

// coefficients returns those of a flow, besides Manning's n of deep water.
func (r *roughness) coefficients() map[string]float64 {
	return map[string]float64{coefficients.ManningShallow: r.shallow, coefficients.DepthShallow: r.below,
		coefficients.DepthDeep: r.deep}
}

// Roughness compares uniform flow over a bed whose roughness depends on the depth with its formula: where the depth is
// between the two of the roughness, from half of it, and a sheet of rain, whose roughness halves on its way. Roughness
// that falls faster with the depth makes roll waves.
func Roughness(ctx context.Context, p *verify.Page) error {
	cells := 1000
	if p.Options.Quick {
		cells = 250
	}
	m, err := mesh.Rectangle(0, 0, 100, 10, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("uniform flow where roughness depends on the depth: %d cells", len(m.Cells)), "flow",
		"depth/exact", "discharge/exact")
	const q, slope, rain = .5, .01, 2.7778e-5
	river, grass := roughness{.1, .05, .4, .03}, roughness{.1, .003, .02, .03}
	for _, order := range []int{1, 2} {
		cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-4)
		cfg.Order = order
		deep := river.normal(q, slope)
		cfg.Given = basin.Given(m, map[string]*shallow.Given{
			"left":  {Kind: "discharge", Value: series.Constant(q)},
			"right": {Kind: "normal", Value: series.Constant(slope)},
		})
		f := basin.Flow{Mesh: m, Config: cfg, Manning: river.manning, Coefficients: river.coefficients(), Ranks: moreRanks,
			Initial: func(x, _ float64) basin.State { return basin.State{Depth: slope * x, H2: deep / 2, U2: q / deep} }}
		p.Progress("river, order %d", order)
		err := basin.Evolve(ctx, p, f, 150, func(b *basin.Basin) error {
			flow := b.Mean(func(i int, _, _ float64) float64 { return b.Value("h2", i) * b.Value("u2", i) })
			depth := b.MeanBetween("h2", 20, 80)
			t.Row(verify.Near(depth, deep, .01).And(verify.Near(flow, q, basin.Bound(p, .01, .03)), "discharge"),
				fmt.Sprintf("river, order %d", order), depth/deep, flow/q)
			return nil
		})
		if err != nil {
			return err
		}
	}
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-5)
	cfg.Layers, cfg.Forcing.Rain = 1, series.Constant(rain)
	const steep = .02
	cfg.Given = basin.Given(m, map[string]*shallow.Given{"right": {Kind: "open"}})
	f := basin.Flow{Mesh: m, Config: cfg, Manning: grass.manning, Coefficients: grass.coefficients(), Ranks: moreRanks,
		Initial: func(x, _ float64) basin.State { return basin.State{Depth: steep * x} }}
	p.Progress("sheet of rain")
	err = basin.Evolve(ctx, p, f, 1500, func(b *basin.Basin) error {
		var flow, depth, area float64
		for i := range b.Part.Owned {
			if x, _ := b.Part.Centroid(i); x > 20 && x < 80 {
				h, a := b.Value("h2", i), b.Part.Area(i)
				flow, depth, area = flow+a*h*b.Value("u2", i)/(rain*x), depth+a*h/grass.normal(rain*x, steep), area+a
			}
		}
		t.Row(verify.Near(depth/area, 1, .01).And(verify.Near(flow/area, 1, .01), "discharge"), "sheet of rain", depth/area,
			flow/area)
		return nil
	})
	t.Flush()
	return err
}
