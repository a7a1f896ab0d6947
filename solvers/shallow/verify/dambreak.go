package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// Both dam breaks run on a strip of triangles, with the upper layer absent. Its fluxes are those of a single layer,
// which the three schemes share: one of them is enough.
//
// A scheme of first order spreads a shock over a few cells, which gives a mean error of order 1. It spreads the kinks
// at the ends of a rarefaction fan over a width of √Δx; as the solution is continuous there, this gives an error of
// order 1 times a logarithm. In practice orders are 0.6 to 0.9 until the meshes are very fine. The order must lie in
// 0.6..1.1, and on the finest mesh the mean error over the channel may not exceed that of two cells with the height of
// the dam.
const (
	lowestOrder, highestOrder = 0.6, 1.1
)

// damResolutions returns the numbers of squares along the strip (see basin.Strip), each twice the one before.
func damResolutions(p *verify.Page) []int {
	if p.Options.Quick {
		return []int{100, 200, 400}
	}
	return []int{100, 200, 400, 800}
}

// damRuns runs a dam break at all resolutions, shows errors and orders, and calls measure with the finest.
func damRuns(ctx context.Context, p *verify.Page, title string, d dam, length, end float64,
	measure func(b *basin.Basin)) error {
	t := p.Table(fmt.Sprintf("%s: mean errors at t = %g s", title, end),
		"squares", "cells", "steps", "error of h", "of the dam's height", "order")
	sizes := damResolutions(p)
	var coarser float64
	for i, n := range sizes {
		m, err := basin.Strip(-length/2, length/2, n, 2)
		if err != nil {
			return err
		}
		p.Progress("%d squares", n)
		initial := func(x, _ float64) basin.State {
			if x < 0 {
				return basin.State{H2: d.left}
			}
			return basin.State{H2: d.right}
		}
		err = basin.Evolve(ctx, p, basin.Flow{Mesh: m, Config: basin.Settings("pvm-ifcp", 1), Initial: initial}, end,
			func(b *basin.Basin) error {
				e := b.MeanError("h2", func(x, _ float64) float64 {
					h, _ := d.at(x, end)
					return h
				})
				v, rate := verify.Info, ""
				if i > 0 {
					order := verify.Order(coarser, e)
					v, rate = verify.Between(order, lowestOrder, highestOrder), fmt.Sprintf("%.2f", order)
				}
				share := fmt.Sprintf("%.2f%%", 100*e/d.left)
				t.Row(v, n, len(m.Cells), b.Steps(), e, share, rate)
				coarser = e
				if i == len(sizes)-1 {
					v := verify.VerdictOf(e/d.left <= 2/float64(n), fmt.Sprintf("≤ %.2f%%", 200/float64(n)))
					t.Row(v, "finest", len(m.Cells), b.Steps(), e, share, "")
					measure(b)
				}
				return nil
			})
		if err != nil {
			return err
		}
	}
	t.Flush()
	return nil
}

// stoker is ANUGA's dam_break_wet: 10 m against 1 m in a channel of 1 km. The reference is the exact solution to 8
// digits.
func stoker(ctx context.Context, p *verify.Page) error {
	d := newDam(10, 1)
	const end = 30
	exactDam(p, "exact solution", []comparison{
		{"depth of the plateau, m", 3.9617482, d.depth},
		{"its speed, m/s", 7.340769, d.speed},
		{"speed of the shock, m/s", 9.8192948, d.frontSpeed},
		{"head of the fan, m/s", -9.9045444, -math.Sqrt(basin.Gravity * d.left)},
		{"tail of the fan, m/s", 1.1066092, d.speed - math.Sqrt(basin.Gravity*d.depth)},
	}, 1e-6)
	var rows []comparison
	err := damRuns(ctx, p, "Stoker", d, 1000, end, func(b *basin.Basin) {
		from, to := 100.0, 200.0 // on the plateau, away from its ends at 33 m and 295 m
		rows = []comparison{
			{"depth of the plateau, m", d.depth, b.MeanBetween("h2", from, to)},
			{"its speed, m/s", d.speed, b.MeanBetween("u2", from, to)},
			{"speed of the shock, m/s", d.frontSpeed, frontAt(b, "h2", (d.depth+d.right)/2) / end},
		}
	})
	if err != nil {
		return err
	}
	exactDam(p, fmt.Sprintf("finest mesh at t = %d s", end), rows, 0.01)
	return nil
}

// ritter is the same dam over a dry bed. The front is an infinitely thin film that no scheme of first order can
// follow; the check compares the water at the dam, which is constant in time, and the mean error.
func ritter(ctx context.Context, p *verify.Page) error {
	d := newDam(10, 0)
	const end = 20
	h, u := d.at(0, 1)
	exactDam(p, "exact solution", []comparison{
		{"speed of the front, m/s", 19.80909, d.frontSpeed},
		{"depth at the dam, m", 40.0 / 9, h},
		{"speed at the dam, m/s", 6.60303, u},
	}, 1e-6)
	var rows []comparison
	var front, least float64
	err := damRuns(ctx, p, "Ritter", d, 1000, end, func(b *basin.Basin) {
		rows = []comparison{
			{"depth at the dam, m", h, b.MeanBetween("h2", -10, 10)},
			{"speed at the dam, m/s", u, b.MeanBetween("u2", -10, 10)},
		}
		front, least = frontAt(b, "h2", 0.01)/end, math.Inf(1)
		for i := range b.Part.Owned {
			least = min(least, b.Value("h2", i))
		}
	})
	if err != nil {
		return err
	}
	exactDam(p, fmt.Sprintf("finest mesh at t = %d s", end), rows, 0.02)
	t := p.Table("front", "quantity", "reference", "Atoll")
	t.Row(verify.Between(front/d.frontSpeed, 0.8, 1.0), "speed of the 1 cm line, m/s (bound on the share)",
		d.frontSpeed, front)
	t.Row(verify.AtLeast(least, 0), "least thickness, m", 0.0, least)
	t.Flush()
	return nil
}

type comparison struct {
	quantity        string
	reference, ours float64
}

// exactDam compares numbers of a run with those of the exact solution, or Atoll's exact solution with published
// numbers.
func exactDam(p *verify.Page, title string, rows []comparison, share float64) {
	t := p.Table(title, "quantity", "reference", "Atoll", "deviation")
	for _, r := range rows {
		t.Row(verify.Near(r.ours, r.reference, share), r.quantity, fmt.Sprintf("%.8g", r.reference),
			fmt.Sprintf("%.8g", r.ours), fmt.Sprintf("%+.1e", verify.Deviation(r.ours, r.reference)))
	}
	t.Flush()
}

// frontAt returns the largest x at which a field has at least the given value.
func frontAt(b *basin.Basin, field string, value float64) float64 {
	largest := math.Inf(-1)
	for i := range b.Part.Owned {
		if x, _ := b.Part.Centroid(i); b.Value(field, i) >= value {
			largest = max(largest, x)
		}
	}
	return largest
}

// dam is the exact solution of the shallow-water equations of one layer after the removal of a dam at x = 0 between
// water at rest of depths left and right < left: a rarefaction fan to the left, a plateau, and a shock to the right
// (J. J. Stoker, Water Waves, 1957, section 10.8). Over a dry bed, right = 0, there is only the fan (A. Ritter,
// 1892).
type dam struct {
	left, right  float64 // depths, m
	depth, speed float64 // of the plateau
	frontSpeed   float64 // speed of the shock, or of the front over a dry bed
}

func newDam(left, right float64) dam {
	d := dam{left: left, right: right}
	if right == 0 {
		d.frontSpeed = 2 * math.Sqrt(basin.Gravity*left)
		return d
	}
	// The speed behind a shock grows with the depth, that in the fan decreases with it: there is one intersection.
	low, high := right, left
	for range 200 {
		d.depth = (low + high) / 2
		if d.behindShock() < d.inFan() {
			low = d.depth
		} else {
			high = d.depth
		}
	}
	d.speed = d.inFan()
	d.frontSpeed = d.depth * d.speed / (d.depth - right)
	return d
}

func (d dam) inFan() float64 {
	return 2 * (math.Sqrt(basin.Gravity*d.left) - math.Sqrt(basin.Gravity*d.depth))
}

func (d dam) behindShock() float64 {
	return (d.depth - d.right) * math.Sqrt(basin.Gravity*(d.depth+d.right)/(2*d.depth*d.right))
}

// at returns depth and velocity at x and t > 0.
func (d dam) at(x, t float64) (h, u float64) {
	s, c := x/t, math.Sqrt(basin.Gravity*d.left)
	switch tail := d.speed - math.Sqrt(basin.Gravity*d.depth); {
	case s <= -c:
		return d.left, 0
	case s <= tail || d.right == 0 && s < d.frontSpeed:
		h = (2*c - s) * (2*c - s) / (9 * basin.Gravity)
		return h, 2 * (c + s) / 3
	case d.right > 0 && s < d.frontSpeed:
		return d.depth, d.speed
	}
	return d.right, 0
}
