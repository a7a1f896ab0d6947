package plot

import (
	"fmt"
	"image"
	"image/color"
	"math"
)

// Map is a filled map of a cell field on a triangle mesh.
type Map struct {
	X, Y   []float64
	Cells  [][3]int32 // any orientation
	Values []float64  // of each cell; one that is not a number is drawn in magenta

	Dry   []bool // cells to draw in sand instead, nil for none
	Title string
	Label string // of the colour bar, such as "h1 (m)"

	// Range is what the colour bar spans; values beyond it have the colours of its ends, and the bar says so. Nil
	// is the range of the values that are not dry. A field of both signs has a diverging colour map and, if Range
	// is nil, a range about zero.
	Range *[2]float64

	Edges bool         // draw the edges of the triangles, unless they would cover most of the picture
	Lines [][4]float64 // to draw over it: x, y of one end and of the other
	Width int          // of the picture in pixels, 0 for 1200
}

// Draw draws the map.
func (m *Map) Draw() (*image.RGBA, error) {
	if len(m.Values) != len(m.Cells) || m.Dry != nil && len(m.Dry) != len(m.Cells) {
		return nil, fmt.Errorf("%d values and %d dry flags for %d cells", len(m.Values), len(m.Dry), len(m.Cells))
	}
	f, err := newFrame(m.X, m.Y, m.Cells, m.Width)
	if err != nil {
		return nil, err
	}
	s := m.colours()
	cells := make([]color.RGBA, len(m.Cells))
	dry, missing := false, false
	for i, v := range m.Values {
		switch {
		case m.Dry != nil && m.Dry[i]:
			cells[i], dry = dryInk, true
		case v-v != 0:
			cells[i], missing = noData, true
		default:
			cells[i] = s.at(v)
		}
	}
	r := rasterise(f.view, m.X, m.Y, m.Cells)
	var marked []bool
	if m.Edges {
		marked = r.borders(1, func(a, b int32) bool { return true })
	}
	r.paint(f.img, f.area.Min, func(c int32) color.RGBA { return cells[c] }, marked, color.RGBA{0, 0, 0, 110})
	f.segments(m.Lines)
	f.axes(m.Title)
	f.bar(s, m.Label)
	f.keys(dry, missing)
	return f.img, nil
}

// scaleOf is how values become colours.
type scaleOf struct {
	lo, hi       float64
	colours      *ColourMap
	below, above bool // whether values lie beyond the ends
}

func (s *scaleOf) at(v float64) color.RGBA { return s.colours.At((v - s.lo) / (s.hi - s.lo)) }

func (m *Map) colours() *scaleOf {
	lo, hi := m.extent()
	s := &scaleOf{lo: lo, hi: hi, colours: Sequential}
	if m.Range != nil {
		s.lo, s.hi = m.Range[0], m.Range[1]
	}
	if s.lo < 0 && s.hi > 0 {
		s.colours = Diverging
		if m.Range == nil {
			s.hi = math.Max(-s.lo, s.hi)
			s.lo = -s.hi
		}
	}
	s.lo, s.hi = widen(s.lo, s.hi)
	s.below, s.above = lo < s.lo, hi > s.hi
	return s
}

// extent is the range of the values that are drawn in colour, (0, 0) where there are none.
func (m *Map) extent() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i, v := range m.Values {
		if v-v == 0 && (m.Dry == nil || !m.Dry[i]) {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	if lo > hi {
		return 0, 0
	}
	return lo, hi
}

// widen makes a range that is empty, or no more than rounding wide, one that an axis can show.
func widen(lo, hi float64) (float64, float64) {
	size := math.Max(math.Abs(lo), math.Abs(hi))
	if hi-lo > 1e-12*size && hi > lo {
		return lo, hi
	}
	if size == 0 {
		return -1, 1
	}
	middle := (lo + hi) / 2
	return middle - size/10, middle + size/10
}

// bar draws the colour bar beside the area.
func (f *frame) bar(s *scaleOf, label string) {
	left := f.area.Max.X + f.px(sideGap)
	r := image.Rect(left, f.area.Min.Y, left+f.px(barWidth), f.area.Max.Y)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		t := (float64(r.Max.Y-y) - 0.5) / float64(r.Dy())
		f.fill(image.Rect(r.Min.X, y, r.Max.X, y+1), s.colours.At(t))
	}
	f.outline(r)
	for _, t := range ticks(s.lo, s.hi, max(2, min(10, r.Dy()/f.px(60)))) {
		y := r.Max.Y - int(math.Round((t.at-s.lo)/(s.hi-s.lo)*float64(r.Dy())))
		f.fill(image.Rect(r.Max.X, y-f.line()/2, r.Max.X+f.px(tickLength), y-f.line()/2+f.line()), ink)
		f.text(t.label, textSize, r.Max.X+f.px(tickLength+6), y+f.px(7), 0)
	}
	f.text(label, textSize, r.Min.X, f.area.Min.Y-f.px(20), 0)
	beyond := ""
	switch {
	case s.below && s.above:
		beyond = "values beyond"
	case s.below:
		beyond = "values below"
	case s.above:
		beyond = "values above"
	}
	f.text(beyond, textSize, r.Min.X, f.area.Max.Y+f.px(tickLength+20), 0)
}

// keys explains the colours that are not on the bar, below it.
func (f *frame) keys(dry, missing bool) {
	x, y := f.area.Max.X+f.px(sideGap), f.area.Max.Y+f.px(46)
	for _, k := range []struct {
		shown  bool
		colour color.RGBA
		name   string
	}{{dry, dryInk, "dry"}, {missing, noData, "NaN"}} {
		if !k.shown {
			continue
		}
		box := image.Rect(x, y, x+f.px(18), y+f.px(18))
		f.fill(box, k.colour)
		f.outline(box)
		f.text(k.name, textSize, box.Max.X+f.px(8), box.Max.Y-f.px(2), 0)
		x = box.Max.X + f.px(26) + f.measure(k.name, textSize)
	}
}
