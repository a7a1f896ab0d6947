package verify

import (
	"context"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/verify"
)

// tsunamis are the benchmarks of the tsunami community, against exact solutions and laboratories: see data/README.md.
// Bounds are those that approval bodies use, or tighter: C. E. Synolakis et al. (2007) have 5% for exact solutions and
// 10% for laboratories. All run one layer at second order.
var tsunamis = verify.Suite{Name: "tsunami", Twins: 2, Scales: true, Checks: []verify.Check{
	{Name: "bp1", About: "A solitary wave on a simple beach, exact", Run: simpleBeach},
	{Name: "bp4", About: "A solitary wave on a simple beach, in a laboratory", Run: laboratoryBeach},
	{Name: "bp7", About: "Monai valley, a laboratory model of the tsunami of 1993 off Hokkaido", Run: monai},
	{Name: "bp6", About: "Solitary waves around a conical island, in a laboratory", Run: conicalIsland},
}}

// triangles is how many a check takes: quick ones on a quick run, else as many as it is made for, times the resolution
// that was asked for.
func triangles(p *verify.Page, quick, full int) int {
	n := full
	if p.Options.Quick {
		n = quick
	}
	if p.Options.Resolution > 0 {
		return int(float64(n) * p.Options.Resolution)
	}
	return n
}

// sounding is a place in a basin where the level of the surface is looked at: that of the plane through the cell there
// and its neighbours that are wet.
type sounding struct {
	x, y  float64
	cell  int
	cells []int
}

// at finds the cell that holds a place, or the one whose centroid is nearest.
func (b *basin) at(x, y float64) sounding {
	s := sounding{x: x, y: y, cell: -1}
	nearest := math.Inf(1)
	for i := range b.part.Owned {
		cx, cy := b.part.Centroid(i)
		if d := math.Hypot(cx-x, cy-y); d < nearest && b.holds(i, x, y) || s.cell < 0 {
			nearest, s.cell = d, i
		}
	}
	s.cells = []int{s.cell}
	for _, o := range b.part.Neighbour[s.cell] {
		if o >= 0 {
			s.cells = append(s.cells, int(o))
		}
	}
	return s
}

// holds tells whether a place is in cell i or on its edges.
func (b *basin) holds(i int, x, y float64) bool {
	for k, v := range b.part.Cells[i] {
		w := b.part.Cells[i][(k+1)%3]
		ax, ay, bx, by := b.part.X[v], b.part.Y[v], b.part.X[w], b.part.Y[w]
		if (bx-ax)*(y-ay)-(by-ay)*(x-ax) < -1e-9*((bx-ax)*(bx-ax)+(by-ay)*(by-ay)) {
			return false
		}
	}
	return true
}

// level is that of the surface at a sounding, within those of the cells around; NaN where it is dry.
func (b *basin) level(s sounding) float64 {
	if b.Value("h2", s.cell) < b.DryDepth() {
		return math.NaN()
	}
	x0, y0 := b.part.Centroid(s.cell)
	z0 := b.Value("z2", s.cell)
	var xx, xy, yy, xz, yz, least, most float64
	for _, i := range s.cells[1:] {
		if b.Value("h2", i) < b.DryDepth() {
			continue
		}
		x, y := b.part.Centroid(i)
		x, y = x-x0, y-y0
		z := b.Value("z2", i) - z0
		xx, xy, yy, xz, yz = xx+x*x, xy+x*y, yy+y*y, xz+x*z, yz+y*z
		least, most = min(least, z), max(most, z)
	}
	det := xx*yy - xy*xy
	if det < 1e-6*(xx+yy)*(xx+yy) || det == 0 {
		return z0
	}
	return z0 + min(most, max(least, ((yy*xz-xy*yz)*(s.x-x0)+(xx*yz-xy*xz)*(s.y-y0))/det))
}

// course is what was seen at soundings in the course of a run.
type course struct {
	soundings []sounding
	times     []float64
	levels    [][]float64 // by sounding
}

func (b *basin) courseAt(places ...[2]float64) *course {
	c := &course{levels: make([][]float64, len(places))}
	for _, at := range places {
		c.soundings = append(c.soundings, b.at(at[0], at[1]))
	}
	return c
}

// see adds the levels of now.
func (c *course) see(b *basin) {
	c.times = append(c.times, b.Time())
	for k, s := range c.soundings {
		c.levels[k] = append(c.levels[k], b.level(s))
	}
}

// along is the course of sounding k at some times, linear between those that were seen.
func (c *course) along(k int, times []float64) []float64 {
	out := make([]float64, len(times))
	for i, t := range times {
		out[i] = between(c.times, c.levels[k], t)
	}
	return out
}

// between is the value at t of what is linear between values at increasing times; NaN outside.
func between(times, values []float64, t float64) float64 {
	i, found := slices.BinarySearch(times, t)
	switch {
	case found:
		return values[i]
	case i == 0 || i == len(times):
		return math.NaN()
	}
	w := (t - times[i-1]) / (times[i] - times[i-1])
	return values[i-1] + w*(values[i]-values[i-1])
}

// misfit is the mean of |ours - theirs| over the range of theirs, where both are numbers.
func misfit(theirs, ours []float64) float64 {
	least, most, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for i, v := range theirs {
		if math.IsNaN(v) {
			continue
		}
		least, most = min(least, v), max(most, v)
		if !math.IsNaN(ours[i]) {
			sum, n = sum+math.Abs(ours[i]-v), n+1
		}
	}
	return sum / float64(n) / (most - least)
}

// beside are the curves of a panel: what was measured or is exact, and ours.
func beside(label, name string, theirs, ours []float64) chart.Panel {
	return chart.Panel{Label: label, Curves: []chart.Curve{{Name: name, Values: theirs}, {Name: "atoll", Values: ours}}}
}

// highest is the largest height of the bed that was wet in the course of a run.
type highest struct{ wet []bool }

func (h *highest) see(b *basin) {
	if h.wet == nil {
		h.wet = make([]bool, b.part.Owned)
	}
	for i := range h.wet {
		h.wet[i] = h.wet[i] || b.Value("h2", i) >= b.DryDepth()
	}
}

// in is the largest height of the wet bed where a place is.
func (h *highest) in(b *basin, where func(x, y float64) bool) float64 {
	top := math.Inf(-1)
	for i, wet := range h.wet {
		if wet && where(b.part.Centroid(i)) {
			top = max(top, -b.Value("depth", i))
		}
	}
	return top
}

// watch steps to a time and looks after each step.
func (b *basin) watch(ctx context.Context, t float64, see ...interface{ see(b *basin) }) error {
	return b.until(ctx, t, func(float64) error {
		for _, s := range see {
			s.see(b)
		}
		return nil
	})
}
