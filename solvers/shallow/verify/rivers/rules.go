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
	for _, check := range []func(context.Context, *verify.Page) error{openGates, pumpByTable, barrier, sluice, intake} {
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
	seen, now := 1.0, 1.0 // levels at the pump at the start and the end of the last step
	err = b.Until(ctx, end, func(float64) error {
		seen, now = now, levelAt(b, at(-6, 10))
		return nil
	})
	if err != nil {
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
	share := (seen - 1) / .4
	t.Row(verify.Near(d.Structures[1].Setting, share, 1e-9), "share of its capacity, for the level at the pump", share,
		d.Structures[1].Setting)
	t.Flush()
	return nil
}

// levelAt is the mean level of the water at a place in a pond, whose bed is at 0.
func levelAt(b *basin.Basin, place *hydraulics.Place) float64 {
	volume, moment := 0.0, 0.0
	for i := range b.Part.Owned {
		if x, y := b.Part.Centroid(i); math.Hypot(x-place.X, y-place.Y) <= place.Radius {
			z := b.Value("z2", i)
			volume, moment = volume+z*b.Part.Area(i), moment+z*z*b.Part.Area(i)
		}
	}
	return moment / volume
}

// pond is the area of each pond, m².
const pond = 400.0

// barrier has 1 m³/s into the left pond, whose level rises by 2.5 mm/s. A gate to the other pond closes when the level
// at a place far from it has risen to 1.1 m, after 40 s, within 20 s. Then water is taken out, and it opens at 1.05 m.
// The setting is compared with what follows from the level at the place at the starts of steps.
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
	level, wanted, share := 1.0, 1.0, 1.0
	move := func(dt float64) error {
		if level >= 1.1 {
			wanted = 0
		} else if level < 1.05 {
			wanted = 1
		}
		share = max(min(wanted, share+dt/travel), share-dt/travel)
		level = levelAt(b, at(-18, 10))
		return nil
	}
	moving := 0
	for _, time := range []float64{30, 50, 70, 120, 150, 170} {
		if err := b.Until(ctx, time, move); err != nil {
			return err
		}
		d, err := b.Diagnose(ctx)
		if err != nil {
			return err
		}
		if share > 0 && share < 1 {
			moving++
		}
		t.Row(verify.AtMost(math.Abs(d.Structures[1].Setting-share*opening), 1e-9*opening), time, share*opening,
			d.Structures[1].Setting)
	}
	t.Row(verify.Exactly(float64(moving), 2), "times at which it moves", 2, moving)
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
// line 2 m from there, since the pond fills evenly, and at .5 m³/s through this a gate opens: after 55.6 s, up to waves
// in the pond, of which the step is found from the flow in the cells along the line.
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
	opened, passed, now := -1.0, -1.0, 0.0
	across := 0.0 // the discharge at the start of a step
	err = b.Until(ctx, 100, func(dt float64) error {
		now += dt
		if passed < 0 && across >= .5 {
			passed = now
		}
		across = dischargeAcross(b, -20)
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
	t.Row(verify.Exactly(opened, passed), "time at which it opens, s", passed, opened)
	t.Row(verify.Near(opened, .5/.9/.01, .03), "the same in a pond without waves", .5/.9/.01, opened)
	t.Flush()
	return nil
}

// dischargeAcross is the discharge along x through the cells that a line of one x crosses.
func dischargeAcross(b *basin.Basin, x float64) (q float64) {
	for i := range b.Part.Owned {
		low, high := math.Inf(1), math.Inf(-1)
		v := b.Part.Cells[i]
		for k := range v {
			a, c := v[k], v[(k+1)%3]
			if b.Part.X[a] <= x != (b.Part.X[c] <= x) {
				y := b.Part.Y[a] + (x-b.Part.X[a])/(b.Part.X[c]-b.Part.X[a])*(b.Part.Y[c]-b.Part.Y[a])
				low, high = min(low, y), max(high, y)
			}
		}
		if high > low {
			q += (high - low) * b.Value("h2", i) * b.Value("u2", i)
		}
	}
	return q
}
