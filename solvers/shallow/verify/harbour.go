package verify

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

// harbour is the tide in a harbour like examples/harbour, over many periods: through a mouth in the west it floods
// and drains flats in the east and around an island. The forced motion persists; free oscillations must not grow.
func harbour(ctx context.Context, p *verify.Page) error {
	const long, wide, manning = 2000.0, 1000.0, .025
	const amplitude, period = .6, 600.0 // of the tide
	cells, periods := 1600, 20
	if p.Options.Quick {
		cells, periods = 400, 4
	}
	m, err := mesh.Rectangle(0, 0, long, wide, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	mouthOf(m, "left", .35*wide, .65*wide)
	var tide []series.Row
	end := float64(periods) * period
	for k := range 100*periods + 1 {
		t := period * float64(k) / 100
		tide = append(tide, series.Row{T: t, Value: amplitude * math.Sin(2*math.Pi*t/period)})
	}
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-3)
	cfg.Given = basin.Given(m, map[string]*shallow.Given{"mouth": {Kind: "level", Value: tide}})
	p.Progress("harbour, %d cells, %d periods", len(m.Cells), periods)
	initial := func(x, y float64) basin.State {
		depth := min(6-7*x/long, math.Hypot(x-1200, y-500)/20-5)
		return basin.State{Depth: depth, H2: max(0, depth)}
	}
	b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Manning: manning, Initial: initial})
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	// The mean level and the mean speed measure the motion of the basin.
	var largest [2]motionOfBasin // in the first and the second half of the periods after the first
	least := math.Inf(1)
	measure := func(float64) error {
		if b.Steps()%10 != 0 || b.Time() < period {
			return nil
		}
		half := &largest[0]
		if b.Time() > (end+period)/2 {
			half = &largest[1]
		}
		half.level = max(half.level, math.Abs(b.Mean(func(i int, _, _ float64) float64 { return wetLevel(b, i) })))
		half.speed = max(half.speed, b.Mean(func(i int, _, _ float64) float64 {
			return math.Hypot(b.Value("u2", i), b.Value("v2", i))
		}))
		for i := range b.Part.Owned {
			least = min(least, b.Value("h2", i))
		}
		return nil
	}
	if err := b.Until(ctx, end, measure); err != nil {
		return err
	}
	harbourTable(p, b, periods, largest, least)
	return nil
}

// motionOfBasin is the largest mean level relative to rest, m, and the largest mean speed, m/s.
type motionOfBasin struct{ level, speed float64 }

func harbourTable(p *verify.Page, b *basin.Basin, periods int, largest [2]motionOfBasin, least float64) {
	t := p.Table(fmt.Sprintf("the tide in a harbour: %d cells, %d periods, %d steps", b.Part.Owned, periods, b.Steps()),
		"quantity", "first half", "second half", "their ratio")
	for _, row := range []struct {
		name          string
		first, second float64
	}{{"largest mean level, m", largest[0].level, largest[1].level},
		{"largest mean speed, m/s", largest[0].speed, largest[1].speed}} {
		ratio := row.second / row.first
		t.Row(verify.AtMost(ratio, basin.Bound(p, 1.01, 1.1)), row.name, row.first, row.second, ratio)
	}
	t.Row(verify.AtLeast(least, 0), "least thickness, m", "", least, "")
	t.Flush()
}

// wetLevel is the level of a wet cell, and 0 for a dry one.
func wetLevel(b *basin.Basin, cell int) float64 {
	if b.Value("h2", cell) < b.DryDepth() {
		return 0
	}
	return b.Value("z2", cell)
}

// mouthOf makes a group "mouth" of the edges of a side along y with midpoints between lo and hi.
func mouthOf(m *mesh.Mesh, side string, lo, hi float64) {
	mouth := int32(len(m.Groups))
	m.Groups = append(m.Groups, mesh.Group{Dim: 1, Tag: int(mouth) + 1, Name: "mouth"})
	for k := range m.Tagged {
		e := &m.Tagged[k]
		middle := (m.Y[e.A] + m.Y[e.B]) / 2
		if m.Groups[e.Group].Name == side && middle > lo && middle < hi {
			e.Group = mouth
		}
	}
}
