package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
)

// A lake at rest over a submerged bump, surface and interface level: water must not move at all. All three schemes
// keep this exactly, because every term is a multiple of a jump of levels, and the solver stores bed and levels on a
// grid on which those jumps are computed without rounding. The bump is that of test 2 of the paper.
func lake(ctx context.Context, p *verify.Page) error {
	initial := func(x, y float64) state {
		depth := 1 - 1.5*math.Exp(-x*x-y*y)
		return levels(depth, 1.7, 0.9)
	}
	n, end := 45, 2.0
	if p.Options.Quick {
		end = 0.3
	}
	m, err := square(5, n, meshSeed)
	if err != nil {
		return err
	}
	return rest(ctx, p, "lake over a submerged bump", m, initial, 1e-6, end, func(double bool,
		moved float64) verify.Verdict {
		if double {
			return verify.Exactly(moved, 0)
		}
		return verify.Info
	})
}

// levels is a state at rest with the given surface z1 and interface z2 where they stand above the bed.
func levels(depth, z1, z2 float64) state {
	h2 := max(0, z2+depth)
	return state{depth: depth, h2: h2, h1: max(0, z1-max(z2, -depth))}
}

// rest runs a state of rest with every scheme and both precisions, and judges the largest speed and the largest
// change of a thickness.
func rest(ctx context.Context, p *verify.Page, title string, m *mesh.Mesh, initial func(x, y float64) state, dry,
	end float64,
	judge func(double bool, moved float64) verify.Verdict) error {
	t := p.Table(fmt.Sprintf("%s: %d cells, t = %g", title, len(m.Cells), end),
		"scheme", "precision", "steps", "max speed", "max |Δh1|", "max |Δh2|")
	for _, precision := range []string{"float64", "float32"} {
		for _, scheme := range schemes {
			p.Progress("%s, %s, %s", title, scheme, precision)
			cfg := settings(scheme, 0.9)
			cfg.DryDepth = dry
			b, err := start(ctx, p, flow{mesh: m, config: cfg, precision: precision, initial: initial})
			if err != nil {
				return err
			}
			speed, d1, d2, err := b.motion(ctx, end)
			b.close(ctx)
			if err != nil {
				return err
			}
			t.Row(judge(precision == "float64", max(speed, d1, d2)), scheme, precision, b.Steps(), speed, d1, d2)
		}
	}
	t.Flush()
	return nil
}

// motion steps to time t and returns the largest speed and changes of thickness at its end.
func (b *basin) motion(ctx context.Context, t float64) (speed, d1, d2 float64, err error) {
	h1, err := b.Field("h1")
	if err != nil {
		return 0, 0, 0, err
	}
	h2, err := b.Field("h2")
	if err != nil {
		return 0, 0, 0, err
	}
	if err := b.until(ctx, t, nil); err != nil {
		return 0, 0, 0, err
	}
	for i := range h1 {
		d1 = max(d1, math.Abs(b.Value("h1", i)-h1[i]))
		d2 = max(d2, math.Abs(b.Value("h2", i)-h2[i]))
	}
	d, err := b.Diagnose(ctx)
	return d.SpeedMax, d1, d2, err
}
