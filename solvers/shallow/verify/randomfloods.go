package verify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// randomFloods runs random cases of everything that floods have: beds with slopes, jumps and noise, dry starts, lakes
// and dams, all kinds of boundaries with bursts, rain, losses and friction, at both orders. None may stop, no thickness
// may be negative, no volume be unexplained, and no speed be beyond twice what the head allows: 2√(gE) is that of the
// front of a dam break, where E is the highest head that is given or that the water reaches over the lowest bed.
func randomFloods(ctx context.Context, p *verify.Page) error {
	cases, steps := 200, 1000
	if p.Options.Quick {
		cases, steps = 40, 100
	}
	ctx = basin.WithoutBudget(ctx) // of which each case would have a row
	var fastest, unexplained float64
	least := math.Inf(1)
	for k := range cases {
		p.Progress("case %d of %d", k+1, cases)
		rng := rand.New(rand.NewPCG(uint64(k), 40))
		m, err := mesh.Rectangle(0, 0, 100, 60, 60+rng.IntN(240), uint64(k))
		if err != nil {
			return err
		}
		f, err := newRandomFlood(rng, m)
		if err != nil {
			return err
		}
		run, err := basin.Start(ctx, p, f.flow)
		if err != nil {
			return err
		}
		share, lost, thinnest, err := f.run(ctx, run, steps)
		run.Close(ctx)
		if err != nil {
			return fmt.Errorf("case %d: %w", k, err)
		}
		fastest, unexplained, least = max(fastest, share), max(unexplained, lost), min(least, thinnest)
	}
	t := p.Table(fmt.Sprintf("%d random floods, %d steps each", cases, steps), "quantity", "reference", "Atoll")
	t.Row(verify.AtMost(fastest, 1), "largest speed, as a share of 2√(gE)", "", fastest)
	t.Row(verify.AtLeast(least, 0), "least thickness, m", "", least)
	t.Row(verify.AtMost(unexplained, 1e-12), "largest unexplained volume, as a share", "", unexplained)
	t.Flush()
	return nil
}

// randomFlood is a random case; lowest and highest are heights of the bed, and head is the highest head at the start or
// given at boundaries, m.
type randomFlood struct {
	flow                  basin.Flow
	lowest, highest, head float64
}

func newRandomFlood(rng *rand.Rand, m *mesh.Mesh) (*randomFlood, error) {
	f := &randomFlood{}
	cfg := floodConfig([]float64{0, 1e-5, 1e-3}[rng.IntN(3)])
	cfg.Order = 1 + min(1, rng.IntN(4))
	relief := math.Pow(10, 2.5*rng.Float64()-1) // 0.1 m to 30 m
	slope, jump, noise := rng.Float64()/100, rng.Float64(), rng.Float64()
	at := 100 * rng.Float64()
	bed := func(x, y float64) float64 {
		z := relief * (slope*(100-x) + noise*math.Sin(3737*x+11*y)*math.Sin(4141*y))
		if x > at {
			z -= relief * jump
		}
		return z
	}
	f.lowest, f.highest = -relief*(noise+jump), relief*(1+noise)
	level := f.lowest + (f.highest-f.lowest)*rng.Float64()
	dam, dry := 100*rng.Float64(), rng.IntN(3) == 0
	f.flow = basin.Flow{Mesh: m, Manning: []float64{0, .015, .05}[rng.IntN(3)], Initial: func(x, y float64) basin.State {
		s := basin.State{Depth: -bed(x, y)}
		if !dry && x < dam {
			s.H2 = max(0, level-bed(x, y))
		}
		return s
	}}
	f.head = max(f.highest, level)
	if rng.IntN(2) == 0 {
		cfg.Forcing.Rain = f.burst(rng, 1e-3*rng.Float64())
	}
	if rng.IntN(3) == 0 {
		cfg.Forcing.Evaporation = f.burst(rng, 1e-4*rng.Float64())
	}
	if rng.IntN(3) == 0 {
		f.flow.Coefficients = map[string]float64{coefficients.Conductivity: 1e-5, coefficients.Suction: .05,
			coefficients.Deficit: 1}
	}
	given := map[string]*shallow.Given{}
	for _, side := range []string{"left", "right", "bottom", "top"} {
		if rng.IntN(2) == 0 {
			given[side] = f.boundary(rng)
		}
	}
	cfg.Given = basin.Given(m, given)
	f.flow.Config = cfg
	return f, nil
}

// burst returns a series that is 0 but for a burst up to a value.
func (f *randomFlood) burst(rng *rand.Rand, most float64) []series.Row {
	start, long := 20*rng.Float64(), math.Pow(10, 3*rng.Float64()-1)
	return []series.Row{{T: 0, Value: 0}, {T: start, Value: 0}, {T: start + long/2, Value: most},
		{T: start + long, Value: 0}}
}

// boundary returns a random condition, and raises the highest head to what it may bring.
func (f *randomFlood) boundary(rng *rand.Rand) *shallow.Given {
	q := 3 * rng.Float64() // m²/s
	bring := func(q, h float64) { f.head = max(f.head, f.highest+h+q*q/(2*basin.Gravity*h*h)) }
	switch rng.IntN(9) {
	case 0:
		return &shallow.Given{Kind: "open"}
	case 1:
		level := f.lowest + (f.highest-f.lowest)*rng.Float64()
		return &shallow.Given{Kind: "level", Value: []series.Row{{T: 0, Value: f.lowest}, {T: 20, Value: level},
			{T: 21, Value: f.lowest - 5}}}
	case 2:
		bring(q, math.Cbrt(q*q/basin.Gravity))
		return &shallow.Given{Kind: "discharge", Value: f.burst(rng, q)}
	case 3:
		bring(q*10, math.Cbrt(q*q*100/basin.Gravity)) // on the edges that are lowest
		return &shallow.Given{Kind: "inflow", Value: f.burst(rng, 10*q)}
	case 4:
		wave := []series.Row{{T: 0, Value: 0}, {T: 5, Value: .2}, {T: 10, Value: 0}}
		return &shallow.Given{Kind: "radiation", Value: series.Constant(f.lowest + 1), Wave: wave}
	case 5:
		if f.flow.Manning == 0 {
			return &shallow.Given{Kind: "open"}
		}
		return &shallow.Given{Kind: "normal", Value: series.Constant(.01)}
	case 6:
		return &shallow.Given{Kind: "rating", Curve: []series.Row{{T: f.lowest, Value: 0}, {T: f.highest, Value: 50}}}
	case 7:
		bring(q, .05+q/5)
		return &shallow.Given{Kind: "discharge", Value: f.burst(rng, q), Depth: series.Constant(.05 + q/5)}
	}
	return &shallow.Given{Kind: "critical"}
}

// run takes steps, and returns the largest speed as a share of that of the head, the largest unexplained share of the
// volumes, and the least thickness.
func (f *randomFlood) run(ctx context.Context, run *basin.Basin, steps int) (share, unexplained, least float64,
	err error) {
	start, err := run.Diagnose(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	least = math.Inf(1)
	const end = 86400 // s
	for i := 0; i < steps && run.Time() < end; i++ {
		if _, err := run.Step(ctx, end); err != nil {
			return 0, 0, 0, err
		}
		if i%10 != 9 {
			continue
		}
		d, err := run.Diagnose(ctx)
		if err != nil {
			return 0, 0, 0, err
		}
		head := max(f.head, f.highest+d.H2Max)
		share = max(share, d.SpeedMax/(2*math.Sqrt(basin.Gravity*(head-f.lowest))))
		least = min(least, d.H2Min)
		change, moved := d.Mass2-start.Mass2, 0.0
		for _, s := range d.Sources {
			change, moved = change-s.Volume2, moved+math.Abs(s.Volume2)
		}
		if scale := max(start.Mass2, d.Mass2, moved); scale > 0 {
			unexplained = max(unexplained, math.Abs(change)/scale)
		}
	}
	return share, unexplained, least, nil
}
