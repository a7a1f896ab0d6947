package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
)

// An island that both layers surround: up its slope the lower layer ends first, then the upper, so that wet and dry
// meet in every way that two layers allow. At rest nothing may move. Under a wave the mass of each layer must be kept
// to rounding with no thickness below 0, which clipping of negative thicknesses would not do. The largest speed of the
// run is that of a film where a layer ends. By both Roe schemes it stays below that of a front on a dry bed, 2√(gh)
// where the water is deepest; PVM-IFCP lets mass of a thin layer drain against its velocity, so that it is only shown.
func island(ctx context.Context, p *verify.Page) error {
	depth := func(x, y float64) float64 { return 1 - 2.5*math.Exp(-(x*x+y*y)/2) }
	const z1, z2, dry = 0.5, 0, 1e-3
	m, err := square(5, 45, meshSeed)
	if err != nil {
		return err
	}
	end := 3.0
	if p.Options.Quick {
		end = 0.5
	}
	atRest := func(x, y float64) state { return levels(depth(x, y), z1, z2) }
	err = rest(ctx, p, "island at rest", m, atRest, dry, end, func(double bool, moved float64) verify.Verdict {
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
	wave := func(x, y float64) state {
		rise := 0.4 * math.Exp(-(x+3)*(x+3))
		return levels(depth(x, y), z1+rise, z2+rise/2)
	}
	t := p.Table(fmt.Sprintf("island under a wave: %d cells, t = %g", len(m.Cells), end),
		"scheme", "steps", "limited fluxes", "max speed", "quantity", "ours")
	for _, scheme := range schemes {
		p.Progress("under a wave, %s", scheme)
		cfg := settings(scheme, 0.9)
		cfg.DryDepth = dry
		b, err := start(ctx, p, flow{mesh: m, config: cfg, initial: wave})
		if err != nil {
			return err
		}
		c, err := b.conserve(ctx, end)
		b.close(ctx)
		if err != nil {
			return err
		}
		limited := fmt.Sprint(c.end.LimitedFluxes)
		speed := fmt.Sprintf("%.4g", c.fastest)
		t.Row(verify.AtMost(c.drift1, 1e-14), scheme, b.Steps(), limited, speed, "drift of mass 1", c.drift1)
		t.Row(verify.AtMost(c.drift2, 1e-14), scheme, b.Steps(), limited, speed, "drift of mass 2", c.drift2)
		front := verify.Info
		if scheme != "pvm-ifcp" {
			front = verify.AtMost(c.fastest, 2*math.Sqrt(cfg.Gravity*deepest))
		}
		t.Row(front, scheme, b.Steps(), limited, speed, "largest speed", c.fastest)
		t.Row(verify.AtLeast(c.least, 0), scheme, b.Steps(), limited, speed, "least thickness", c.least)
	}
	t.Flush()
	return nil
}
