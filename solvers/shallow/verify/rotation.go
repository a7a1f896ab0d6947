package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// rotation checks long runs with rotation, in which noise of the grid must not grow.
func rotation(ctx context.Context, p *verify.Page) error {
	if err := windOverABasin(ctx, p); err != nil {
		return err
	}
	return geostrophicEddy(ctx, p)
}

// windOverABasin has wind over a basin of 400 km for a day. In the following 29 days its currents must not grow: they
// were 0.1 m/s after 6 days and 1 m/s after 20 without the dissipation of tangential momentum.
func windOverABasin(ctx context.Context, p *verify.Page) error {
	const long, deep, day = 4e5, 100.0, 86400.0
	cells, days := 2000, 30
	if p.Options.Quick {
		cells, days = 500, 8
	}
	m, err := mesh.Rectangle(0, 0, long, long, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	cfg := floodConfig(1e-3)
	cfg.Forcing.Drag = air.Constant(1.5e-6)
	cfg.Forcing.WindX = []series.Row{{T: 0, Value: 15}, {T: day, Value: 15}, {T: day + 60, Value: 0}}
	cfg.Forcing.WindY = series.Constant(0)
	f := basin.Flow{Mesh: m, Config: cfg, Manning: .025, Coriolis: 2 * 7.292e-5 * math.Sin(math.Pi/4),
		Initial: func(_, _ float64) basin.State { return basin.State{Depth: deep, H2: deep} }}
	b, err := basin.Start(ctx, p, f)
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	t := p.Table(fmt.Sprintf("after a day of wind over a basin with rotation: %d cells", len(m.Cells)),
		"day", "steps", "largest speed, m/s")
	for d := 2; d <= days; d += 4 {
		p.Progress("day %d of %d", d, days)
		if err := b.Until(ctx, float64(d)*day, nil); err != nil {
			return err
		}
		now, err := b.Diagnose(ctx)
		if err != nil {
			return err
		}
		t.Row(verify.AtMost(now.SpeedMax, .01), d, b.Steps(), now.SpeedMax)
	}
	t.Flush()
	return nil
}

// geostrophicEddy is an eddy in balance, in units of 1/f: it must stay. Its radius is that of deformation, which is 2.5
// edges of a mesh of 4,000 cells. The start is in balance but for errors of the mesh, by which the speed changes by a
// hundredth.
func geostrophicEddy(ctx context.Context, p *verify.Page) error {
	const half, high, wide = 25.05673562138532, .001, 3.0
	cells, end := 12000, 80.0
	if p.Options.Quick {
		cells, end = 4000, 20
	}
	m, err := mesh.Rectangle(-half, -half, half, half, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	rise := func(x, y float64) float64 { return high * math.Exp(-(x*x+y*y)/(2*wide*wide)) }
	f := basin.Flow{Mesh: m, Config: floodConfig(1e-3), Coriolis: 1, Initial: func(x, y float64) basin.State {
		s := basin.Gravity * rise(x, y) / (wide * wide)
		return basin.State{Depth: 1, H2: 1 + rise(x, y), U2: s * y, V2: -s * x}
	}}
	b, err := basin.Start(ctx, p, f)
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	energy := func() float64 {
		return b.Mean(func(i int, _, _ float64) float64 {
			h, u, v, z := b.Value("h2", i), b.Value("u2", i), b.Value("v2", i), b.Value("z2", i)
			return h*(u*u+v*v) + basin.Gravity*z*z
		})
	}
	start, err := b.Diagnose(ctx)
	if err != nil {
		return err
	}
	first := energy()
	p.Progress("an eddy, %d cells", len(m.Cells))
	if err := b.Until(ctx, end, nil); err != nil {
		return err
	}
	now, err := b.Diagnose(ctx)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("an eddy in balance after %g/f: %d cells", end, len(m.Cells)), "quantity", "reference",
		"Atoll")
	t.Row(verify.AtMost(now.SpeedMax/start.SpeedMax, 1.02), "largest speed, of that at the start", 1,
		now.SpeedMax/start.SpeedMax)
	t.Row(verify.Between(energy()/first, basin.Bound(p, .9, .8), 1), "energy, of that at the start", 1, energy()/first)
	t.Flush()
	return nil
}
