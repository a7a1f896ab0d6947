package adaptive

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
)

// Exact solutions, which package verify has.
type Exact struct {
	Dam  func(x, t float64) float64 // thickness of a dam break at x = 0, 2 m above 1 m
	Wave func(x, t float64) float64 // of a simple wave of 1 m over 100 m of water
}

const damCase = `
solver = "shallow-water"
physics = { layers = 1, order = 2 }
initial = { depth = 0, h = "x < 0 ? 2 : 1" }
time = { end = 5 }
`

const waveCase = `
solver = "shallow-water"
physics = { layers = 1, order = 2 }
time = { end = 160 }
[initial]
depth = 100
z = "exp(-((x - 5000)/1000)^2/2)"
u = "2*(sqrt(9.81*(100 + surface)) - sqrt(981))"
`

// lakeCase has a lake at rest at x > 0, around an island and over an uneven bed, and behind a ridge a basin with a
// wave, which the mesh follows on both sides of the ridge.
const lakeCase = `
solver = "shallow-water"
mesh = { generate = "delaunay", bounds = [-6, -4, 7, 4], cells = 500 }
physics = { layers = 1, order = 2, precision = "%s" }
maxima = {}
adapt = { steps = 8, share = 0, reach = 8, error = 0.003, hmin = 0.2, shore = 0.3, hmax = 0.5 }
time = { end = 100, max_steps = 64 }
[initial]
depth = "1 - 2.5*exp(-x*x) - 1.5*exp(-(x - 4)^2 - y*y) - (x > 0 ? 0.1*sin(3*x)*cos(2*y) : 0)"
z = "x < 0 ? 0.2*exp(-(x + 4)^2 - (y + 4)^2) : 0"
`

// flows are those of the check, on coarser meshes if it is to be quick.
func flows(of Exact, quick bool) []flow {
	dam := flow{name: "dam break", text: damCase, fixed: 34300, start: 800,
		mesh:  "\n[mesh]\ngenerate = \"delaunay\"\nbounds = [-130, 0, 130, 3]\ncells = %d\n",
		adapt: "[adapt]\nsteps = 60\nreach = 2\nerror = 0.004\nhmin = 0.2\n",
		exact: func(x, _ float64) float64 { return of.Dam(x, 5) }}
	wave := flow{name: "wave", text: waveCase, fixed: 75000, start: 1200,
		mesh:  "\n[mesh]\ngenerate = \"delaunay\"\nbounds = [0, 0, 200000, 500]\ncells = %d\n",
		adapt: "[adapt]\nsteps = 60\nerror = 0.00004\nhmin = 30\n",
		exact: func(x, _ float64) float64 { return of.Wave(x, 160) }}
	if quick {
		dam.fixed, dam.start = 8600, 400
		dam.adapt = "[adapt]\nsteps = 40\nreach = 2\nerror = 0.012\nhmin = 0.36\n"
		wave.fixed, wave.start = 18700, 600
		wave.adapt = "[adapt]\nsteps = 40\nerror = 0.0003\nhmin = 74\n"
	}
	return []flow{dam, wave}
}

// Follow compares runs whose mesh follows the water with those on fixed meshes, and lets a lake rest on meshes that
// change.
func Follow(of Exact) func(ctx context.Context, p *verify.Page) error {
	return func(ctx context.Context, p *verify.Page) error {
		t := p.Table("meshes that follow the water", "flow", "mesh", "steps", "cells, mean", "changes", "error of h, m",
			"time for changes", "change of volume")
		for _, f := range flows(of, p.Options.Quick) {
			if err := f.check(ctx, p, t); err != nil {
				return err
			}
		}
		t.Flush()
		return rest(ctx, p)
	}
}

// rest lets a lake rest on meshes that change.
func rest(ctx context.Context, p *verify.Page) error {
	t := p.Table("a lake at rest", "precision", "changes", "cells", "largest speed, m/s", "range of levels, m",
		"change of volume")
	for _, precision := range []string{"float64", "float32"} {
		most := map[string]float64{"float32": 1e-6, "float64": 1e-12}[precision]
		p.Progress("a lake at rest, %s", precision)
		o, err := runOn(ctx, p, fmt.Sprintf(lakeCase, precision), 2, func(float64, float64) float64 { return 0 })
		if err != nil {
			return err
		}
		row := func(v verify.Verdict) {
			t.Row(v, precision, o.metrics["mesh_changes"], o.metrics["mean_cells"], o.speed, o.levels, o.metrics["mass_drift"])
		}
		row(verify.VerdictOf(o.metrics["mesh_changes"] >= 7, "changes at each look"))
		row(verify.AtMost(o.speed, 0))
		row(verify.AtMost(o.levels, 0))
		row(verify.AtMost(math.Abs(o.metrics["mass_drift"]), most))
	}
	t.Flush()
	return nil
}
