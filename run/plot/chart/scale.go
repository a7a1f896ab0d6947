package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Colouring is how values become colours.
type Colouring struct {
	Label string // of the colour bar, such as "h1 (m)"

	// Range is what the colour bar spans; values beyond it have the colours of its ends, and the bar says so. Nil
	// is the range of the values that are drawn, of both signs about zero.
	Range *[2]float64

	// Colours are nil for those that fit: a diverging map where the range goes through zero, or else a sequential one.
	Colours *palette.Map

	// Classes are the names of the values 0, 1 and so on, where there are no others.
	Classes []string

	Missing string // what a value that is not a number means; "" for no data, which is an error to be seen

	Log bool // colours by the logarithms of values, which below 0 and at 0 have the colour of the lower end
}

// scale is how values become colours.
type scale struct {
	lo, hi       float64
	log          bool
	colours      *palette.Map
	classes      []string
	below, above bool // whether values lie beyond the ends
}

// share is where a value lies between the ends.
func (s *scale) share(v float64) float64 {
	if !s.log {
		return (v - s.lo) / (s.hi - s.lo)
	}
	if v <= 0 {
		return 0
	}
	return math.Log(v/s.lo) / math.Log(s.hi/s.lo)
}

func (s *scale) at(v float64) color.RGBA { return s.colours.At(s.share(v)) }

// of makes the scale of values; those in hidden are not drawn in colour.
func (c *Colouring) of(values []float64, hidden []bool) (*scale, error) {
	lo, hi := Extent(values, hidden)
	s := &scale{lo: lo, hi: hi, log: c.Log, colours: c.Colours, classes: c.Classes}
	if c.Log {
		s.lo = math.Inf(1)
		for i, v := range values {
			if v > 0 && v-v == 0 && (hidden == nil || !hidden[i]) {
				s.lo = math.Min(s.lo, v)
			}
		}
	}
	if c.Range != nil {
		s.lo, s.hi = c.Range[0], c.Range[1]
	}
	switch {
	case c.Range != nil && !(s.lo < s.hi):
		return nil, fmt.Errorf("the range from %g to %g is empty", s.lo, s.hi)
	case c.Log && c.Range != nil && !(s.lo > 0):
		return nil, fmt.Errorf("the range from %g to %g has no logarithms: give one above 0", s.lo, s.hi)
	case c.Log && !(s.hi > 0):
		return nil, ErrNoLogarithm
	case s.lo < 0 && s.hi > 0 && c.Range == nil && (c.Colours == nil || c.Colours.Diverging):
		s.hi = math.Max(-s.lo, s.hi)
		s.lo = -s.hi
	}
	if s.colours == nil {
		s.colours = palette.Sequential
		if s.lo < 0 && s.hi > 0 {
			s.colours = palette.Diverging
		}
	}
	if s.lo, s.hi = widen(s.lo, s.hi); s.log && !(s.lo > 0) {
		s.lo = s.hi / 10
	}
	s.mark(lo, hi)
	return s, nil
}

// mark reports whether values that reach from lo to hi lie beyond the ends, by more than rounding.
func (s *scale) mark(lo, hi float64) {
	rounding := 1e-9 * (s.hi - s.lo)
	s.below, s.above = lo < s.lo-rounding, hi > s.hi+rounding
}

// Extent is the range of the values that are numbers and not hidden, (0, 0) where there are none.
func Extent(values []float64, hidden []bool) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i, v := range values {
		if v-v == 0 && (hidden == nil || !hidden[i]) {
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

// ticks are about so many of the bar.
func (s *scale) ticks(n int) []tick {
	if s.classes != nil {
		list := make([]tick, len(s.classes))
		for i, name := range s.classes {
			list[i] = tick{float64(i), name}
		}
		return list
	}
	if s.log {
		return logTicks(s.lo, s.hi, n)
	}
	return ticks(s.lo, s.hi, n)
}

// beyond says whether values lie beyond the ends.
func (s *scale) beyond() string {
	switch {
	case s.below && s.above:
		return "values beyond"
	case s.below:
		return "values below"
	case s.above:
		return "values above"
	}
	return ""
}

// side is the room that the bar needs, in pixels of the layout, and the width of its heading.
func (s *scale) side(label string) (side, heading float64) {
	for _, t := range s.ticks(10) {
		side = max(side, barWidth+tickLength+6+figure.Measure(t.label, textSize))
	}
	return max(side, figure.Measure(s.beyond(), textSize), sideWidth), figure.Measure(label, textSize)
}

// bar draws the colour bar beside the area, with marks at some values.
func (f *frame) bar(s *scale, label string, marks []float64) {
	left := f.area.Max.X + f.px(sideGap)
	r := image.Rect(left, f.area.Min.Y, left+f.px(barWidth), f.area.Max.Y)
	img := image.NewRGBA(image.Rectangle{Max: r.Size()})
	for y := range r.Dy() {
		c := s.colours.At((float64(r.Dy()-y) - 0.5) / float64(r.Dy()))
		for x := range r.Dx() {
			img.SetRGBA(x, y, c)
		}
	}
	f.fig.Image(r.Min, img)
	f.outline(r)
	place := func(v float64) int { return r.Max.Y - int(math.Round(s.share(v)*float64(r.Dy()))) }
	for _, t := range s.ticks(max(2, min(10, r.Dy()/f.px(60)))) {
		y := place(t.at)
		f.fig.Fill(image.Rect(r.Max.X, y-f.line()/2, r.Max.X+f.px(tickLength), y-f.line()/2+f.line()), ink)
		f.text(t.label, textSize, r.Max.X+f.px(tickLength+6), y+f.px(7), 0)
	}
	for _, v := range marks {
		if v > s.lo && v < s.hi {
			y := place(v)
			f.fig.Fill(image.Rect(r.Min.X, y-f.line()/2, r.Max.X, y-f.line()/2+f.line()), contrast(s.at(v)))
		}
	}
	f.text(label, textSize, r.Min.X, f.area.Min.Y-f.px(20), 0)
	f.text(s.beyond(), textSize, r.Min.X, f.area.Max.Y+f.px(tickLength+20), 0)
}

// missing is the colour of values that are not numbers, and its name.
func (c *Colouring) missing() (color.RGBA, string) {
	if c.Missing != "" {
		return neverInk, c.Missing
	}
	return noData, "no data"
}

// keys explains the colours that are not on the bar, below it.
func (f *frame) keys(c *Colouring, dry, missing bool) {
	ink, name := c.missing()
	x, y := f.area.Max.X+f.px(sideGap), f.area.Max.Y+f.px(46)
	for _, k := range []struct {
		shown  bool
		colour color.RGBA
		name   string
	}{{dry, dryInk, "dry"}, {missing, ink, name}} {
		if !k.shown {
			continue
		}
		box := image.Rect(x, y, x+f.px(18), y+f.px(18))
		f.fig.Fill(box, k.colour)
		f.outline(box)
		f.text(k.name, textSize, box.Max.X+f.px(6), box.Max.Y-f.px(2), 0)
		x = box.Max.X + f.px(16) + f.measure(k.name, textSize)
	}
}

// contrast is black or white, whichever is seen on a colour.
func contrast(c color.RGBA) color.RGBA {
	if 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) < 110 {
		return white
	}
	return ink
}
