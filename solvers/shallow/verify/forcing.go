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

// forcing checks forces besides gravity: rain on a tilted plane, whose steady outflow and depth are exact; a vortex
// in balance with centrifugal and Coriolis force, which must stay; the tide in a closed gulf, a standing wave; and
// waves from a rising bed and from air pressure.
func forcing(ctx context.Context, p *verify.Page) error {
	for _, check := range []func(context.Context, *verify.Page) error{rainOnAPlane, balancedVortex, gulf,
		upliftWave, pressureWave} {
		if err := check(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// rainOnAPlane has the depth of kinematic waves, h = (n r x/√S)^(3/5), where x is the distance from the ridge, and an
// outflow equal to the rain. The rain is 360 mm/h, and the water a few millimetres deep.
func rainOnAPlane(ctx context.Context, p *verify.Page) error {
	const rain, slope, manning, long, wide = 1e-4, .02, .03, 100.0, 5.0
	cells, end := 2000, 1200.0
	if p.Options.Quick {
		cells, end = 500, 600
	}
	m, err := mesh.Rectangle(0, 0, long, wide, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-5)
	cfg.Forcing.Rain = series.Constant(rain)
	normal := math.Pow(manning*rain*long/math.Sqrt(slope), .6)
	cfg.Given = basin.Given(m, map[string]*shallow.Given{"right": {Kind: "level",
		Value: series.Constant(normal - slope*long)}})
	p.Progress("rain, %d cells", len(m.Cells))
	b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Manning: manning, Initial: func(x,
		_ float64) basin.State {
		return basin.State{Depth: slope * x}
	}})
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	first, err := b.Diagnose(ctx)
	if err != nil {
		return err
	}
	if err := b.Until(ctx, end-60, nil); err != nil {
		return err
	}
	before, err := b.Diagnose(ctx)
	if err != nil {
		return err
	}
	if err := b.Until(ctx, end, nil); err != nil {
		return err
	}
	now, err := b.Diagnose(ctx)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("rain on a tilted plane: %d cells, t = %g", b.Part.Owned, end), "quantity",
		"reference", "Atoll")
	out := basin.InflowFrom(before, "right") - basin.InflowFrom(now, "right")
	t.Row(verify.Near(out/60, rain*long*wide, basin.Bound(p, .002, .02)), "outflow, m³/s", rain*long*wide, out/60)
	fallen := basin.InflowFrom(now, "rain")
	t.Row(verify.Near(fallen, rain*long*wide*end, 1e-9), "rain, m³", rain*long*wide*end, fallen)
	var sum, n float64
	for i := range b.Part.Owned {
		if x, _ := b.Part.Centroid(i); x > 40 && x < 90 {
			sum, n = sum+b.Value("h2", i)/math.Pow(manning*rain*x/math.Sqrt(slope), .6), n+1
		}
	}
	t.Row(verify.Near(sum/n, 1, basin.Bound(p, .01, .03)), "mean of h/h of kinematic waves from 40 m to 90 m", 1, sum/n)
	unexplained := (now.Mass2 - first.Mass2 - basin.InflowFrom(now, "right") - fallen) / now.Mass2
	t.Row(verify.AtMost(math.Abs(unexplained), 1e-12), "unexplained of the mass (of which 40 times fell)", 0, unexplained)
	t.Flush()
	return nil
}

// balancedVortex is a vortex of speed U r/R exp((1 - r²/R²)/2) whose surface is in balance: g dz/dr = f u + u²/r.
func balancedVortex(ctx context.Context, p *verify.Page) error {
	const f, maxSpeed, wide, deep = 1e-4, 1.0, 5e4, 100.0
	cells, end := 16000, 2*math.Pi/f
	if p.Options.Quick {
		cells, end = 2000, end/4
	}
	m, err := mesh.Rectangle(-4*wide, -4*wide, 4*wide, 4*wide, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	exact := func(x, y float64) basin.State {
		s := (x*x + y*y) / (wide * wide)
		spin := maxSpeed / wide * math.Exp((1-s)/2)
		z := -f*maxSpeed*wide/basin.Gravity*math.Exp((1-s)/2) - maxSpeed*maxSpeed/(2*basin.Gravity)*math.Exp(1-s)
		return basin.State{Depth: deep, H2: deep + z, U2: -spin * y, V2: spin * x}
	}
	t := p.Table(fmt.Sprintf("a vortex in balance: %d cells, t = %.3g of its turning", len(m.Cells), end*f/(2*math.Pi)),
		"order", "quantity", "Atoll")
	for _, order := range []int{1, 2} {
		p.Progress("vortex, order %d", order)
		cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-3)
		cfg.Order = order
		b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Coriolis: f, Initial: exact})
		if err != nil {
			return err
		}
		err = b.Until(ctx, end, nil)
		var difference, all float64
		for i := range b.Part.Owned {
			x, y := b.Part.Centroid(i)
			s := exact(x, y)
			difference += b.Part.Area(i) * math.Hypot(b.Value("u2", i)-s.U2, b.Value("v2", i)-s.V2)
			all += b.Part.Area(i) * math.Hypot(s.U2, s.V2)
		}
		b.Close(ctx)
		if err != nil {
			return err
		}
		v := verify.Info
		if order == 2 {
			v = verify.AtMost(difference/all, basin.Bound(p, .01, .06))
		}
		t.Row(v, order, "error of the velocity, as a share", difference/all)
	}
	t.Flush()
	return nil
}

// gulf is the tide in a channel closed on its right: cos k(L-x)/cos kL times the prescribed level at its mouth.
func gulf(ctx context.Context, p *verify.Page) error {
	const deep, long, tall, period = 20.0, 40e3, .01, 12.42 * 3600
	cells, end := 1000, 2*period
	if p.Options.Quick {
		cells, end = 200, period
	}
	m, err := mesh.Rectangle(0, 0, long, long/10, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	omega := 2 * math.Pi / period
	k := omega / math.Sqrt(basin.Gravity*deep)
	var tide []series.Row
	for i := range 20001 {
		course := 2 * period * float64(i) / 20000
		tide = append(tide, series.Row{T: course, Value: tall * math.Sin(omega*course)})
	}
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-3)
	cfg.Given = basin.Given(m, map[string]*shallow.Given{"left": {Kind: "level", Value: tide}})
	p.Progress("gulf, %d cells", len(m.Cells))
	// The level is 0 at the start, when the inflow is largest.
	f := basin.Flow{Mesh: m, Config: cfg, Initial: func(x, _ float64) basin.State {
		u := tall * omega / (k * deep) * math.Sin(k*(long-x)) / math.Cos(k*long)
		return basin.State{Depth: deep, H2: deep, U2: u}
	}}
	b, err := basin.Start(ctx, p, f)
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	course := b.CourseAt([2]float64{long * .98, long / 20})
	if err := b.Watch(ctx, end, course); err != nil {
		return err
	}
	x := course.Soundings[0].X
	reference := tall * math.Cos(k*(long-x)) / math.Cos(k*long)
	largest, when := basin.Peak(course.Times, course.Levels[0])
	t := p.Table(fmt.Sprintf("the tide in a gulf: %d cells, %.0f periods", b.Part.Owned, end/period), "quantity",
		"reference", "Atoll")
	t.Row(verify.Near(largest, reference, basin.Bound(p, .005, .02)), "largest level at the end, m", reference, largest)
	var difference, all float64
	for i, s := range course.Times {
		exact := reference * math.Sin(omega*s)
		difference, all = difference+math.Abs(course.Levels[0][i]-exact), all+math.Abs(exact)
	}
	t.Row(verify.AtMost(difference/all, basin.Bound(p, .01, .03)), "error of its course, as a share", 0, difference/all)
	t.Row(verify.Info, "time of the largest level in periods", "0.25 or 1.25", when/period)
	t.Flush()
	return nil
}
