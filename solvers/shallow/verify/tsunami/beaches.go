package tsunami

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// beach is a solitary wave that runs up a plane beach of slope 1:19.85 out of water of depth 1; x = 0 is the shoreline
// at rest. Lengths are in units of the depth d, times in units of √(d/g). BP1 and BP4 below are the benchmark problems
// of these names of the NTHMP (Synolakis and others, 2007).
type beach struct {
	height  float64
	manning float64
	bounds  [4]float64
	cells   int
}

const cot = 19.85 // of the beach's angle

var timeUnit = 1 / math.Sqrt(basin.Gravity) // √(d/g), s

// start makes the initial state: the crest so far offshore that at the toe of the beach the wave has a twentieth of its
// height. Waves leave through the seaward boundary.
func (w beach) start(ctx context.Context, p *verify.Page) (*basin.Basin, error) {
	m, err := mesh.Rectangle(w.bounds[0], w.bounds[1], w.bounds[2], w.bounds[3], w.cells, basin.MeshSeed)
	if err != nil {
		return nil, err
	}
	wavenumber := math.Sqrt(3 * w.height / 4)
	crest := cot + math.Acosh(math.Sqrt(20))/wavenumber
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-4)
	cfg.Given = basin.Given(m, map[string]*shallow.Given{"right": {Kind: "radiation", Value: series.Constant(0)}})
	return basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Manning: w.manning, Initial: func(x,
		_ float64) basin.State {
		depth := min(1, x/cot)
		cosh := math.Cosh(wavenumber * (x - crest))
		z := w.height / (cosh * cosh)
		if h := z + depth; h > 0 {
			return basin.State{Depth: depth, H2: h, U2: -math.Sqrt(basin.Gravity) * z}
		}
		return basin.State{Depth: depth}
	}})
}

// levels returns the water levels at xs, each the mean over the wet ones of five positions across the channel.
func (w beach) levels(b *basin.Basin, xs []float64) []float64 {
	means := make([]float64, len(xs))
	for k, x := range xs {
		sum, n := 0.0, 0
		for i := range 5 {
			y := w.bounds[1] + (float64(i)+.5)/5*(w.bounds[3]-w.bounds[1])
			if z := b.Level(b.SoundingAt(x, y)); !math.IsNaN(z) {
				sum, n = sum+z, n+1
			}
		}
		means[k] = sum / float64(n) // NaN where all is dry
	}
	return means
}

func everywhere(_, _ float64) bool { return true }

// simpleBeach is the exact solution of Synolakis for a wave that does not break: profiles, series at two positions,
// the first of which falls dry for a while, and the run-up law.
func simpleBeach(ctx context.Context, p *verify.Page) error {
	profiles, err := read("bp1-profiles.csv")
	if err != nil {
		return err
	}
	w := beach{height: .019, bounds: [4]float64{-5, 0, 70, 1.2}, cells: basin.Triangles(p, 1200, 5000)}
	b, err := w.start(ctx, p)
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	t := p.Table(fmt.Sprintf("solitary wave of 0.019 depths on a beach: %d cells, mean misfits over the range",
		b.Part.Owned), "quantity", "reference", "Atoll")
	tolerance := basin.Bound(p, .01, .05)
	xs := profiles["x_over_d"]
	picture := &chart.Series{Title: "BP1: η/d, exact and Atoll", T: xs, XLabel: "x/d"}
	highest, at := basin.Highest{}, b.CourseAt([2]float64{.25, .6}, [2]float64{9.95, .6})
	for k := 35; k <= 70; k += 5 {
		p.Progress("t = %d", k)
		if err := b.Watch(ctx, float64(k)*timeUnit, at, &highest); err != nil {
			return err
		}
		theirs, ours := profiles[fmt.Sprintf("t%d", k)], w.levels(b, xs)
		e := misfit(theirs, ours)
		t.Row(verify.AtMost(e, tolerance), fmt.Sprintf("profile at t = %d", k), 0, e)
		if k%10 == 5 {
			picture.Panels = append(picture.Panels, comparisonPanel(fmt.Sprintf("t = %d √(d/g)", k), "exact", theirs, ours))
		}
	}
	if err := b.Watch(ctx, 120*timeUnit, at, &highest); err != nil {
		return err
	}
	for k, name := range []string{"0.25", "9.95"} {
		s, err := read("bp1-series-x" + name + ".csv")
		if err != nil {
			return err
		}
		times := make([]float64, len(s["t_over_tau"]))
		for i, v := range s["t_over_tau"] {
			times[i] = v * timeUnit
		}
		e := misfit(s["eta_over_d"], at.At(k, times))
		t.Row(verify.AtMost(e, tolerance), "series at x = "+name, 0, e)
	}
	law := runUpLaw(w.height)
	ours := highest.In(b, everywhere)
	t.Row(verify.Near(ours, law, basin.Bound(p, .03, .1)), "run-up", law, ours)
	t.Flush()
	return p.Picture("bp1", picture)
}

// runUpLaw is the maximum run-up of a solitary wave that does not break (Synolakis 1987).
func runUpLaw(height float64) float64 { return 2.831 * math.Sqrt(cot) * math.Pow(height, 1.25) }

// laboratoryBeach is the same beach in Synolakis's laboratory, for a wave that does not break and one that does. The
// shallow-water equations, which have no dispersion, cannot reproduce the profiles of the latter near breaking.
func laboratoryBeach(ctx context.Context, p *verify.Page) error {
	profiles, err := read("bp4-profiles.csv")
	if err != nil {
		return err
	}
	for _, c := range []struct {
		beach
		name   string
		times  []int
		until  int
		theirs float64 // run-up by the laws of Synolakis
	}{
		{beach{.0185, .01, [4]float64{-4, 0, 70, 1.2}, basin.Triangles(p, 1500, 6000)}, "bp4-gentle",
			[]int{30, 40, 50, 60, 70}, 70, runUpLaw(.0185)},
		{beach{.3, .01, [4]float64{-14, 0, 60, 1.2}, basin.Triangles(p, 1500, 6000)}, "bp4-breaking",
			[]int{15, 20, 25, 30}, 60, 1.109 * math.Pow(.3, .582)},
	} {
		b, err := c.start(ctx, p)
		if err != nil {
			return err
		}
		t := p.Table(fmt.Sprintf("solitary wave of %g depths on a beach: %d cells", c.height, b.Part.Owned),
			"quantity", "reference", "Atoll")
		all := profiles.where("H_over_d", c.height)
		highest := basin.Highest{}
		xs := make([]float64, 300)
		for i := range xs {
			xs[i] = c.bounds[0] + (20-c.bounds[0])*float64(i)/float64(len(xs)-1)
		}
		picture := &chart.Series{Title: fmt.Sprintf("BP4, H = %g d: η/d, measured and Atoll", c.height), T: xs, XLabel: "x/d"}
		for _, k := range c.times {
			p.Progress("H = %g d, t = %d", c.height, k)
			if err := b.Watch(ctx, float64(k)*timeUnit, &highest); err != nil {
				b.Close(ctx)
				return err
			}
			m := all.where("t_over_tau", float64(k))
			e := misfit(m["eta_over_d"], c.levels(b, m["x_over_d"]))
			t.Row(verify.Info, fmt.Sprintf("misfit of the profile at t = %d", k), 0, e)
			theirs := make([]float64, len(xs))
			for i, x := range xs {
				theirs[i] = basin.Interpolate(m["x_over_d"], m["eta_over_d"], x)
			}
			picture.Panels = append(picture.Panels, comparisonPanel(fmt.Sprintf("t = %d √(d/g)", k), "measured", theirs,
				c.levels(b, xs)))
		}
		err = b.Watch(ctx, float64(c.until)*timeUnit, &highest)
		ours := highest.In(b, everywhere)
		b.Close(ctx)
		if err != nil {
			return err
		}
		t.Row(verify.Near(ours, c.theirs, basin.Bound(p, .12, .2)), "run-up", c.theirs, ours)
		t.Flush()
		if err := p.Picture(c.name, picture); err != nil {
			return err
		}
	}
	return nil
}
