package basin

import (
	"context"
	"math"
	"slices"
)

// sounding is a position at which the level of the surface is measured: on the plane fitted to the levels of the cell
// there and its wet neighbours.
type sounding struct {
	X, y  float64
	Cell  int   // the cell that contains the position
	cells []int // Cell and its neighbours
}

// SoundingAt finds the cell that contains a position, or the one with the nearest centroid.
func (b *Basin) SoundingAt(x, y float64) sounding {
	s := sounding{X: x, y: y, Cell: -1}
	nearest := math.Inf(1)
	for i := range b.Part.Owned {
		cx, cy := b.Part.Centroid(i)
		if d := math.Hypot(cx-x, cy-y); d < nearest && b.contains(i, x, y) || s.Cell < 0 {
			nearest, s.Cell = d, i
		}
	}
	s.cells = []int{s.Cell}
	for _, o := range b.Part.Neighbour[s.Cell] {
		if o >= 0 {
			s.cells = append(s.cells, int(o))
		}
	}
	return s
}

// contains reports whether a position is in cell i or on its edges.
func (b *Basin) contains(i int, x, y float64) bool {
	for k, v := range b.Part.Cells[i] {
		w := b.Part.Cells[i][(k+1)%3]
		ax, ay, bx, by := b.Part.X[v], b.Part.Y[v], b.Part.X[w], b.Part.Y[w]
		if (bx-ax)*(y-ay)-(by-ay)*(x-ax) < -1e-9*((bx-ax)*(bx-ax)+(by-ay)*(by-ay)) {
			return false
		}
	}
	return true
}

// Level returns the level at a sounding, bounded by those of the surrounding cells; NaN if it is dry.
func (b *Basin) Level(s sounding) float64 {
	if b.Value("h2", s.Cell) < b.DryDepth() {
		return math.NaN()
	}
	x0, y0 := b.Part.Centroid(s.Cell)
	z0 := b.Value("z2", s.Cell)
	var xx, xy, yy, xz, yz, least, most float64
	for _, i := range s.cells[1:] {
		if b.Value("h2", i) < b.DryDepth() {
			continue
		}
		x, y := b.Part.Centroid(i)
		x, y = x-x0, y-y0
		z := b.Value("z2", i) - z0
		xx, xy, yy, xz, yz = xx+x*x, xy+x*y, yy+y*y, xz+x*z, yz+y*z
		least, most = min(least, z), max(most, z)
	}
	det := xx*yy - xy*xy
	if det < 1e-6*(xx+yy)*(xx+yy) || det == 0 {
		return z0
	}
	return z0 + min(most, max(least, ((yy*xz-xy*yz)*(s.X-x0)+(xx*yz-xy*xz)*(s.y-y0))/det))
}

// Course is the time series of levels at soundings.
type Course struct {
	Soundings []sounding
	Times     []float64
	Levels    [][]float64 // by sounding
}

// CourseAt returns an empty time series for the levels at some positions; Watch fills it.
func (b *Basin) CourseAt(positions ...[2]float64) *Course {
	c := &Course{Levels: make([][]float64, len(positions))}
	for _, position := range positions {
		c.Soundings = append(c.Soundings, b.SoundingAt(position[0], position[1]))
	}
	return c
}

// record records the current levels.
func (c *Course) record(b *Basin) {
	c.Times = append(c.Times, b.Time())
	for k, s := range c.Soundings {
		c.Levels[k] = append(c.Levels[k], b.Level(s))
	}
}

// At returns the levels at sounding k at some times, by linear interpolation.
func (c *Course) At(k int, times []float64) []float64 {
	out := make([]float64, len(times))
	for i, t := range times {
		out[i] = Interpolate(c.Times, c.Levels[k], t)
	}
	return out
}

// Interpolate returns the value at time t, linearly between values at increasing times; NaN outside of these.
func Interpolate(times, values []float64, t float64) float64 {
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

// Highest records which cells were ever wet, to measure the run-up.
type Highest struct{ wet []bool }

func (h *Highest) record(b *Basin) {
	if h.wet == nil {
		h.wet = make([]bool, b.Part.Owned)
	}
	for i := range h.wet {
		h.wet[i] = h.wet[i] || b.Value("h2", i) >= b.DryDepth()
	}
}

// In returns the largest height of the bed, in m above the datum, that was ever wet in a region.
func (h *Highest) In(b *Basin, where func(x, y float64) bool) float64 {
	top := math.Inf(-1)
	for i, wet := range h.wet {
		if wet && where(b.Part.Centroid(i)) {
			top = max(top, -b.Value("depth", i))
		}
	}
	return top
}

// recorder records something after a step: a Course or a Highest.
type recorder interface{ record(b *Basin) }

// Watch steps to time t in s, and calls the recorders after each step.
func (b *Basin) Watch(ctx context.Context, t float64, recorders ...recorder) error {
	return b.Until(ctx, t, func(float64) error {
		for _, r := range recorders {
			r.record(b)
		}
		return nil
	})
}

// Peak returns the largest value, and its time.
func Peak(times, values []float64) (largest, when float64) {
	largest = math.Inf(-1)
	for i, v := range values {
		if v > largest {
			largest, when = v, times[i]
		}
	}
	return largest, when
}
