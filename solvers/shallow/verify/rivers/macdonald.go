package rivers

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// channelLength is that of MacDonald's long channels, m.
const channelLength = 1000.0

// macDonald is one of I. MacDonald's channels of 1 km (J. Hydraul. Eng. 123, 1997; O. Delestre et al., SWASHES, arXiv
// 1110.0288, section 3.2.1): a steady depth with its slope, to which the bed belongs over which a discharge with
// Manning's friction has it.
type macDonald struct {
	name         string
	discharge    float64 // m²/s
	manning      float64
	depth, slope func(x float64) float64 // depth in m, and its derivative
}

// macDonalds are a subcritical and a supercritical channel, one whose flow becomes supercritical in the middle, and one
// with a jump there. Their depths are multiples of critical depths.
func macDonalds() []macDonald {
	bell := func(x, width float64) (value, slope float64) {
		s := x/channelLength - .5
		value = math.Exp(-width * s * s)
		return value, -2 * width * s / channelLength * value
	}
	rise := math.Cbrt(4 / basin.Gravity) // the critical depth of 2 m²/s
	// each returns the depth and its slope, both divided by rise
	shapes := []struct {
		name               string
		discharge, manning float64
		shape              func(x float64) (h, slope float64)
	}{
		{"subcritical", 2, .033, func(x float64) (float64, float64) {
			b, s := bell(x, 16)
			return 1 + b/2, s / 2
		}},
		{"supercritical", 2.5, .04, func(x float64) (float64, float64) {
			b, s := bell(x, 36)
			return 1 - b/5, -s / 5
		}},
		{"sub- to supercritical", 2, .0218, func(x float64) (float64, float64) {
			part, steep := 1.0/3, 3.0
			if x > channelLength/2 {
				part, steep = 1.0/6, 6.0
			}
			t := math.Tanh(steep * (x/channelLength - .5))
			return 1 - part*t, -part * steep * (1 - t*t) / channelLength
		}},
		{"super- to subcritical, with a jump", 2, .0218, func(x float64) (float64, float64) {
			if x <= channelLength/2 {
				e := math.Exp(-x/250) / 6
				return .9 - e, e / 250
			}
			h := 1 + .8*math.Exp(x/channelLength-1)
			slope := .8 * math.Exp(x/channelLength-1) / channelLength
			for k, a := range []float64{-.348427, .552264, -.55558} {
				decay := 20 * float64(k+1)
				e := a * math.Exp(-decay*(x/channelLength-.5))
				h, slope = h+e, slope-decay/channelLength*e
			}
			return h, slope
		}},
	}
	var all []macDonald
	for _, c := range shapes {
		all = append(all, macDonald{c.name, c.discharge, c.manning,
			func(x float64) float64 { h, _ := c.shape(x); return h * rise },
			func(x float64) float64 { _, s := c.shape(x); return s * rise }})
	}
	return all
}

// bed returns the height of the bed, which is 0 at the end.
func (c *macDonald) bed() func(x float64) float64 {
	const pieces = 20000
	q := c.discharge
	slope := func(x float64) float64 {
		h := c.depth(x)
		return (q*q/(basin.Gravity*h*h*h)-1)*c.slope(x) - c.manning*c.manning*q*q/math.Pow(h, 10.0/3)
	}
	beds := make([]float64, pieces+1) // from the right, by Simpson's rule
	for k := 1; k <= pieces; k++ {
		const step = channelLength / pieces
		x := channelLength - float64(k)*step
		beds[k] = beds[k-1] - step/6*(slope(x)+4*slope(x+step/2)+slope(x+step))
	}
	return func(x float64) float64 {
		at := min(max((channelLength-x)/channelLength*pieces, 0), pieces-1)
		k := int(at)
		return beds[k] + (at-float64(k))*(beds[k+1]-beds[k])
	}
}

// froude returns the Froude number at x.
func (c *macDonald) froude(x float64) float64 {
	return c.discharge / math.Sqrt(basin.Gravity*math.Pow(c.depth(x), 3))
}

// boundaries returns the conditions at both ends: at a supercritical inflow also its depth, at a subcritical outflow
// the level.
func (c *macDonald) boundaries(m *mesh.Mesh) []*shallow.Given {
	left := &shallow.Given{Kind: "discharge", Value: series.Constant(c.discharge)}
	if c.froude(0) > 1 {
		left.Depth = series.Constant(c.depth(0))
	}
	right := &shallow.Given{Kind: "open"}
	if c.froude(channelLength) < 1 {
		right = &shallow.Given{Kind: "level", Value: series.Constant(c.depth(channelLength))}
	}
	return basin.Given(m, map[string]*shallow.Given{"left": left, "right": right})
}

// macDonaldChannels runs all channels at both orders, from the depth at the end everywhere, so that the flow is found
// and not only kept. Second order must be at least as near to the exact depth as first order.
func macDonaldChannels(ctx context.Context, p *verify.Page) error {
	cells, end := 2000, 2000.0
	if p.Options.Quick {
		cells, end = 200, 1000
	}
	t := p.Table(fmt.Sprintf("MacDonald's channels with friction: %d cells, t = %g", cells, end),
		"channel", "order", "mean error of h, m", "mean discharge, of the exact one")
	for _, c := range macDonalds() {
		m, err := mesh.Rectangle(0, 0, channelLength, 20, cells, basin.MeshSeed)
		if err != nil {
			return err
		}
		bed, first := c.bed(), 0.0
		for order := 1; order <= 2; order++ {
			p.Progress("%s, order %d", c.name, order)
			cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-4)
			cfg.Order, cfg.Given = order, c.boundaries(m)
			f := basin.Flow{Mesh: m, Config: cfg, Manning: c.manning, Initial: func(x, _ float64) basin.State {
				h := c.depth(channelLength)
				return basin.State{Depth: -bed(x), H2: h, U2: c.discharge / h}
			}}
			err = basin.Evolve(ctx, p, f, end, func(b *basin.Basin) error {
				e := b.MeanError("h2", func(x, _ float64) float64 { return c.depth(x) })
				q := b.Mean(func(i int, _, _ float64) float64 { return b.Value("h2", i) * b.Value("u2", i) }) / c.discharge
				if order == 1 {
					first = e
					t.Row(verify.Info, c.name, order, e, q)
					return nil
				}
				t.Row(basin.Finest(p, true, verify.AtMost(e, first).And(verify.Near(q, 1, .002), "discharge")), c.name, order, e,
					q)
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
