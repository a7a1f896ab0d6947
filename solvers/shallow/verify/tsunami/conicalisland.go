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

// The centre of the conical island of Briggs et al. in m, and the depth of the basin around it.
const (
	coneX, coneY = 12.96, 13.80
	coneDepth    = .32
)

// conicalIsland is the experiment of Briggs et al. with two heights of the incoming wave: levels at gauges, and the
// run-up around the island.
func conicalIsland(ctx context.Context, p *verify.Page) error {
	for _, c := range []struct {
		name  string
		tall  float64 // height of the wave over the depth, measured
		gauge float64 // x of gauges 1 to 4, m
		end   float64
	}{{"a", .045, 5.76, 13}, {"c", .181, 7.56, 11}} {
		m, err := mesh.Rectangle(0, -.7, 25, 29, basin.Triangles(p, 8000, 60000), basin.MeshSeed)
		if err != nil {
			return err
		}
		p.Progress("case %s, %d cells", c.name, len(m.Cells))
		cfg := basin.SecondOrder("pvm-ifcp", 1, 3e-5)
		rest := series.Constant(0)
		cfg.Given = basin.Given(m, map[string]*shallow.Given{
			"left":  {Kind: "radiation", Value: rest},
			"right": {Kind: "radiation", Value: rest},
		})
		b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Manning: .01, Initial: func(x, y float64) basin.State {
			depth := coneDepth - max(0, min(.625, (3.6-math.Hypot(x-coneX, y-coneY))/4))
			rise := solitary(c.tall*coneDepth, coneDepth, x-c.gauge)
			u := math.Sqrt(basin.Gravity*coneDepth*(1+c.tall)) * rise / (coneDepth + rise)
			return basin.State{Depth: depth, H2: max(0, depth+rise), U2: u}
		}})
		if err != nil {
			return err
		}
		places := [][2]float64{{c.gauge, 16.05}, {c.gauge, 14.55}, {c.gauge, 13.05}, {c.gauge, 11.55}, {9.36, 13.80},
			{10.36, 13.80}, {12.96, 11.22}, {15.56, 13.80}}
		at, top := b.CourseAt(places...), basin.Highest{}
		if err = b.Watch(ctx, c.end, at, &top); err == nil {
			err = coneTable(p, b, "bp6-"+c.name, at, &top)
		}
		b.Close(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// solitary returns the level of a solitary wave over a depth, at distance x from its crest.
func solitary(tall, depth, x float64) float64 {
	cosh := math.Cosh(math.Sqrt(3*tall/(4*depth*depth*depth)) * x)
	return tall / (cosh * cosh)
}

// coneTable compares the largest levels at gauges, and the run-up around the island. The times of the records have
// another origin than ours: pictures align the crests at gauge 1.
func coneTable(p *verify.Page, b *basin.Basin, name string, at *basin.Course, top *basin.Highest) error {
	gauges, err := read(name + "-gauges.csv")
	if err != nil {
		return err
	}
	subtractRest(gauges)
	around, err := read(name + "-runup.csv")
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("conical island, case %s: %d cells", name[4:], b.Part.Owned), "quantity", "reference",
		"Atoll")
	names := []string{"1", "2", "3", "4", "6", "9", "16", "22"}
	var meanMisfit, shift float64
	for k, g := range names {
		theirs, whenTheirs := basin.Peak(gauges["t_s"], gauges["g"+g+"_m"])
		ours, whenOurs := basin.Peak(at.Times, at.Levels[k])
		if k == 0 {
			shift = whenTheirs - whenOurs
		}
		meanMisfit += math.Abs(ours/theirs-1) / float64(len(names))
		t.Row(verify.Info, "largest level at gauge "+g+", m", theirs, ours)
	}
	t.Row(verify.AtMost(meanMisfit, basin.Bound(p, .08, .3)), "mean misfit of these", 0, meanMisfit)
	picture := &chart.Series{Title: "BP6, case " + name[4:] + ": levels in m, measured and Atoll", T: gauges["t_s"]}
	times := make([]float64, len(gauges["t_s"]))
	for i, v := range gauges["t_s"] {
		times[i] = v - shift
	}
	for k, g := range names[4:] {
		picture.Panels = append(picture.Panels, comparisonPanel("gauge "+g+" (m)", "measured", gauges["g"+g+"_m"],
			at.At(4+k, times)))
	}
	runUps := make([]float64, len(around["deg"]))
	var largest [2]float64
	for i, degree := range around["deg"] {
		runUps[i] = 100 * top.In(b, func(x, y float64) bool {
			offset := math.Atan2(x-coneX, coneY-y)*180/math.Pi - degree
			return math.Hypot(x-coneX, y-coneY) < 3.6 && math.Abs(math.Remainder(offset, 360)) < 5
		})
		largest[0] = max(largest[0], around["max_vertical_runup_cm"][i])
		largest[1] = max(largest[1], runUps[i])
	}
	t.Row(verify.Near(largest[1], largest[0], basin.Bound(p, .2, .5)), "largest run-up, cm", largest[0], largest[1])
	t.Flush()
	if err := p.Picture(name, picture); err != nil {
		return err
	}
	return p.Picture(name+"-run-up", &chart.Series{
		Title: "BP6, case " + name[4:] + ": largest run-up in cm", T: around["deg"], XLabel: "degrees around the island",
		Panels: []chart.Panel{comparisonPanel("run-up (cm)", "measured", around["max_vertical_runup_cm"], runUps)},
	})
}

// subtractRest subtracts from each gauge its mean reading for water at rest, up to 3 mm; the first waves arrive at 26
// s.
func subtractRest(gauges measured) {
	times := gauges["t_s"]
	for name, levels := range gauges {
		if name == "t_s" {
			continue
		}
		var sum float64
		n := 0
		for n < len(times) && times[n] < 26 {
			sum += levels[n]
			n++
		}
		for i := range levels {
			levels[i] -= sum / float64(n)
		}
	}
}
