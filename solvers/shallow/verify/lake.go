package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// A lake at rest over a submerged bump, surface and interface level: water must not move at all. All three schemes
// keep this exactly, because every term is a multiple of a jump of levels, and the solver rounds bed and levels to
// multiples of a power of two, so that those jumps are computed without rounding. The bump is that of test 2 of the
// paper.
func lake(ctx context.Context, p *verify.Page) error {
	initial := func(x, y float64) basin.State {
		depth := 1 - 1.5*math.Exp(-x*x-y*y)
		return levels(depth, 1.7, 0.9)
	}
	n, end := 45, 2.0
	if p.Options.Quick {
		end = 0.3
	}
	m, err := basin.Square(5, n, basin.MeshSeed)
	if err != nil {
		return err
	}
	return checkRest(ctx, p, "lake over a submerged bump", m, initial, 1e-6, end, func(isFloat64 bool,
		moved float64) verify.Verdict {
		if isFloat64 {
			return verify.Exactly(moved, 0)
		}
		return verify.Info
	})
}

// levels returns a state at rest with the given surface z1 and interface z2 where they are above the bed.
func levels(depth, z1, z2 float64) basin.State {
	h2 := max(0, z2+depth)
	return basin.State{Depth: depth, H2: h2, H1: max(0, z1-max(z2, -depth))}
}

// checkRest runs a state of rest with every scheme and both precisions, and calls judge with the largest of the speeds
// and the changes of thickness.
func checkRest(ctx context.Context, p *verify.Page, title string, m *mesh.Mesh,
	initial func(x, y float64) basin.State, dry, end float64,
	judge func(isFloat64 bool, moved float64) verify.Verdict) error {
	t := p.Table(fmt.Sprintf("%s: %d cells, t = %g", title, len(m.Cells), end),
		"scheme", "precision", "steps", "max speed", "max |Δh1|", "max |Δh2|")
	for _, precision := range []string{"float64", "float32"} {
		for _, scheme := range basin.Schemes {
			p.Progress("%s, %s, %s", title, scheme, precision)
			cfg := basin.Settings(scheme, 0.9)
			cfg.DryDepth = dry
			b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Precision: precision, Initial: initial})
			if err != nil {
				return err
			}
			speed, d1, d2, err := motionUntil(ctx, b, end)
			b.Close(ctx)
			if err != nil {
				return err
			}
			t.Row(judge(precision == "float64", max(speed, d1, d2)), scheme, precision, b.Steps(), speed, d1, d2)
		}
	}
	t.Flush()
	return nil
}

// motionUntil steps to time t and returns the largest speed and changes of thickness at its end.
func motionUntil(ctx context.Context, b *basin.Basin, t float64) (speed, d1, d2 float64, err error) {
	h1, err := b.Field("h1")
	if err != nil {
		return 0, 0, 0, err
	}
	h2, err := b.Field("h2")
	if err != nil {
		return 0, 0, 0, err
	}
	if err := b.Until(ctx, t, nil); err != nil {
		return 0, 0, 0, err
	}
	for i := range h1 {
		d1 = max(d1, math.Abs(b.Value("h1", i)-h1[i]))
		d2 = max(d2, math.Abs(b.Value("h2", i)-h2[i]))
	}
	d, err := b.Diagnose(ctx)
	return d.SpeedMax, d1, d2, err
}

// An island in both layers: up its slope first the lower layer ends, then the upper, so that all combinations of wet
// and dry occur. At rest nothing may move. Under a wave the mass of each layer must be conserved to round-off, with
// no negative thickness, which clipping would not achieve. The largest speed of the run is that of a film at the end
// of a layer. With both Roe schemes it is below that of a front on a dry bed, 2√(gh) at the deepest point; PVM-IFCP
// lets the mass of a thin layer drain against its velocity, so its speed is only shown.
func island(ctx context.Context, p *verify.Page) error {
	depth := func(x, y float64) float64 { return 1 - 2.5*math.Exp(-(x*x+y*y)/2) }
	const z1, z2, dry = 0.5, 0, 1e-3
	m, err := basin.Square(5, 45, basin.MeshSeed)
	if err != nil {
		return err
	}
	end := 3.0
	if p.Options.Quick {
		end = 0.5
	}
	atRest := func(x, y float64) basin.State { return levels(depth(x, y), z1, z2) }
	err = checkRest(ctx, p, "island at rest", m, atRest, dry, end, func(double bool, moved float64) verify.Verdict {
		if double {
			return verify.AtMost(moved, 1e-14)
		}
		return verify.Info
	})
	if err != nil {
		return err
	}
	const deepest = 1 + z1 + 0.4 // m: the depth at rest and the wave
	// A wave of both levels that runs in from the left and floods the island.
	wave := func(x, y float64) basin.State {
		rise := 0.4 * math.Exp(-(x+3)*(x+3))
		return levels(depth(x, y), z1+rise, z2+rise/2)
	}
	t := p.Table(fmt.Sprintf("island under a wave: %d cells, t = %g", len(m.Cells), end),
		"scheme", "steps", "limited fluxes", "max speed", "quantity", "Atoll")
	for _, scheme := range basin.Schemes {
		p.Progress("under a wave, %s", scheme)
		cfg := basin.Settings(scheme, 0.9)
		cfg.DryDepth = dry
		b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Initial: wave})
		if err != nil {
			return err
		}
		c, err := b.Conserve(ctx, end)
		b.Close(ctx)
		if err != nil {
			return err
		}
		limited := fmt.Sprint(c.End.LimitedFluxes)
		speed := fmt.Sprintf("%.4g", c.Fastest)
		t.Row(verify.AtMost(c.Drift1, 1e-14), scheme, b.Steps(), limited, speed, "drift of mass 1", c.Drift1)
		t.Row(verify.AtMost(c.Drift2, 1e-14), scheme, b.Steps(), limited, speed, "drift of mass 2", c.Drift2)
		front := verify.Info
		if scheme != "pvm-ifcp" {
			front = verify.AtMost(c.Fastest, 2*math.Sqrt(cfg.Gravity*deepest))
		}
		t.Row(front, scheme, b.Steps(), limited, speed, "largest speed", c.Fastest)
		t.Row(verify.AtLeast(c.Least, 0), scheme, b.Steps(), limited, speed, "least thickness", c.Least)
	}
	t.Flush()
	return nil
}
