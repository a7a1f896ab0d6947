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

// ponds are two basins of 20 m by 20 m with a ridge between them, whose outer sides keep their levels if they are open.
func ponds(ctx context.Context, p *verify.Page, left, right float64, open bool,
	list ...hydraulics.Structure) (*basin.Basin, error) {
	given := map[string]*shallow.Given{}
	if open {
		given["left"] = &shallow.Given{Kind: "level", Value: series.Constant(left)}
		given["right"] = &shallow.Given{Kind: "level", Value: series.Constant(right)}
	}
	return pondsWith(ctx, p, left, right, given, list...)
}

// pondsWith are ponds with given conditions at their outer sides.
func pondsWith(ctx context.Context, p *verify.Page, left, right float64, given map[string]*shallow.Given,
	list ...hydraulics.Structure) (*basin.Basin, error) {
	cells := 1600
	if p.Options.Quick {
		cells = 400
	}
	m, err := mesh.Rectangle(-22, 0, 22, 20, cells, basin.MeshSeed)
	if err != nil {
		return nil, err
	}
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-5)
	cfg.Layers, cfg.Structures = 1, list
	cfg.Given = basin.Given(m, given)
	return basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Ranks: moreRanks, Initial: func(x, _ float64) basin.State {
		switch {
		case math.Abs(x) < 2:
			return basin.State{Depth: -5}
		case x < 0:
			return basin.State{H2: left}
		}
		return basin.State{H2: right}
	}})
}

func at(x, y float64) *hydraulics.Place { return &hydraulics.Place{X: x, Y: y, Radius: 2} }

// Structures has culverts, bridges and a breach between two levels, against their formulas; and a pump that keeps a
// pond, into which water comes from a source, between two levels.
func Structures(ctx context.Context, p *verify.Page) error {
	if err := culverts(ctx, p); err != nil {
		return err
	}
	for _, check := range []func(context.Context, *verify.Page) error{bridges, breaches} {
		if err := check(ctx, p); err != nil {
			return err
		}
	}
	return pump(ctx, p)
}

// bridges has a bridge of .25 m, which hardly moves the water beside it, between two levels: free under the deck, under
// pressure with air behind and without, and with flow over the deck, free and drowned.
func bridges(ctx context.Context, p *verify.Page) error {
	const wide, soffit, deck, crest, weir, end = .25, .6, 1.0, .375, 1.44, 60.0
	sluice := func(head float64) float64 { return .5 * wide * soffit * math.Sqrt(2*basin.Gravity*(head-soffit/2)) }
	full := func(fall float64) float64 { return .8 * wide * soffit * math.Sqrt(2*basin.Gravity*fall) }
	t := p.Table("a bridge between two levels, after a minute", "flow", "level in front, m", "behind, m", "formula, m³/s",
		"Atoll")
	for _, c := range []struct {
		name          string
		front, behind float64
		formula       func(front, behind float64) float64
	}{
		{"free under the deck", .5, .1, func(front, _ float64) float64 { // .8 of the critical discharge
			return .8 * wide * math.Sqrt(basin.Gravity) * math.Pow(2.0/3*front, 1.5)
		}},
		{"under pressure, free behind", .95, .1, func(front, _ float64) float64 { return sluice(front) }},
		{"under pressure, submerged", .95, .85, func(front, behind float64) float64 { return full(front - behind) }},
		{"over the deck too", 1.3, .7, func(front, behind float64) float64 {
			return min(sluice(front), full(front-behind)) + weir*crest*math.Pow(front-deck, 1.5)
		}},
		{"over the deck, drowned", 1.4, 1.35, func(front, behind float64) float64 {
			return full(front-behind) + 1.5*math.Sqrt(3)*weir*crest*(behind-deck)*math.Sqrt(front-behind)
		}},
	} {
		p.Progress("bridge, %s", c.name)
		b, err := ponds(ctx, p, c.front, c.behind, true, hydraulics.Structure{Name: "bridge", Kind: "bridge",
			From: at(-6, 10), To: at(6, 10), Value: series.Constant(1), Barrels: 1, Deck: deck, Crest: weir * crest,
			Barrel: &hydraulics.Barrel{Width: wide, Height: soffit, Length: 1, Losses: 1 / .64, Sluice: .5}})
		if err != nil {
			return err
		}
		q, front, behind, err := discharge(ctx, b, end)
		b.Close(ctx)
		if err != nil {
			return err
		}
		want := c.formula(front, behind)
		t.Row(verify.Near(q, want, .01), c.name, front, behind, want, q)
	}
	t.Flush()
	return nil
}

// breaches has a breach that falls and grows during half a minute, and then stays: free, drowned, and in the other
// direction; and one that has not reached the water. Others open at a level that the water has, or has not.
func breaches(ctx context.Context, p *verify.Page) error {
	const long, weir, end = .4, 1.44, 60.0
	t := p.Table("a breach between two levels, after a minute", "flow", "level in front, m", "behind, m", "formula, m³/s",
		"Atoll")
	drowned := func(head, behind float64) float64 {
		return 1.5 * math.Sqrt(3) * weir * long * behind * math.Sqrt(head-behind)
	}
	for _, c := range []struct {
		name        string
		left, right float64
		crest       float64
		start       float64
		formula     func(left, right float64) float64
	}{
		{"free", 1.2, .3, .7, 0, func(left, _ float64) float64 { return weir * long * math.Pow(left-.7, 1.5) }},
		{"free, from a level in front on", 1.2, .3, .7, 1.1, func(left, _ float64) float64 {
			return weir * long * math.Pow(left-.7, 1.5)
		}},
		{"drowned, from a level behind on", 1.1, 1.2, .7, 1.15, func(left, right float64) float64 {
			return -drowned(right-.7, left-.7)
		}},
		{"below its level", 1.2, .3, .7, 1.25, func(_, _ float64) float64 { return 0 }},
		{"drowned", 1.2, 1.1, .7, 0, func(left, right float64) float64 { return drowned(left-.7, right-.7) }},
		{"drowned, other way", 1.1, 1.2, .7, 0, func(left, right float64) float64 { return -drowned(right-.7, left-.7) }},
		{"above the water", 1.2, .3, 1.25, 0, func(_, _ float64) float64 { return 0 }},
	} {
		p.Progress("breach, %s", c.name)
		b, err := ponds(ctx, p, c.left, c.right, true, hydraulics.Structure{Name: "breach", Kind: "breach", From: at(-6, 10),
			To: at(6, 10), Crest: weir, Value: []series.Row{{T: 5, Value: 3}, {T: end / 2, Value: c.crest}},
			Length: []series.Row{{T: 5, Value: 0}, {T: end / 2, Value: long}}, Ruled: c.start > 0, Start: c.start})
		if err != nil {
			return err
		}
		q, left, right, err := discharge(ctx, b, end)
		b.Close(ctx)
		if err != nil {
			return err
		}
		want := c.formula(left, right)
		v := verify.Near(q, want, .01)
		if want == 0 {
			v = verify.Exactly(q, 0)
		}
		t.Row(v, c.name, left, right, want, q)
	}
	t.Flush()
	return nil
}

func culverts(ctx context.Context, p *verify.Page) error {
	const end = 60.0
	root := math.Sqrt(basin.Gravity)
	t := p.Table("culverts between two levels, after a minute", "culvert", "level in front, m", "behind, m",
		"formula, m³/s", "Atoll")
	full := func(b *hydraulics.Barrel, fall float64) float64 {
		area, radius := b.Section(b.Diameter + b.Height)
		return area * math.Sqrt(2*basin.Gravity*fall/(b.Losses+2*basin.Gravity*b.Manning*b.Manning*b.Length/
			math.Pow(radius, 4.0/3)))
	}
	pipeFull := func(b *hydraulics.Barrel, front, behind float64) float64 { return full(b, front-behind) }
	pipe := hydraulics.Barrel{Diameter: .5, Length: 10, Manning: .013, Losses: 1.5}
	box := hydraulics.Barrel{Width: 1, Height: .4, Length: 30, Manning: .013, Losses: 1.5}
	for _, c := range []struct {
		name     string
		b        hydraulics.Barrel
		barrels  int
		invert   float64
		behind   float64
		formula  func(b *hydraulics.Barrel, front, behind float64) float64
		backward bool
	}{
		{"pipe of .5 m, inlet not submerged", pipe, 1, 1.6, .1, func(_ *hydraulics.Barrel, front, _ float64) float64 {
			return root * .421 * math.Pow(.5, .87) * math.Pow(front-1.6, 1.63)
		}, false},
		{"box of 1 m × .4 m, inlet submerged", box, 1, 1, .1, func(_ *hydraulics.Barrel, front, _ float64) float64 {
			return root * .702 * math.Pow(.4, .89) * math.Pow(front-1, .61)
		}, false},
		{"pipe of .5 m, full", pipe, 1, 0, 1.7, pipeFull, false},
		{"three boxes, full", box, 3, 0, 1.5, func(b *hydraulics.Barrel, front, behind float64) float64 {
			return 3 * full(b, front-behind)
		}, false},
		{"pipe of .5 m, full, other way", pipe, 1, 0, 1.7, pipeFull, true},
	} {
		p.Progress("%s", c.name)
		s := hydraulics.Structure{Name: "culvert", Kind: "culvert", From: at(-6, 10), To: at(6, 10),
			Value: series.Constant(1), Barrel: &c.b, Barrels: c.barrels, InvertFrom: c.invert, InvertTo: 0}
		sign := 1.0
		if c.backward {
			s.From, s.To, s.InvertFrom, s.InvertTo, sign = s.To, s.From, s.InvertTo, s.InvertFrom, -1
		}
		b, err := ponds(ctx, p, 2, c.behind, true, s)
		if err != nil {
			return err
		}
		q, front, behind, err := discharge(ctx, b, end)
		b.Close(ctx)
		if err != nil {
			return err
		}
		want := c.formula(&c.b, front, behind)
		t.Row(verify.Near(sign*q, want, .01), c.name, front, behind, want, sign*q)
	}
	t.Flush()
	return nil
}

// discharge returns the mean discharge through the only structure inside a basin over the second half of a time, and
// the mean levels of both ponds meanwhile.
func discharge(ctx context.Context, b *basin.Basin, end float64) (q, front, behind float64, err error) {
	if err := b.Until(ctx, end/2, nil); err != nil {
		return 0, 0, 0, err
	}
	start, err := b.Diagnose(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	err = b.Until(ctx, end, func(dt float64) error {
		front += dt / (end / 2) * b.MeanBetween("z2", -22, -2)
		behind += dt / (end / 2) * b.MeanBetween("z2", 2, 22)
		return nil
	})
	if err != nil {
		return 0, 0, 0, err
	}
	d, err := b.Diagnose(ctx)
	return (d.Structures[0].Volume - start.Structures[0].Volume) / (end / 2), front, behind, err
}

// pump has .5 m³/s into a closed pond of 20 m by 20 m, and a pump of 1 m³/s that begins at a level of 1.1 m and ends
// at 1 m: the level falls as fast as it rises, each in 400 m² × .1 m / (.5 m³/s) = 80 s.
func pump(ctx context.Context, p *verify.Page) error {
	const comes, end = .5, 400.0
	b, err := ponds(ctx, p, 1, 1, false,
		hydraulics.Structure{Name: "spring", Kind: "source", To: at(-16, 10), Value: series.Constant(comes)},
		hydraulics.Structure{Name: "pump", Kind: "pump", From: at(-6, 10), Value: series.Constant(2 * comes),
			Rules: []hydraulics.Rule{{Watch: "from", Start: 1.1, Stop: 1}}})
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	p.Progress("a pump between two levels")
	t := p.Table("a pump between two levels", "quantity", "reference", "Atoll")
	lowest, highest := math.Inf(1), 0.0
	err = b.Until(ctx, end, func(float64) error {
		level := b.MeanBetween("z2", -22, -2)
		lowest, highest = min(lowest, level), max(highest, level)
		return nil
	})
	if err != nil {
		return err
	}
	d, err := b.Diagnose(ctx)
	if err != nil {
		return err
	}
	came, left := basin.InflowFrom(d, "spring"), -basin.InflowFrom(d, "pump")
	t.Row(verify.Near(came, comes*end, 1e-12), "water of the source, m³", comes*end, came)
	t.Row(verify.Near(left, 2*comes*160, .1), "water of the pump, m³, in two of five phases", 2*comes*160, left)
	t.Row(verify.Near(highest, 1.1, .03), "highest mean level, m", 1.1, highest)
	t.Row(verify.Near(lowest, 1, .03), "lowest mean level, m", 1.0, lowest)
	t.Flush()
	return nil
}
