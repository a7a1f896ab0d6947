package rivers

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// gates has a gate of .1 m, which hardly moves the water beside it, between two levels: under the gate into air and
// into water, over the sill, critical and drowned, over the closed gate, and with a flap.
func gates(ctx context.Context, p *verify.Page) error {
	const wide, sill, jet, weir, end = .1, .2, .63, 1.44, 60.0
	root := math.Sqrt(2 * basin.Gravity)
	t := p.Table("a gate between two levels, after a minute", "flow", "opening, m", "level in front, m", "behind, m",
		"formula, m³/s", "Atoll")
	for _, c := range []struct {
		name          string
		opening       float64
		front, behind float64
		top           float64
		oneWay        bool
		formula       func(front, behind float64) float64
	}{
		{"under the gate, free", .2, 1.2, .1, 0, false, func(front, _ float64) float64 {
			return wide * jet * .2 * root * math.Sqrt(front-sill-jet*.2)
		}},
		{"under the gate, submerged", .2, 1.2, .9, 0, false, func(front, behind float64) float64 {
			return wide * jet * .2 * root * math.Sqrt(front-behind)
		}},
		{"over the sill, critical", 1, .8, .1, 0, false, func(front, _ float64) float64 {
			return wide * math.Sqrt(basin.Gravity) * math.Pow(2.0/3*(front-sill), 1.5)
		}},
		{"over the sill, drowned", 2, 1.2, 1.1, 0, false, func(front, behind float64) float64 {
			return wide * (behind - sill) * root * math.Sqrt(front-behind)
		}},
		{"over the closed gate", 0, 1.4, .3, 1.1, false, func(front, _ float64) float64 {
			return weir * wide * math.Pow(front-1.1, 1.5)
		}},
		{"with a flap, higher behind", 1, .9, 1.2, 0, true, func(_, _ float64) float64 { return 0 }},
	} {
		p.Progress("gate, %s", c.name)
		s := hydraulics.Structure{Name: "gate", Kind: "gate", From: at(-6, 10), To: at(6, 10), InvertFrom: sill,
			Value: series.Constant(c.opening), Width: wide, Contraction: jet, Deck: c.top, OneWay: c.oneWay}
		if c.top > 0 {
			s.Crest = weir * wide
		}
		b, err := ponds(ctx, p, c.front, c.behind, true, s)
		if err != nil {
			return err
		}
		q, front, behind, err := discharge(ctx, b, end)
		b.Close(ctx)
		if err != nil {
			return err
		}
		want := c.formula(front, behind)
		v := verify.Near(q, want, .01)
		if want == 0 {
			v = verify.Exactly(q, 0)
		}
		t.Row(v, c.name, c.opening, front, behind, want, q)
	}
	t.Flush()
	return nil
}

// Rules has gates between two levels, and rules: a pump whose capacity follows a table of the level, a gate that closes
// slowly when the level far from it has risen, one that closes when the water behind is higher, and one that opens by a
// discharge.
func Rules(ctx context.Context, p *verify.Page) error {
	if err := gates(ctx, p); err != nil {
		return err
	}
	for _, check := range []func(context.Context, *verify.Page) error{pumpByTable, barrier, sluice, intake} {
		if err := check(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// pumpByTable has .5 m³/s into a closed pond of 400 m², and a pump of 2 m³/s whose share grows from 0 at a level of 1 m
// to 1 at 1.4 m. So the level follows A dz/dt = .5 - 5 (z - 1), with a time scale of 80 s, to 1.1 m.
func pumpByTable(ctx context.Context, p *verify.Page) error {
	const comes, most, end = .5, 2.0, 100.0
	p.Progress("a pump by a table of the level")
	b, err := ponds(ctx, p, 1, 1, false,
		hydraulics.Structure{Name: "spring", Kind: "source", To: at(-16, 10), Value: series.Constant(comes)},
		hydraulics.Structure{Name: "pump", Kind: "pump", From: at(-6, 10), Value: series.Constant(most),
			Rules: []hydraulics.Rule{{Watch: "from", Table: []series.Row{{T: 1, Value: 0}, {T: 1.4, Value: 1}}}}})
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	if err := b.Until(ctx, end, nil); err != nil {
		return err
	}
	d, err := b.Diagnose(ctx)
	if err != nil {
		return err
	}
	rate := most / .4 / pond
	rise := .1 * (1 - math.Exp(-rate*end))
	t := p.Table("a pump whose capacity follows the level", "quantity", "exact", "Atoll")
	level := b.MeanBetween("z2", -22, -2)
	t.Row(verify.Near(level-1, rise, .01), "rise of the level, m", rise, level-1)
	pumped := comes*end - rise*pond
	t.Row(verify.Near(-basin.InflowFrom(d, "pump"), pumped, .01), "water of the pump, m³", pumped,
		-basin.InflowFrom(d, "pump"))
	t.Row(verify.Near(d.Structures[1].Setting, rise/.4, .03), "share of its capacity", rise/.4, d.Structures[1].Setting)
	t.Flush()
	return nil
}

// pond is the area of each pond, m².
const pond = 400.0

// barrier has 1 m³/s into the left pond, whose level rises by 2.5 mm/s. A gate to the other pond closes when the level
// at a place far from it has risen to 1.1 m, after 40 s, within 20 s. Then water is taken out, and it opens at 1.05 m.
func barrier(ctx context.Context, p *verify.Page) error {
	const comes, opening, travel = 1.0, .01, 20.0
	p.Progress("a gate that closes by the level at a place")
	b, err := ponds(ctx, p, 1, 1, false,
		hydraulics.Structure{Name: "tide", Kind: "source", To: at(-12, 10),
			Value: []series.Row{{T: 0, Value: comes}, {T: 80, Value: comes}, {T: 80, Value: -comes}, {T: 300, Value: -comes}}},
		hydraulics.Structure{Name: "barrier", Kind: "gate", From: at(-6, 10), To: at(6, 10), Value: series.Constant(opening),
			InvertFrom: 0, Width: .05, Contraction: 1, Travel: travel, Rules: []hydraulics.Rule{{Watch: "level",
				At: at(-18, 10), Start: 1.05, Stop: 1.1}}})
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	t := p.Table("a gate of 1 cm that closes at 1.1 m and opens at 1.05 m, within 20 s", "time, s", "exact setting, m",
		"Atoll")
	for _, c := range []struct{ time, setting float64 }{
		{30, opening}, {50, opening / 2}, {70, 0}, {120, 0}, {150, opening / 2}, {170, opening},
	} {
		if err := b.Until(ctx, c.time, nil); err != nil {
			return err
		}
		d, err := b.Diagnose(ctx)
		if err != nil {
			return err
		}
		got := d.Structures[1].Setting
		v := verify.Exactly(got, c.setting)
		if c.setting == opening/2 { // the level at the place differs from the mean by waves
			v = verify.AtMost(math.Abs(got-c.setting), .1*opening)
		}
		t.Row(v, c.time, c.setting, got)
	}
	t.Flush()
	return nil
}

// sluice has a closed pond, whose gate to a sea with a tide opens when the sea is 5 cm lower, and closes when it is
// higher. Its level is compared with that of the formula of the flow under the gate, submerged or not, for the level
// beside it at sea.
func sluice(ctx context.Context, p *verify.Page) error {
	const wide, opening, sill, jet, end = 1.0, .4, .2, .63, 200.0
	p.Progress("a gate that opens at a fall of the level")
	b, err := pondAtSea(ctx, p, hydraulics.Structure{Name: "sluice", Kind: "gate", From: at(-6, 10), To: at(6, 10),
		Value: series.Constant(opening), InvertFrom: sill, Width: wide, Contraction: jet,
		Rules: []hydraulics.Rule{{Watch: "fall", Start: .05, Stop: 0}}})
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	level, isOpen := 1.0, false
	err = b.Until(ctx, end, func(dt float64) error {
		sea := b.MeanBetween("z2", 2, 22)
		if level-sea >= .05 {
			isOpen = true
		} else if level < sea {
			isOpen = false
		}
		if isOpen {
			fall := level - max(sea, sill+jet*opening)
			level -= dt / pond * wide * jet * opening * math.Sqrt(2*basin.Gravity*fall)
		}
		return nil
	})
	if err != nil {
		return err
	}
	got := b.MeanBetween("z2", -22, -2)
	t := p.Table("a gate that opens when the sea is 5 cm lower, and closes when it is higher", "quantity", "formula",
		"Atoll")
	t.Row(verify.Near(1-got, 1-level, basin.Bound(p, .01, .02)), "fall of the level inside during a tide, m", 1-level,
		1-got)
	t.Flush()
	return nil
}

// pondAtSea is a closed pond at 1 m, beside one whose outer side has a level that falls from 1.2 m to .6 m and rises
// again.
func pondAtSea(ctx context.Context, p *verify.Page, gate hydraulics.Structure) (*basin.Basin, error) {
	return pondsWith(ctx, p, 1, 1.2, map[string]*shallow.Given{"right": {Kind: "level",
		Value: []series.Row{{T: 0, Value: 1.2}, {T: 100, Value: .6}, {T: 200, Value: 1.2}}}}, gate)
}

// intake has a pond of 20 m, into whose outer side comes a discharge that grows by 10 l/s each second. Of it 90% pass a
// line 2 m from there, since the pond fills evenly, and at .5 m³/s through this a gate opens: after 55.6 s.
func intake(ctx context.Context, p *verify.Page) error {
	p.Progress("a gate that opens by a discharge")
	b, err := pondsWith(ctx, p, 1, .3, map[string]*shallow.Given{"left": {Kind: "inflow",
		Value: []series.Row{{T: 0, Value: 0}, {T: 400, Value: 4}}}},
		hydraulics.Structure{Name: "weir", Kind: "gate", From: at(-6, 10), To: at(6, 10), Value: series.Constant(.3),
			InvertFrom: .2, Width: 1, Contraction: .63, Rules: []hydraulics.Rule{{Watch: "discharge", Start: .5, Stop: 0,
				At: &hydraulics.Place{X: -20, Y: 0, Line: [][]float64{{-20, 0}, {-20, 20}}}}}})
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	opened := -1.0
	now := 0.0
	err = b.Until(ctx, 100, func(dt float64) error {
		now += dt
		d, err := b.Diagnose(ctx)
		if err != nil || opened >= 0 {
			return err
		}
		if d.Structures[0].Setting > 0 {
			opened = now
		}
		return nil
	})
	if err != nil {
		return err
	}
	t := p.Table("a gate that opens at .5 m³/s through a line", "quantity", "expected", "Atoll")
	t.Row(verify.Near(opened, .5/.9/.01, .03), "time at which it opens, s", .5/.9/.01, opened)
	t.Flush()
	return nil
}
