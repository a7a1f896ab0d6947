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

// steadyFlow is a case of the SWASHES collection (O. Delestre et al., arXiv 1110.0288) with a prescribed discharge on
// the left and a prescribed level on the right.
type steadyFlow struct {
	name               string
	discharge          float64 // m²/s
	long, wide         float64 // m
	cells              int
	end                float64 // s
	manning            float64
	bed                func(x float64) float64 // height of the bed, m
	depth              func(x float64) float64 // exact depth of the water, m
	outletLevel        float64                 // level on the right, m
	startLevel         float64                 // level of the water at the start, m; NaN for the depth at the end
	maxError           float64                 // mean error of the depth, m
	dischargeTolerance float64                 // of the discharge, as a share
}

// steadyFlows are three flows over a bump of 0.2 m between 8 m and 12 m, and the subcritical one of MacDonald's
// channels, of which macDonaldChannels compares both orders.
func steadyFlows(p *verify.Page) []steadyFlow {
	bump := func(x float64) float64 { return max(0, .2-.05*(x-10)*(x-10)) }
	cells, end := 2000, 200.0
	if p.Options.Quick {
		cells, end = 200, 60
	}
	flow := steadyFlow{long: 25, wide: 1, cells: cells, end: end, bed: bump}
	all := []steadyFlow{flow, flow, flow, longChannel(p)}

	sub := &all[0]
	sub.name, sub.discharge, sub.outletLevel, sub.startLevel = "subcritical flow over a bump", 4.42, 2, 2
	sub.maxError, sub.dischargeTolerance = basin.Bound(p, 6e-5, .02), basin.Bound(p, 1e-4, .01)
	sub.depth = func(x float64) float64 { return depthOf(sub.discharge, headAt(sub.discharge, 2)-bump(x), false) }

	// The flow is critical on the crest, which determines its head; downstream it is supercritical.
	over := &all[1]
	over.name, over.discharge, over.outletLevel, over.startLevel = "transcritical flow over a bump", 1.53, .66, .66
	over.maxError, over.dischargeTolerance = basin.Bound(p, 1e-3, .02), basin.Bound(p, 1e-3, .02)
	over.depth = func(x float64) float64 {
		return depthOf(over.discharge, criticalHead(over.discharge)+.2-bump(x), x > 10)
	}

	jump := &all[2]
	jump.name = "transcritical flow over a bump with a jump"
	jump.discharge, jump.outletLevel, jump.startLevel = .18, .33, .33
	jump.maxError = basin.Bound(p, 5e-3, .02) // the jump extends over some cells
	jump.dischargeTolerance = basin.Bound(p, 2e-3, .1)
	at := jumpAt(jump.discharge, jump.outletLevel, bump)
	jump.depth = func(x float64) float64 {
		if x > at {
			return depthOf(jump.discharge, headAt(jump.discharge, jump.outletLevel)-bump(x), false)
		}
		return depthOf(jump.discharge, criticalHead(jump.discharge)+.2-bump(x), x > 10)
	}
	return all
}

func headAt(q, h float64) float64 { return h + q*q/(2*basin.Gravity*h*h) }

func criticalHead(q float64) float64 { return headAt(q, math.Cbrt(q*q/basin.Gravity)) }

// depthOf returns the depth at which a discharge has a head over the bed, the smaller of two if the flow is
// supercritical.
func depthOf(q, head float64, supercritical bool) float64 {
	critical := math.Cbrt(q * q / basin.Gravity)
	low, high := critical, head // the head grows with the depth in between
	if supercritical {
		low, high = critical, critical*1e-3
	}
	for range 200 {
		middle := (low + high) / 2
		if headAt(q, middle) < head {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// jumpAt returns the position of the hydraulic jump: there the momentum fluxes q²/h + gh²/2 of the supercritical flow
// from the crest and of the subcritical flow to the outlet are equal.
func jumpAt(q, out float64, bed func(float64) float64) float64 {
	force := func(h float64) float64 { return q*q/h + basin.Gravity*h*h/2 }
	low, high := 10.0, 12.0
	for range 100 {
		x := (low + high) / 2
		fast := depthOf(q, criticalHead(q)+.2-bed(x), true)
		slow := depthOf(q, headAt(q, out)-bed(x), false)
		if force(fast) < force(slow) {
			low = x
		} else {
			high = x
		}
	}
	return low
}

// longChannel is the subcritical one of MacDonald's channels.
func longChannel(p *verify.Page) steadyFlow {
	c := macDonalds()[0]
	f := steadyFlow{name: "MacDonald's channel", discharge: c.discharge, long: channelLength, wide: 20,
		manning: c.manning, bed: c.bed(), depth: c.depth, outletLevel: c.depth(channelLength), startLevel: math.NaN(),
		cells: 2000, end: 2000, maxError: basin.Bound(p, 1e-3, .02), dischargeTolerance: basin.Bound(p, 1e-3, .02)}
	if p.Options.Quick {
		f.cells, f.end = 200, 1000
	}
	return f
}

// run compares the depth, the discharge along the channel, and inflow with outflow in the last tenth of the time.
func (c *steadyFlow) run(ctx context.Context, p *verify.Page) error {
	m, err := mesh.Rectangle(0, 0, c.long, c.wide, c.cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-4)
	cfg.Given = basin.Given(m, map[string]*shallow.Given{
		"left":  {Kind: "discharge", Value: series.Constant(c.discharge)},
		"right": {Kind: "level", Value: series.Constant(c.outletLevel)},
	})
	p.Progress("%s, %d cells", c.name, len(m.Cells))
	b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Manning: c.manning, Initial: func(x,
		_ float64) basin.State {
		s := basin.State{Depth: -c.bed(x), H2: c.startLevel - c.bed(x)}
		if math.IsNaN(c.startLevel) { // a sloping channel starts with the depth at its end everywhere
			s.H2, s.U2 = c.depth(c.long), c.discharge/c.depth(c.long)
		}
		return s
	}})
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	if err := b.Until(ctx, .9*c.end, nil); err != nil {
		return err
	}
	before, err := b.Diagnose(ctx)
	if err == nil {
		err = b.Until(ctx, c.end, nil)
	}
	if err != nil {
		return err
	}
	now, err := b.Diagnose(ctx)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("%s: %d cells, t = %g", c.name, len(m.Cells), c.end), "quantity", "reference", "Atoll")
	e := b.MeanError("h2", func(x, _ float64) float64 { return c.depth(x) })
	t.Row(verify.AtMost(e, c.maxError), "mean error of h, m", 0, e)
	along := b.Mean(func(i int, _, _ float64) float64 { return b.Value("h2", i) * b.Value("u2", i) })
	t.Row(verify.Near(along, c.discharge, c.dischargeTolerance), "mean discharge, m²/s", c.discharge, along)
	in := basin.InflowFrom(now, "left") - basin.InflowFrom(before, "left")
	out := basin.InflowFrom(before, "right") - basin.InflowFrom(now, "right")
	t.Row(basin.Finest(p, true, verify.Near(out, in, c.dischargeTolerance)), "what leaves, of what comes in", 1, out/in)
	t.Flush()
	return nil
}
