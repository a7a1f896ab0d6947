package rivers

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
// where the water is deep compared with the steps of the bed, and at second order where it is thin.
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
	return nil
}
