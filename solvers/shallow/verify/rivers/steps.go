package rivers

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// stepDam is a dam break at a step of the bed, from water at rest of thickness left to water of thickness right. A
// rarefaction moves upstream and a bore downstream. The step, which stands between them, keeps discharge and head,
// unless the flow would be more than critical on it: then it is critical there, and a second rarefaction follows (R.
// Bernetti, V. Titarev, E. Toro, J. Comput. Phys. 227, 2008).
type stepDam struct {
	name        string
	left, right float64 // thicknesses, m
	step        float64 // how much higher the bed is on the right, m
	zigzag      bool    // the step is not along a line of edges
}

// steadyDam is the solution of a stepDam: the thicknesses and the discharge at the step, and the thickness and the
// velocity behind the bore.
type steadyDam struct {
	stepDam
	before, after, discharge float64
	behind, speed            float64
}

// faster returns the velocity behind a rarefaction from water of thickness h0 and velocity u0 to the thickness h.
func faster(h0, u0, h float64) float64 {
	return u0 + 2*(math.Sqrt(basin.Gravity*h0)-math.Sqrt(basin.Gravity*h))
}

// boreSpeed returns the velocity of water of thickness h behind a bore, or a rarefaction, into water at rest.
func boreSpeed(h, rest float64) float64 {
	if h <= rest {
		return faster(h, 0, rest)
	}
	return (h - rest) * math.Sqrt(basin.Gravity/2*(1/h+1/rest))
}

// middleOf returns the zero between low and high of a function that is negative at high alone.
func middleOf(low, high float64, f func(float64) float64) float64 {
	for range 200 {
		if middle := (low + high) / 2; f(middle) >= 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// solve returns the exact solution.
func (d stepDam) solve() steadyDam {
	s := steadyDam{stepDam: d}
	at := func(before float64) (discharge, head float64) {
		discharge = before * faster(d.left, 0, before)
		return discharge, headAt(discharge, before) - d.step
	}
	// The thickness before the step is between that of critical flow on one of its sides, and that at rest.
	least := 4.0 / 9 * d.left
	if d.step > 0 {
		least = middleOf(least, d.left, func(h float64) float64 {
			q, head := at(h)
			return criticalHead(q) - head
		})
	}
	s.before = middleOf(least, d.left, func(h float64) float64 {
		q, head := at(h)
		after := depthOf(q, head, false)
		return q/after - boreSpeed(after, d.right)
	})
	q, head := at(s.before)
	s.discharge, s.after = q, depthOf(q, head, false)
	s.behind, s.speed = s.after, q/s.after
	if s.before < least*(1+1e-9) { // critical on the step
		u := s.speed
		s.behind = middleOf(s.after*1e-6, s.after, func(h float64) float64 {
			return faster(s.after, u, h) - boreSpeed(h, d.right)
		})
		s.speed = faster(s.after, u, s.behind)
	}
	return s
}

// depth returns the thickness at a distance in m from the step after a time in s.
func (s *steadyDam) depth(x, t float64) float64 {
	fan := func(h0, u0 float64) float64 { // thickness where u - c = x/t
		c := (u0 + 2*math.Sqrt(basin.Gravity*h0) - x/t) / 3
		return c * c / basin.Gravity
	}
	if x < 0 {
		return min(max(fan(s.left, 0), s.before), s.left)
	}
	if bore := s.behind * s.speed / (s.behind - s.right); x > bore*t {
		return s.right
	}
	return max(min(fan(s.after, s.discharge/s.after), s.after), s.behind)
}

// overSteps has dam breaks at steps of the bed, up and down, and one in which the flow becomes critical on the step:
// the discharge, and the mean error of the depth, which must not be larger at second order than at first. Along a step
// that zigzags water is turned by each edge, which costs head.
func overSteps(ctx context.Context, p *verify.Page) error {
	edges := []float64{.5, .25}
	if p.Options.Quick {
		edges = edges[:1]
	}
	t := p.Table("dam breaks at a step of the bed of .5 m, t = 2", "flow", "edge, m", "order", "discharge, m²/s",
		"before the step", "mean error of h, m")
	for _, edge := range edges {
		for _, dam := range []stepDam{{"up, subcritical", 1, .2, .5, false},
			{"up, critical on the step", 1, .05, .5, false}, {"down, subcritical", .7, 1, -.5, false},
			{"up, subcritical, zigzag", 1, .2, .5, true}} {
			var first float64
			for order := 1; order <= 2; order++ {
				p.Progress("dam break at a step %s, edges of %g m, order %d", dam.name, edge, order)
				exact := dam.solve()
				flow, e, err := dam.run(ctx, p, order, edge, &exact)
				if err != nil {
					return err
				}
				verdict, share := verify.Info, .02
				if dam.zigzag {
					share = .06
				}
				if order == 2 {
					verdict = verify.Near(flow, exact.discharge, share).And(verify.AtMost(e, first), "error")
				}
				first = e
				t.Row(verdict, dam.name, edge, order, exact.discharge, flow, e)
			}
		}
	}
	t.Flush()
	return nil
}

// run runs the dam break for 2 s in a channel of 20 m, and returns the mean discharge before the step and the mean
// error of the thickness.
func (d stepDam) run(ctx context.Context, p *verify.Page, order int, edge float64, exact *steadyDam) (flow, e float64,
	err error) {
	const long, end = 20.0, 2.0
	m, err := mesh.Rectangle(0, 0, long, 4*edge, int(8*long/edge), basin.MeshSeed)
	if err != nil {
		return 0, 0, err
	}
	at := long / 2
	if d.zigzag {
		at += .4 * edge // between the two triangles of each box
	}
	cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-5)
	cfg.Order = order
	f := basin.Flow{Mesh: m, Config: cfg, Initial: func(x, _ float64) basin.State {
		if x < at {
			return basin.State{H2: d.left}
		}
		return basin.State{Depth: -d.step, H2: d.right}
	}}
	err = basin.Evolve(ctx, p, f, end, func(b *basin.Basin) error {
		var area float64
		for i := range b.Part.Owned {
			if x, _ := b.Part.Centroid(i); x > at-2 && x < at-edge {
				flow += b.Part.Area(i) * b.Value("h2", i) * b.Value("u2", i)
				area += b.Part.Area(i)
			}
		}
		flow /= area
		e = b.MeanError("h2", func(x, _ float64) float64 { return exact.depth(x-at, end) })
		return nil
	})
	return flow, e, err
}
