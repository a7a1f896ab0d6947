package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
)

// seiche lets the interface of two layers swing in a closed basin, by the slow mode of linear waves, whose surface
// hardly moves: after whole periods it must be where it was, as high as it was.
func seiche(ctx context.Context, p *verify.Page) error {
	const h1, h2, ratio, long, tall = 40.0, 60.0, .98, 1000.0, .05
	nx, periods := 100, 5
	if p.Options.Quick {
		nx, periods = 40, 1
	}
	m, err := strip(0, long, nx, 4)
	if err != nil {
		return err
	}
	// c² of the slow mode, and what the surface does where the interface rises by 1: z1 = ζ(c² - g h1)⁻¹ c² from the
	// equations of the upper layer, c²(z1 - z2) = g h1 z1.
	sum, product := gravity*(h1+h2), gravity*gravity*(1-ratio)*h1*h2
	square := product / ((sum + math.Sqrt(sum*sum-4*product)) / 2)
	surface := square / (square - gravity*h1)
	period := 2 * long / math.Sqrt(square)
	initial := func(x, _ float64) state {
		z2 := tall * math.Cos(math.Pi*x/long)
		return state{depth: h1 + h2, h2: h2 + z2, h1: h1 + (surface-1)*z2}
	}
	t := p.Table(fmt.Sprintf("a seiche of two layers after %d periods: %d cells", periods, len(m.Cells)),
		"order", "quantity", "theirs", "ours")
	for _, order := range []int{1, 2} {
		p.Progress("seiche, order %d", order)
		cfg := second("pvm-ifcp", ratio, 1e-3)
		cfg.Order = order
		b, err := start(ctx, p, flow{mesh: m, config: cfg, initial: initial})
		if err != nil {
			return err
		}
		c, err := b.conserve(ctx, float64(periods)*period)
		if err != nil {
			b.close(ctx)
			return err
		}
		left := b.mean(func(i int, x, _ float64) float64 {
			return 2 * math.Cos(math.Pi*x/long) * (b.Value("h2", i) - h2) / tall
		})
		steps := b.Steps()
		b.close(ctx)
		v := verify.Info
		if order == 2 {
			v = verify.Near(left, 1, share(p, .01, .02))
		}
		t.Row(v, order, "height of the mode", 1, left)
		t.Row(verify.AtMost(max(c.drift1, c.drift2), 1e-13), order, "drift of mass", 0, max(c.drift1, c.drift2))
		t.Row(verify.Info, order, "steps", "", steps)
	}
	t.Flush()
	return nil
}
