package chart

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Colouring says how values become colours.
type Colouring struct {
	Label string // label of the colour bar, such as "h1 (m)"

	// Range is the range of the colour bar. Values beyond it get the colours of its ends, and the bar says so. nil means
	// the range of the drawn values, symmetric about zero if they have both signs.
	Range *[2]float64

	// Colours is the colour map; nil means a diverging map if the range contains zero, else a sequential one.
	Colours *palette.Map

	// Classes are the names of the values 0, 1 and so on, if the field has only these values; nil for other fields.
	Classes []string

	// Missing is the meaning of values that are not finite, for the legend; "" if such values are a fault of the data:
	// they are drawn in magenta as "no data".
	Missing string
	Dry     string // name of dry cells in the legend; "" for "dry"

	Log bool // logarithmic scale; values that are not positive get the colour of the lower end
}

// scale maps values to colours.
type scale struct {
	lo, hi       float64
	log          bool
	colours      *palette.Map
	classes      []string
	least, most  float64 // range of the drawn values
	below, above bool    // whether there are values beyond the ends
}

// fraction returns the position of a value on the scale: 0 and 1 at its ends.
func (s *scale) fraction(v float64) float64 {
	if !s.log {
		return (v - s.lo) / (s.hi - s.lo)
	}
	if v <= 0 {
		return 0
	}
	return math.Log(v/s.lo) / math.Log(s.hi/s.lo)
}

func (s *scale) colour(v float64) color.RGBA { return s.colours.At(s.fraction(v)) }

// scaleOf returns the scale of values; hidden marks values that are not drawn.
func (c *Colouring) scaleOf(values []float64, hidden []bool) (*scale, error) {
	lo, hi := Extent(values, hidden)
	s := &scale{lo: lo, hi: hi, log: c.Log, colours: c.Colours, classes: c.Classes}
	if c.Log {
		s.lo = math.Inf(1)
		for i, v := range values {
			if v > 0 && IsFinite(v) && (hidden == nil || !hidden[i]) {
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
		return nil, fmt.Errorf("the range from %g to %g has no logarithms: want positive ends", s.lo, s.hi)
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
	if s.lo, s.hi = widenRange(s.lo, s.hi); s.log && !(s.lo > 0) {
		s.lo = s.hi / 10
	}
	s.markBeyond(lo, hi)
	return s, nil
}

// markBeyond records whether values from lo to hi extend beyond the ends, by more than round-off.
func (s *scale) markBeyond(lo, hi float64) {
	s.least, s.most = lo, hi
	rounding := 1e-9 * (s.hi - s.lo)
	s.below, s.above = lo < s.lo-rounding, hi > s.hi+rounding
}

// IsFinite reports whether v is neither infinite nor NaN: then v - v is 0, otherwise NaN.
func IsFinite(v float64) bool { return v-v == 0 }

// Extent returns the range of the values that are finite and not hidden, (0, 0) if there are none.
func Extent(values []float64, hidden []bool) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i, v := range values {
		if IsFinite(v) && (hidden == nil || !hidden[i]) {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	if lo > hi {
		return 0, 0
	}
	return lo, hi
}

// widenRange returns a range with a positive size, for an axis: empty ranges, to round-off, are widened.
func widenRange(lo, hi float64) (float64, float64) {
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

// ticks returns about n ticks of the colour bar.
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

// beyondText returns the note about values beyond the ends, which tells the farthest.
func (s *scale) beyondText() string {
	least, most := words.Rounded(s.least, beyondDigits), words.Rounded(s.most, beyondDigits)
	switch {
	case s.classes != nil:
		return ""
	case s.below && s.above:
		return "from " + least + " to " + most
	case s.below:
		return "from " + least
	case s.above:
		return "up to " + most
	}
	return ""
}

// beyondDigits is the number of digits of values beyond a scale.
const beyondDigits = 3

// side returns the width of the colour bar with its labels, and that of its heading, in layout pixels.
func (s *scale) side(label string) (side, heading float64) {
	for _, t := range s.ticks(10) {
		side = max(side, barWidth+tickLength+6+figure.Measure(t.label, textSize))
	}
	return max(side, figure.Measure(s.beyondText(), textSize), sideWidth), figure.Measure(label, textSize)
}

// bar draws the colour bar beside the area, with marks at some values.
func (f *mapFrame) bar(s *scale, label string, marks []float64) {
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
	position := func(v float64) int { return r.Max.Y - int(math.Round(s.fraction(v)*float64(r.Dy()))) }
	last := math.MaxInt
	for _, t := range s.ticks(max(2, min(10, r.Dy()/f.px(60)))) {
		y := position(t.value)
		if last-y < f.px(textSize) { // many classes beside a low map
			continue
		}
		last = y
		f.fig.Fill(image.Rect(r.Max.X, y-f.lineWidth()/2, r.Max.X+f.px(tickLength), y-f.lineWidth()/2+f.lineWidth()), ink)
		f.text(t.label, textSize, r.Max.X+f.px(tickLength+6), y+f.px(7), 0)
	}
	for _, v := range marks {
		if v > s.lo && v < s.hi {
			y := position(v)
			f.fig.Fill(image.Rect(r.Min.X, y-f.lineWidth()/2, r.Max.X, y-f.lineWidth()/2+f.lineWidth()), contrast(s.colour(v)))
		}
	}
	f.text(label, textSize, r.Min.X, f.area.Min.Y-f.px(20), 0)
	f.text(s.beyondText(), textSize, r.Min.X, f.area.Max.Y+f.px(tickLength+20), 0)
}

// missing returns the colour of values that are not finite, and its name in the legend.
func (c *Colouring) missing() (color.RGBA, string) {
	if c.Missing != "" {
		return missingColour, c.Missing
	}
	return noData, "no data"
}

// Sizes of the boxes of special colours, and the gap to their names, in layout pixels.
const boxSize, boxGap = 18, 6

// specialColours explains, below the colour bar, the colours that are not on it.
func (f *mapFrame) specialColours(c *Colouring, dry, missing bool) {
	ink, name := c.missing()
	x, y := f.area.Max.X+f.px(sideGap), f.area.Max.Y+f.px(46)
	for _, k := range []struct {
		shown  bool
		colour color.RGBA
		name   string
	}{{dry, dryColour, cmp.Or(c.Dry, "dry")}, {missing, ink, name}} {
		if !k.shown {
			continue
		}
		box := image.Rect(x, y, x+f.px(boxSize), y+f.px(boxSize))
		f.fig.Fill(box, k.colour)
		f.outline(box)
		f.text(k.name, textSize, box.Max.X+f.px(boxGap), box.Max.Y-f.px(2), 0)
		x = box.Max.X + f.px(16) + f.measure(k.name, textSize)
	}
}

// contrast returns black or white, whichever is more visible on a colour.
func contrast(c color.RGBA) color.RGBA {
	if 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) < 110 {
		return white
	}
	return ink
}
