package verify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// floods checks one layer where it is thin, steep or over a rough bed: sheet flow, the energy of water on random beds,
// lakes that a disturbance must not set in motion, and random floods.
func floods(ctx context.Context, p *verify.Page) error {
	for _, check := range []func(context.Context, *verify.Page) error{sheetFlow, roughBeds, disturbedLakes,
		randomFloods} {
		if err := check(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// floodConfig returns the parameters of floods, with a dry depth in m.
func floodConfig(dry float64) shallow.Config {
	cfg := basin.SecondOrder("pvm-ifcp", .98, dry)
	cfg.Layers = 1
	return cfg
}

// rainyPlane is a plane in steady rain, on which the discharge per metre is that of the rain above, r x.
type rainyPlane struct{ slope, rain, manning, long float64 }

// kinematic returns the depth of uniform flow, h = (n r x/√S)^(3/5).
func (r *rainyPlane) kinematic(x float64) float64 {
	return math.Pow(r.manning*r.rain*x/math.Sqrt(r.slope), .6)
}

// depth returns the depth as a function of the distance from the ridge: on steep planes that of uniform flow, and on
// gentle ones, where the slope of the depth matters too, that of steady flow, d(q²/h + gh²/2)/dx = g h (S - S_f), which
// is integrated upstream from the outlet with the depth of uniform flow there.
func (r *rainyPlane) depth() func(x float64) float64 {
	if r.slope >= .01 {
		return r.kinematic
	}
	const pieces = 10000
	steep := func(x, h float64) float64 {
		q := r.rain * x
		friction := r.manning * r.manning * q * q / math.Pow(h, 10.0/3)
		return (basin.Gravity*h*(r.slope-friction) - 2*q*r.rain/h) / (basin.Gravity*h - q*q/(h*h))
	}
	step := .7 * r.long / pieces // down to 30% of the length
	table := []float64{r.kinematic(r.long)}
	for k := range pieces {
		x, h := r.long-float64(k)*step, table[k]
		middle := h - step/2*steep(x, h)
		table = append(table, h-step*steep(x-step/2, middle))
	}
	return func(x float64) float64 { return table[int((r.long-x)/step+.5)] }
}

// sheetFlow is steady rain on planes: on steep ones the water is much thinner than the bed's step between cells.
func sheetFlow(ctx context.Context, p *verify.Page) error {
	const rain, n, long, wide = 2.7778e-5, .03, 100.0, 10.0
	slopes, meshes := []float64{.001, .01, .1, .3, 1}, []int{100, 400}
	if p.Options.Quick {
		slopes, meshes = []float64{.001, .1, 1}, meshes[:1]
	}
	t := p.Table("sheet flow of rain down planes, from 40 m to 80 m below the ridge", "slope", "cells", "steps",
		"discharge/exact", "depth/exact")
	for _, slope := range slopes {
		for _, cells := range meshes {
			m, err := mesh.Rectangle(0, 0, long, wide, cells, basin.MeshSeed)
			if err != nil {
				return err
			}
			cfg := floodConfig(1e-5)
			cfg.Forcing.Rain = series.Constant(rain)
			plane := rainyPlane{slope, rain, n, long}
			deepest, exact := plane.kinematic(long), plane.depth()
			cfg.Given = basin.Given(m, map[string]*shallow.Given{"right": {Kind: "level",
				Value: series.Constant(deepest - slope*long)}})
			f := basin.Flow{Mesh: m, Config: cfg, Manning: n, Initial: func(x, _ float64) basin.State {
				return basin.State{Depth: slope * x}
			}}
			p.Progress("slope %g, %d cells", slope, len(m.Cells))
			end := 2 * deepest / rain // twice the time in which the outlet becomes steady
			err = basin.Evolve(ctx, p, f, end, func(b *basin.Basin) error {
				var flow, depth, area float64
				for i := range b.Part.Owned {
					x, _ := b.Part.Centroid(i)
					if x < 40 || x > 80 {
						continue
					}
					h, a := b.Value("h2", i), b.Part.Area(i)
					flow, depth, area = flow+a*h*b.Value("u2", i)/(rain*x), depth+a*h/exact(x), area+a
				}
				t.Row(verify.Near(flow/area, 1, .005).And(verify.Near(depth/area, 1, .01), "depth"), slope, len(m.Cells),
					b.Steps(), flow/area, depth/area)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	t.Flush()
	return nil
}

// roughBeds pours water on random beds without friction: no speed may be above √(2 g × the relief with the water), but
// for 30%: planes through the coarse bed exceed the relief, and waves that meet concentrate energy; and no thickness
// may be negative.
func roughBeds(ctx context.Context, p *verify.Page) error {
	beds, steps, side := 100, 5000, 50.0
	if p.Options.Quick {
		beds, steps = 5, 300
	}
	m, err := mesh.Rectangle(0, 0, side, side, 100, basin.MeshSeed)
	if err != nil {
		return err
	}
	fastest, least, slowest := 0.0, math.Inf(1), math.Inf(1)
	for k := range beds {
		rng := rand.New(rand.NewPCG(uint64(k), 1))
		relief := math.Pow(10, 2*rng.Float64()-.5) // 0.3 m to 30 m
		a, b, c := 1+9*rng.Float64(), 1+9*rng.Float64(), rng.Float64()
		full := rng.Float64() * relief / 4 // thickness of the water that is poured on a part
		cfg := floodConfig(1e-5)
		cfg.Forcing.Rain = series.Constant(2.8e-5)
		f := basin.Flow{Mesh: m, Config: cfg, Initial: func(x, y float64) basin.State {
			s := basin.State{Depth: relief / 2 * math.Sin(a*x+c*y) * math.Cos(b*y-x)}
			if x < side*c {
				s.H2 = full
			}
			return s
		}}
		p.Progress("bed %d of %d", k+1, beds)
		run, err := basin.Start(ctx, p, f)
		if err != nil {
			return err
		}
		most := math.Sqrt(2 * basin.Gravity * (relief + full))
		for i := 0; i < steps && err == nil; i++ {
			if _, err = run.Step(ctx, math.Inf(1)); err == nil && i%50 == 49 {
				var d shallow.Diagnostics
				if d, err = run.Diagnose(ctx); err == nil {
					fastest, least = max(fastest, d.SpeedMax/most), min(least, d.H2Min)
				}
			}
		}
		slowest = min(slowest, run.Time())
		run.Close(ctx)
		if err != nil {
			return err
		}
	}
	t := p.Table(fmt.Sprintf("%d random beds of %d cells without friction, %d steps", beds, len(m.Cells), steps),
		"quantity", "reference", "Atoll")
	t.Row(verify.AtMost(fastest, 1.3), "largest speed, as a share of that of the energy", "", fastest)
	t.Row(verify.AtLeast(least, 0), "least thickness, m", "", least)
	t.Row(verify.Info, "shortest time of all runs, s", "", slowest)
	t.Flush()
	return nil
}

// disturbedLakes has a level that is disturbed by 1e-8 m over a rough bed with an island, with all kinds of boundaries.
func disturbedLakes(ctx context.Context, p *verify.Page) error {
	cells, steps := 4050, 3000
	if p.Options.Quick {
		cells, steps = 500, 300
	}
	m, err := mesh.Rectangle(-5, -5, 5, 5, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("a lake over a rough bed, disturbed by 1e-8 m: %d cells, %d steps", len(m.Cells), steps),
		"right side", "t, s", "largest speed, m/s")
	for _, kind := range []string{"wall", "open", "level", "radiation"} {
		cfg := floodConfig(1e-3)
		if kind != "wall" {
			cfg.Given = basin.Given(m, map[string]*shallow.Given{"right": {Kind: kind, Value: series.Constant(0)}})
		}
		p.Progress("%s", kind)
		b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Initial: func(x, y float64) basin.State {
			depth := 2 - 4*math.Exp(-x*x-y*y) + .5*math.Sin(37*x)*math.Sin(41*y)
			return basin.State{Depth: depth, H2: max(0, depth+1e-8*math.Sin(13*x+7*y))}
		}})
		for i := 0; i < steps && err == nil; i++ {
			_, err = b.Step(ctx, math.Inf(1))
		}
		if err != nil {
			return err
		}
		d, err := b.Diagnose(ctx)
		at := b.Time()
		b.Close(ctx)
		if err != nil {
			return err
		}
		t.Row(verify.AtMost(d.SpeedMax, 1e-6), kind, at, d.SpeedMax)
	}
	t.Flush()
	return nil
}
