package rivers

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// Of a channel of 200 m × 10 m with 1 m of water that flows at 1 m/s, and a gate as wide in a wall across it.
const (
	gateWide, gateDepth, gateFlow, gateJet = 10.0, 1.0, 1.0, .63
	gateHead                               = gateFlow * gateFlow / (2 * basin.Gravity) // of its velocity, m
)

// openGates has gates in a channel: one above the water hardly raises the level in front, though the wall that it is in
// reaches from bank to bank, one in the water as the jet under it; and one that closes never changes the discharge at
// once.
func openGates(ctx context.Context, p *verify.Page) error {
	const end = 400.0
	t := p.Table("a gate across a channel of 1 m²/s, 1 m deep", "opening, m", "rise of the level in front, m", "formula")
	for _, opening := range []float64{0, 2, 1.05, .5} {
		p.Progress("gate in a channel, opening %g", opening)
		b, err := gateInChannel(ctx, p, series.Constant(opening))
		if err != nil {
			return err
		}
		rise := 0.0
		if err = b.Until(ctx, end/2, nil); err == nil {
			err = b.Until(ctx, end, func(dt float64) error {
				rise += dt / (end / 2) * (b.MeanBetween("z2", -80, -30) - b.MeanBetween("z2", 30, 80))
				return nil
			})
		}
		b.Close(ctx)
		switch under := math.Pow(gateFlow/(gateJet*opening), 2) / (2 * basin.Gravity); {
		case err != nil:
			return err
		case opening == 0:
			t.Row(verify.AtMost(math.Abs(rise), 1e-12), "no gate", rise, 0.0)
		case opening > gateDepth: // without the velocities of the water the rise would be twice the head
			t.Row(verify.AtMost(math.Abs(rise), .4*gateHead), opening, rise, 0.0)
		default:
			t.Row(verify.Near(rise, under, .1), opening, rise, under)
		}
	}
	t.Flush()
	return closingGate(ctx, p)
}

// closingGate has the gate of gateInChannel close from 1.5 m to .6 m within 90 s.
func closingGate(ctx context.Context, p *verify.Page) error {
	p.Progress("a gate in a channel closes")
	b, err := gateInChannel(ctx, p, []series.Row{{T: 100, Value: 1.5}, {T: 190, Value: .6}})
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	if err := b.Until(ctx, 100, nil); err != nil {
		return err
	}
	before, most := 0.0, 0.0
	err = b.Until(ctx, 190, func(float64) error {
		d, err := b.Diagnose(ctx)
		if err != nil {
			return err
		}
		now := d.Structures[0].Discharge
		if before > 0 {
			most = max(most, math.Abs(now-before))
		}
		before = now
		return nil
	})
	if err != nil {
		return err
	}
	t := p.Table("a gate that closes from above the water into it", "quantity", "Atoll")
	t.Row(verify.AtMost(most, .05*gateWide*gateFlow), "largest change of the discharge from step to step, m³/s", most)
	t.Flush()
	return nil
}

// gateInChannel starts the flow in the channel, without the wall if the opening is 0.
func gateInChannel(ctx context.Context, p *verify.Page, opening []series.Row) (*basin.Basin, error) {
	cells := 2000
	if p.Options.Quick {
		cells = 800
	}
	m, err := mesh.Rectangle(-100, 0, 100, gateWide, cells, basin.MeshSeed)
	if err != nil {
		return nil, err
	}
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-5)
	cfg.Layers = 1
	cfg.Given = basin.Given(m, map[string]*shallow.Given{"left": {Kind: "discharge", Value: series.Constant(gateFlow)},
		"right": {Kind: "level", Value: series.Constant(gateDepth)}})
	walled := opening[0].Value > 0
	if walled {
		end := func(x float64) *hydraulics.Place {
			return &hydraulics.Place{X: x, Y: gateWide / 2, Radius: gateWide / 2}
		}
		cfg.Structures = []hydraulics.Structure{{Name: "gate", Kind: "gate", From: end(-7), To: end(7), Width: gateWide,
			Value: opening, Contraction: gateJet}}
	}
	return basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Ranks: moreRanks, Initial: func(x, _ float64) basin.State {
		if walled && math.Abs(x) < 2 {
			return basin.State{Depth: -5}
		}
		return basin.State{H2: gateDepth, U2: gateFlow / gateDepth}
	}})
}
