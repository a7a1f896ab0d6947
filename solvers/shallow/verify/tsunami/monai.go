package tsunami

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// monai is the model of Monai valley: the record of the incoming wave at x = 0, gauges near the shore, and the run-up
// in a gully.
func monai(ctx context.Context, p *verify.Page) error {
	const end = 25.0
	gauges, err := read("bp7-gauges.csv")
	if err != nil {
		return err
	}
	b, err := startMonai(ctx, p)
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	runUp, err := read("bp7-runup.csv")
	if err != nil {
		return err
	}
	var places [][2]float64
	for k, x := range runUp["x_m"] {
		places = append(places, [2]float64{x, runUp["y_m"][k]})
	}
	at := b.CourseAt([2]float64{4.521, 1.196}, [2]float64{4.521, 1.696}, [2]float64{4.521, 2.196})
	ashore := b.CourseAt(places...)
	top := basin.Highest{}
	p.Progress("%d cells", b.Part.Owned)
	if err := b.Watch(ctx, end, at, ashore, &top); err != nil {
		return err
	}
	times := gauges["t_s"]
	for len(times) > 0 && times[len(times)-1] > end {
		times = times[:len(times)-1]
	}
	t := p.Table(fmt.Sprintf("Monai valley: %d cells", b.Part.Owned), "quantity", "reference", "Atoll")
	picture := &chart.Series{Title: "BP7: levels in cm, measured and Atoll", T: times}
	for k, name := range []string{"5", "7", "9"} {
		theirs, ours := gauges["ch"+name+"_cm"][:len(times)], at.At(k, times)
		for i := range ours {
			ours[i] *= 100
		}
		first, _ := slices.BinarySearch(times, 5) // nothing has arrived before
		e := misfit(theirs[first:], ours[first:])
		t.Row(verify.AtMost(e, basin.Bound(p, .1, .13)), "mean misfit over the range, gauge "+name, 0, e)
		picture.Panels = append(picture.Panels, comparisonPanel("gauge "+name+" (cm)", "measured", theirs, ours))
	}
	monaiRunUp(p, b, runUp, ashore, &top, t)
	t.Flush()
	return p.Picture("bp7", picture)
}

// startMonai sets up the valley with the recorded incoming wave.
func startMonai(ctx context.Context, p *verify.Page) (*basin.Basin, error) {
	bed, err := readValley()
	if err != nil {
		return nil, err
	}
	input, err := read("bp7-input.csv")
	if err != nil {
		return nil, err
	}
	m, err := mesh.Rectangle(0, 0, 5.488, 3.402, basin.Triangles(p, 2500, 72000), basin.MeshSeed)
	if err != nil {
		return nil, err
	}
	var wave []series.Row
	for i, t := range input["t_s"] {
		wave = append(wave, series.Row{T: t, Value: input["level_m"][i]})
	}
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-5)
	cfg.Given = basin.Given(m, map[string]*shallow.Given{"left": {Kind: "radiation", Value: series.Constant(0),
		Wave: wave}})
	var outside error
	b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Manning: .01, Initial: func(x, y float64) basin.State {
		depth, err := bed.At(min(x, 5.488), min(y, 3.402))
		if err != nil {
			outside = err
		}
		return basin.State{Depth: depth, H2: max(0, depth)}
	}})
	if err == nil {
		err = outside
	}
	return b, err
}

// monaiRunUp adds the run-up at the places where it was measured in six experiments, the largest level at each, and the
// highest bed near it that was ever wet. ashore has a sounding at each place.
func monaiRunUp(p *verify.Page, b *basin.Basin, runUp measured, ashore *basin.Course, top *basin.Highest,
	t *verify.Table) {
	for k, x := range runUp["x_m"] {
		least, most := math.Inf(1), math.Inf(-1)
		for name, v := range runUp {
			if name != "x_m" && name != "y_m" {
				least, most = min(least, v[k]), max(most, v[k])
			}
		}
		y := runUp["y_m"][k]
		level, _ := basin.Peak(ashore.Times, ashore.Levels[k])
		v, ours := verify.Info, any(level)
		if k == 0 { // the gully, which the mesh of a quick run does not resolve
			v = basin.Finest(p, true, verify.Between(level, least, most))
		}
		if math.IsInf(level, -1) {
			ours = "dry"
		}
		t.Row(v, fmt.Sprintf("run-up at (%g, %g), m", x, y), fmt.Sprintf("%.3f..%.3f", least, most), ours)
		highest := top.In(b, func(cx, cy float64) bool { return math.Hypot(cx-x, cy-y) < .1 })
		t.Row(verify.Info, "highest wet bed within 10 cm of it, m", "", highest)
	}
}
