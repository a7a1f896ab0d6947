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

// Overfalls runs channels that end in a free overfall, and the way on which the flow becomes critical there.
func Overfalls(ctx context.Context, p *verify.Page) error {
	if err := overfall(ctx, p); err != nil {
		return err
	}
	return approachToOverfall(ctx, p)
}

// Discharges runs channels with a discharge over a whole section: one that leaves by a rating curve, and one that is
// distributed over a section of two depths.
func Discharges(ctx context.Context, p *verify.Page) error {
	if err := ratings(ctx, p); err != nil {
		return err
	}
	return compoundInflow(ctx, p)
}

// river is a channel along x with an inflow on the left.
type river struct {
	long, wide, manning float64
	cells               int
	left, right         *shallow.Given // without right it is open
	start               func(x, y float64) basin.State
}

// run runs it until a time and calls measure.
func (r *river) run(ctx context.Context, p *verify.Page, end float64, measure func(b *basin.Basin) error) error {
	m, err := mesh.Rectangle(0, 0, r.long, r.wide, r.cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-4)
	right := r.right
	if right == nil {
		right = &shallow.Given{Kind: "open"}
	}
	cfg.Given = basin.Given(m, map[string]*shallow.Given{"left": r.left, "right": right})
	return basin.Evolve(ctx, p, basin.Flow{Mesh: m, Config: cfg, Manning: r.manning, Initial: r.start}, end, measure)
}

// Outlets has uniform flow of 1 m²/s down slopes of .001 and .01, subcritical: a Froude number of .33 and .94. It
// starts from the normal depth, (n q/√S)^(3/5), from twice and from half of it, and from dry ground. It leaves through
// an open side, and through one of its normal depth.
func Outlets(ctx context.Context, p *verify.Page) error {
	const q, manning = 1.0, .03
	cells, end := 1000, 6000.0
	if p.Options.Quick {
		cells, end = 100, 3000
	}
	t := p.Table(fmt.Sprintf("uniform flow of 1 m²/s leaves: %d cells, t = %g", cells, end), "slope", "outlet", "start",
		"normal depth, m", "largest error of h in the last fifth")
	for _, slope := range []float64{.001, .01} {
		normal := math.Pow(manning*q/math.Sqrt(slope), .6)
		for _, outlet := range []string{"open", "normal"} {
			if outlet == "normal" && slope > .001 {
				continue
			}
			for _, start := range []float64{1, 2, .5, 0} {
				if p.Options.Quick && (start == .5 || start == 2) {
					continue
				}
				p.Progress("slope %g, %s, from %g of the depth", slope, outlet, start)
				r := river{long: 1000, wide: 40, manning: manning, cells: cells,
					left: &shallow.Given{Kind: "discharge", Value: series.Constant(q)},
					start: func(x, _ float64) basin.State {
						s := basin.State{Depth: slope * x, H2: start * normal}
						if start > 0 {
							s.U2 = q / normal
						}
						return s
					}}
				if outlet == "normal" {
					r.right = &shallow.Given{Kind: outlet, Value: series.Constant(slope)}
				}
				err := r.run(ctx, p, end, func(b *basin.Basin) error {
					most := 0.0
					for i := range b.Part.Owned {
						if x, _ := b.Part.Centroid(i); x > 800 {
							most = max(most, math.Abs(b.Value("h2", i)/normal-1))
						}
					}
					t.Row(verify.AtMost(most, basin.Bound(p, .002, .01)), slope, outlet, start, normal, most)
					return nil
				})
				if err != nil {
					return err
				}
			}
		}
	}
	t.Flush()
	return nil
}

// overfall has a flow of 1.53 m²/s over a flat bed without friction to a free overfall, in front of which the depth is
// critical, (q²/g)^(1/3), for every level that is not higher.
func overfall(ctx context.Context, p *verify.Page) error {
	const q, end = 1.53, 200.0
	cells, levels := 400, []float64{math.Inf(-1), -1, .01, .1, .3, .5, .7}
	if p.Options.Quick {
		cells, levels = 100, []float64{math.Inf(-1), .1, .7}
	}
	critical := math.Cbrt(q * q / basin.Gravity)
	t := p.Table(fmt.Sprintf("free overfall: %d cells, t = %g", cells, end), "outlet", "reference", "mean depth, m")
	for _, level := range levels {
		right, want := &shallow.Given{Kind: "level", Value: series.Constant(level)}, max(critical, level)
		name := fmt.Sprintf("level %g m", level)
		if math.IsInf(level, -1) {
			right, name = &shallow.Given{Kind: "critical"}, "critical"
		}
		p.Progress("%s", name)
		r := river{long: 25, wide: 1, cells: cells, right: right,
			left:  &shallow.Given{Kind: "discharge", Value: series.Constant(q)},
			start: func(_, _ float64) basin.State { return basin.State{H2: .8} }}
		err := r.run(ctx, p, end, func(b *basin.Basin) error {
			h := b.MeanBetween("h2", 20, 25)
			t.Row(verify.Near(h, want, basin.Bound(p, .016, .03)), name, want, h)
			return nil
		})
		if err != nil {
			return err
		}
	}
	t.Flush()
	return nil
}

// approachToOverfall is the way on which the flow in front of an overfall becomes critical. Waves that move upstream,
// at √(gh) - u, become slow as it does, so that √(gh) - u = (distance from the outlet)/t in the whole channel, whatever
// the start: the depth is still 3% too large at the inflow after 200 s.
func approachToOverfall(ctx context.Context, p *verify.Page) error {
	const q, long = 1.53, 25.0
	critical := math.Cbrt(q * q / basin.Gravity)
	mean := func(t float64) float64 { // over the channel, with q = uh
		const pieces = 1000
		sum := 0.0
		for k := range pieces {
			slow := long * (float64(k) + .5) / pieces / t
			low, high := critical, 3*critical
			for range 60 {
				if h := (low + high) / 2; math.Sqrt(basin.Gravity*h)-q/h < slow {
					low = h
				} else {
					high = h
				}
			}
			sum += low / pieces
		}
		return sum
	}
	t := p.Table(fmt.Sprintf("the approach to a free overfall, critical depth %.4g m", critical), "order", "level, m",
		"t, s", "exact mean depth, m", "Atoll")
	levels := []float64{-1, .1, .5, .62}
	if p.Options.Quick {
		levels = []float64{-1, .5}
	}
	for order := 1; order <= 2; order++ {
		for _, level := range levels {
			p.Progress("approach, order %d, level %g m", order, level)
			m, err := mesh.Rectangle(0, 0, long, 1, 100, basin.MeshSeed)
			if err != nil {
				return err
			}
			cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-4)
			cfg.Order, cfg.Given = order, basin.Given(m, map[string]*shallow.Given{
				"left":  {Kind: "discharge", Value: series.Constant(q)},
				"right": {Kind: "level", Value: series.Constant(level)}})
			b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Initial: func(_, _ float64) basin.State {
				return basin.State{H2: .8}
			}})
			if err != nil {
				return err
			}
			for _, at := range []float64{200, 800} {
				if err := b.Until(ctx, at, nil); err != nil {
					b.Close(ctx)
					return err
				}
				h := b.MeanBetween("h2", 0, long)
				t.Row(verify.Near(h, mean(at), .01), order, level, at, mean(at), h)
			}
			b.Close(ctx)
		}
	}
	t.Flush()
	return nil
}

// ratings has a discharge that leaves by the curve of a weir of 10 m, Q = 17 (z - .5 m)^1.5: the level in front.
func ratings(ctx context.Context, p *verify.Page) error {
	const discharge, end = 12.0, 1500.0
	var curve []series.Row
	for k := range 101 {
		h := float64(k) / 50
		curve = append(curve, series.Row{T: .5 + h, Value: 17 * h * math.Sqrt(h)})
	}
	want := .5 + math.Pow(discharge/17, 2.0/3)
	t := p.Table(fmt.Sprintf("rating curve of a weir: t = %g", end), "quantity", "reference", "Atoll")
	p.Progress("rating curve")
	r := river{long: 100, wide: 10, cells: 400, right: &shallow.Given{Kind: "rating", Curve: curve},
		left:  &shallow.Given{Kind: "inflow", Value: series.Constant(discharge)},
		start: func(_, _ float64) basin.State { return basin.State{H2: .5} }}
	err := r.run(ctx, p, end, func(b *basin.Basin) error {
		level := b.MeanBetween("z2", 90, 100)
		t.Row(verify.Near(level, want, .005), "level in front, m", want, level)
		d, err := b.Diagnose(ctx)
		came := basin.InflowFrom(d, "left")
		t.Row(verify.Near(came, discharge*end, 1e-9), "inflow, m³", discharge*end, came)
		return err
	})
	t.Flush()
	return err
}

// compoundInflow has 12 m³/s in a channel with a floor of 10 m and a berm of 10 m, .5 m higher, from dry ground:
// uniform flow in both has one level, at which their conveyances carry the discharge.
func compoundInflow(ctx context.Context, p *verify.Page) error {
	const discharge, slope, manning, end = 12.0, .002, .03, 1500.0
	cells := 1600
	if p.Options.Quick {
		cells = 400
	}
	carried := func(level float64) float64 {
		q := 10 * math.Sqrt(slope) / manning * math.Pow(level, 5.0/3)
		if level > .5 {
			q += 10 * math.Sqrt(slope) / manning * math.Pow(level-.5, 5.0/3)
		}
		return q
	}
	low, high := 0.0, 5.0
	for range 60 {
		if middle := (low + high) / 2; carried(middle) < discharge {
			low = middle
		} else {
			high = middle
		}
	}
	t := p.Table(fmt.Sprintf("a discharge over a section of two depths, from dry ground: %d cells, t = %g", cells, end),
		"quantity", "reference", "Atoll")
	p.Progress("compound section")
	r := river{long: 400, wide: 20, manning: manning, cells: cells,
		left:  &shallow.Given{Kind: "inflow", Value: series.Constant(discharge)},
		right: &shallow.Given{Kind: "normal", Value: series.Constant(slope)},
		start: func(x, y float64) basin.State {
			s := basin.State{Depth: slope*x + .5}
			if y > 10 {
				s.Depth -= .5
			}
			return s
		}}
	err := r.run(ctx, p, end, func(b *basin.Basin) error {
		level := b.Mean(func(i int, x, _ float64) float64 {
			return b.Value("z2", i) + slope*x + .5
		})
		t.Row(verify.Near(level, low, .1), "mean level over the floor, m", low, level)
		d, err := b.Diagnose(ctx)
		came := basin.InflowFrom(d, "left")
		t.Row(verify.Near(came, discharge*end, 1e-9), "inflow, m³", discharge*end, came)
		return err
	})
	t.Flush()
	return err
}
