package rivers

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/overtime"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/common/timefield"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
	"github.com/atoll-hpc/atoll/solvers/shallow/weather"
)

// kinematicPlane is a plane in the rain, on which water flows with the friction of uniform flow: q = α h^(5/3) with α =
// √S/n (M. J. Lighthill, G. B. Whitham, Proc. R. Soc. A 229, 1955; SI units).
type kinematicPlane struct{ long, slope, manning, rain, stop float64 }

// depth returns the depth at the outlet at a time: that of the rain so far until the flow is steady, and after the rain
// that of the characteristic from the steady profile.
func (k *kinematicPlane) depth(t float64) float64 {
	alpha := math.Sqrt(k.slope) / k.manning
	steady := math.Pow(k.rain*k.long/alpha, .6)
	if t <= k.stop {
		return min(k.rain*t, steady)
	}
	low, high := 0.0, steady
	for range 100 {
		h := (low + high) / 2
		if alpha*math.Pow(h, 5.0/3)/k.rain+5.0/3*alpha*math.Pow(h, 2.0/3)*(t-k.stop) < k.long {
			low = h
		} else {
			high = h
		}
	}
	return low
}

// discharge returns that of the outlet, m²/s.
func (k *kinematicPlane) discharge(t float64) float64 {
	return math.Sqrt(k.slope) / k.manning * math.Pow(k.depth(t), 5.0/3)
}

// Runoff compares the outflow of planes while it rains and afterwards with that of kinematic waves, at both orders
// where the water is deep compared with the steps of the bed, and at second order where it is thin; and for rain that
// is a field over time.
func Runoff(ctx context.Context, p *verify.Page) error {
	k := kinematicPlane{long: 100, slope: .1, manning: .03, rain: 2.7778e-5, stop: 300}
	const wide = 10.0
	cells := 400
	if p.Options.Quick {
		cells = 100
	}
	m, err := mesh.Rectangle(0, 0, k.long, wide, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-6)
	cfg.Layers = 1
	cfg.Forcing.Rain = []series.Row{{T: 0, Value: k.rain}, {T: k.stop, Value: k.rain}, {T: k.stop, Value: 0}}
	cfg.Given = basin.Given(m, map[string]*shallow.Given{"right": {Kind: "open"}})
	t := p.Table(fmt.Sprintf("rain of %g s on a plane of slope %g: %d cells", k.stop, k.slope, len(m.Cells)), "t, s",
		"volume that has left, m³", "Atoll")
	p.Progress("rain on a plane")
	b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Manning: k.manning, Initial: func(x,
		_ float64) basin.State {
		return basin.State{Depth: k.slope * (x - k.long)}
	}})
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	var left, last float64
	for _, at := range []float64{100, 200, 300, 400, 500, 600} {
		if err := b.Until(ctx, at, nil); err != nil {
			return err
		}
		const pieces = 1000 // of the midpoint rule
		for n := range pieces {
			step := (at - last) / pieces
			left += step * wide * k.discharge(last+(float64(n)+.5)*step)
		}
		last = at
		d, err := b.Diagnose(ctx)
		if err != nil {
			return err
		}
		out := -basin.InflowFrom(d, "right")
		t.Row(verify.Near(out, left, basin.Bound(p, .01, .03)), at, left, out)
	}
	t.Flush()
	return fieldOfRain(ctx, p)
}

// rasters writes rain in two intervals of 900 s to files: of 30 and 60 mm/h on the upper part of a plane, and twice as
// much on the lower one.
func rasters(dir string) error {
	list := "time,file\n"
	for k, rate := range []float64{30, 60} {
		name := fmt.Sprintf("rain%d.asc", k)
		list += fmt.Sprintf("%d,%s\n", 900*k, filepath.Join(dir, name))
		text := fmt.Sprintf("ncols 2\nnrows 2\nxllcorner -45\nyllcorner -60\ncellsize 75\n%g %g\n%[1]g %[2]g\n", rate, 2*rate)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "list.csv"), []byte(list), 0o600)
}

// fieldOfRain has rain from rasters, whose cells end within those of the mesh, on a plane: the steady outflow and the
// depths of kinematic waves, and the volume. In one piece: it is one table.
func fieldOfRain(ctx context.Context, p *verify.Page) error {
	const long, wide, slope, manning, edge, upper = 100.0, 10.0, .1, .03, 30.0, 60e-3 / 3600
	dir, err := os.MkdirTemp("", "atoll-verify")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := rasters(dir); err != nil {
		return err
	}
	m, err := mesh.Rectangle(0, 0, long, wide, 700, basin.MeshSeed)
	if err != nil {
		return err
	}
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-6)
	cfg.Layers = 1
	cfg.Given = basin.Given(m, map[string]*shallow.Given{"right": {Kind: "open"}})
	c := new(config.Case)
	c.Time.End = 1800
	p.Progress("rain as a field")
	b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Manning: manning, Initial: func(x,
		_ float64) basin.State {
		return basin.State{Depth: slope * (x - long)}
	}, OverTime: func(part *mesh.Part) (f weather.Fields, err error) {
		f.Rain, err = timefield.Open(c, &overtime.Field{List: filepath.Join(dir, "list.csv"), Unit: "mm/h", Stamp: "start"},
			part, timefield.Wanted{Unit: "m/s", Intervals: true})
		return f, err
	}})
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	t := p.Table(fmt.Sprintf("rain from rasters on a plane: %d cells", len(m.Cells)), "quantity", "reference", "Atoll")
	volume := func(rate, length float64) float64 { return wide * length * rate * (edge + 2*(long-edge)) }
	for _, at := range []float64{450, 900, 1350} {
		if err := b.Until(ctx, at, nil); err != nil {
			return err
		}
		d, err := b.Diagnose(ctx)
		if err != nil {
			return err
		}
		want := volume(upper/2, min(at, 900)) + volume(upper, max(at-900, 0))
		t.Row(verify.Near(basin.InflowFrom(d, "rain"), want, 1e-9), fmt.Sprintf("rain until %g s, m³", at), want,
			basin.InflowFrom(d, "rain"))
	}
	before, err := b.Diagnose(ctx)
	if err != nil {
		return err
	}
	if err := b.Until(ctx, 1800, nil); err != nil {
		return err
	}
	now, err := b.Diagnose(ctx)
	if err != nil {
		return err
	}
	out := basin.InflowFrom(before, "right") - basin.InflowFrom(now, "right")
	t.Row(verify.Near(out, volume(upper, 450), .01), "outflow from 1350 s to 1800 s, m³", volume(upper, 450), out)
	for _, part := range [][2]float64{{10, 28}, {40, 90}} {
		ratio, n := 0.0, 0.0
		for i := range b.Part.Owned {
			if x, _ := b.Part.Centroid(i); x > part[0] && x < part[1] {
				q := upper * (x + max(0, x-edge)) // m²/s
				ratio, n = ratio+b.Value("h2", i)/math.Pow(manning*q/math.Sqrt(slope), .6), n+1
			}
		}
		t.Row(verify.Near(ratio/n, 1, .01), fmt.Sprintf("mean of h/h of kinematic waves from %g m to %g m", part[0], part[1]),
			1, ratio/n)
	}
	t.Flush()
	return nil
}
