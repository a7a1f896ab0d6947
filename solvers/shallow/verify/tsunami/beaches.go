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

// beach is a solitary wave of height tall that runs up a plane beach of slope 1:19.85 out of water of depth 1, x = 0
// being the shoreline at rest. Lengths are in depths, times in √(depth/g).
type beach struct {
	tall    float64
	manning float64
	bounds  [4]float64
	cells   int
}

const cot = 19.85 // of the beach's angle

var beat = 1 / math.Sqrt(basin.Gravity) // √(depth/g), s

// start starts the wave where its height is a twentieth at the beach's toe. On the side of the sea waves leave.
func (w beach) start(ctx context.Context, p *verify.Page) (*basin.Basin, error) {
	m, err := mesh.Rectangle(w.bounds[0], w.bounds[1], w.bounds[2], w.bounds[3], w.cells, basin.MeshSeed)
	if err != nil {
		return nil, err
	}
	narrow := math.Sqrt(3 * w.tall / 4)
	from := cot + math.Acosh(math.Sqrt(20))/narrow
	cfg := basin.Second("pvm-ifcp", 1, 1e-4)
	cfg.Given = basin.Given(m, map[string]*shallow.Given{"right": {Kind: "radiation", Value: series.Constant(0)}})
	return basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Manning: w.manning, Initial: func(x,
		_ float64) basin.State {
		depth := min(1, x/cot)
		cosh := math.Cosh(narrow * (x - from))
		z := w.tall / (cosh * cosh)
		if h := z + depth; h > 0 {
			return basin.State{Depth: depth, H2: h, U2: -math.Sqrt(basin.Gravity) * z}
		}
		return basin.State{Depth: depth}
	}})
}

// levels are those along the middle of the channel.
func (w beach) levels(b *basin.Basin, xs []float64) []float64 {
	ours := make([]float64, len(xs))
	for k, x := range xs {
		sum, n := 0.0, 0
		for i := range 5 {
			y := w.bounds[1] + (float64(i)+.5)/5*(w.bounds[3]-w.bounds[1])
			if z := b.Level(b.At(x, y)); !math.IsNaN(z) {
				sum, n = sum+z, n+1
			}
		}
		ours[k] = sum / float64(n) // NaN where all is dry
	}
	return ours
}

func everywhere(_, _ float64) bool { return true }

// simpleBeach is the exact solution of Synolakis for a wave that does not break: profiles, series at two positions, of
// which the first runs dry for a while, and the law of run-up.
func simpleBeach(ctx context.Context, p *verify.Page) error {
	profiles, err := read("bp1-profiles.csv")
	if err != nil {
		return err
	}
	w := beach{tall: .019, bounds: [4]float64{-5, 0, 70, 1.2}, cells: basin.Triangles(p, 1200, 5000)}
	b, err := w.start(ctx, p)
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	t := p.Table(fmt.Sprintf("solitary wave of 0.019 depths on a beach: %d cells, mean misfits over the range",
		b.Part.Owned), "quantity", "theirs", "ours")
	most := basin.Share(p, .01, .05)
	xs := profiles["x_over_d"]
	picture := &chart.Series{Title: "BP1: η/d, exact and ours", T: xs, Across: "x/d"}
	top, at := basin.Highest{}, b.CourseAt([2]float64{.25, .6}, [2]float64{9.95, .6})
	for k := 35; k <= 70; k += 5 {
		p.Progress("t = %d", k)
		if err := b.Watch(ctx, float64(k)*beat, at, &top); err != nil {
			return err
		}
		theirs, ours := profiles[fmt.Sprintf("t%d", k)], w.levels(b, xs)
		e := misfit(theirs, ours)
		t.Row(verify.AtMost(e, most), fmt.Sprintf("profile at t = %d", k), 0, e)
		if k%10 == 5 {
			picture.Panels = append(picture.Panels, beside(fmt.Sprintf("t = %d √(d/g)", k), "exact", theirs, ours))
		}
	}
	if err := b.Watch(ctx, 120*beat, at, &top); err != nil {
		return err
	}
	for k, name := range []string{"0.25", "9.95"} {
		s, err := read("bp1-series-x" + name + ".csv")
		if err != nil {
			return err
		}
		times := make([]float64, len(s["t_over_tau"]))
		for i, v := range s["t_over_tau"] {
			times[i] = v * beat
		}
		e := misfit(s["eta_over_d"], at.Along(k, times))
		t.Row(verify.AtMost(e, most), "series at x = "+name, 0, e)
	}
	law := runUpLaw(w.tall)
	ours := top.In(b, everywhere)
	t.Row(verify.Near(ours, law, basin.Share(p, .03, .1)), "run-up", law, ours)
	t.Flush()
	return p.Picture("bp1", picture)
}

// runUpLaw is that of Synolakis for waves that do not break.
func runUpLaw(tall float64) float64 { return 2.831 * math.Sqrt(cot) * math.Pow(tall, 1.25) }

// laboratoryBeach is the same beach in Synolakis's laboratory, for a wave that does not break and one that does. The
// profiles of the latter near breaking are beyond the equations, which know no dispersion.
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
		t := p.Table(fmt.Sprintf("solitary wave of %g depths on a beach: %d cells", c.tall, b.Part.Owned),
			"quantity", "theirs", "ours")
		all := profiles.where("H_over_d", c.tall)
		top := basin.Highest{}
		grid := make([]float64, 300)
		for i := range grid {
			grid[i] = c.bounds[0] + (20-c.bounds[0])*float64(i)/float64(len(grid)-1)
		}
		picture := &chart.Series{Title: fmt.Sprintf("BP4, H = %g d: η/d, measured and ours", c.tall), T: grid, Across: "x/d"}
		for _, k := range c.times {
			p.Progress("H = %g d, t = %d", c.tall, k)
			if err := b.Watch(ctx, float64(k)*beat, &top); err != nil {
				b.Close(ctx)
				return err
			}
			m := all.where("t_over_tau", float64(k))
			e := misfit(m["eta_over_d"], c.levels(b, m["x_over_d"]))
			t.Row(verify.Info, fmt.Sprintf("misfit of the profile at t = %d", k), 0, e)
			theirs := make([]float64, len(grid))
			for i, x := range grid {
				theirs[i] = basin.Between(m["x_over_d"], m["eta_over_d"], x)
			}
			picture.Panels = append(picture.Panels, beside(fmt.Sprintf("t = %d √(d/g)", k), "measured", theirs,
				c.levels(b, grid)))
		}
		err = b.Watch(ctx, float64(c.until)*beat, &top)
		ours := top.In(b, everywhere)
		b.Close(ctx)
		if err != nil {
			return err
		}
		t.Row(verify.Near(ours, c.theirs, basin.Share(p, .12, .2)), "run-up", c.theirs, ours)
		t.Flush()
		if err := p.Picture(c.name, picture); err != nil {
			return err
		}
	}
	return nil
}
