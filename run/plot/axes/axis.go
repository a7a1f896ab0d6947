package axes

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Axis is one of the two axes of a Plot.
type Axis struct {
	Min, Max       float64 // range of the data
	Label          Label
	draw.LineStyle           // of the axis
	Padding        vg.Length // between the axis and the data
	Tick           Ticks
	Log            bool // whether the scale is logarithmic, for which Min and all data have to be positive
}

// Label is the text at the middle of an axis. That of a vertical axis is turned by a quarter.
type Label struct {
	Text      string
	TextStyle text.Style
	Padding   vg.Length // between the label and the ticks
}

// Ticks are the marks of an axis.
type Ticks struct {
	Label          text.Style
	draw.LineStyle           // of the marks
	Length         vg.Length // of marks with labels; others have half of it
	Marker         Ticker
}

// Ticker places ticks on an axis with the given range. Ticks outside the range are not drawn.
type Ticker interface {
	Ticks(lo, hi float64) []Tick
}

// Tick is a mark at a value. Those without a label are shorter.
type Tick struct {
	Value float64
	Label string
}

func newAxis() Axis { return Axis{Min: math.Inf(1), Max: math.Inf(-1)} }

// position returns where a value is on the axis, from 0 to 1.
func (a *Axis) position(v float64) float64 {
	if !a.Log {
		return (v - a.Min) / (a.Max - a.Min)
	}
	if a.Min <= 0 || a.Max <= 0 || v <= 0 {
		panic("a logarithmic axis has a value that is not positive")
	}
	lo := math.Log(a.Min)
	return (math.Log(v) - lo) / (math.Log(a.Max) - lo)
}

func (a *Axis) hasMarks() bool { return a.Tick.Width > 0 && a.Tick.Length > 0 }

func (a *Axis) ticks() []Tick { return a.Tick.Marker.Ticks(a.Min, a.Max) }

// start returns where a mark begins, from the side of the label, of the given length.
func (t Tick) start(length vg.Length) vg.Length {
	if t.Label == "" {
		return length / 2
	}
	return 0
}

// largest returns the largest width and height of the labels of ticks.
func largest(style text.Style, ticks []Tick) (size vg.Point) {
	for _, t := range ticks {
		if t.Label != "" {
			s := style.Rectangle(t.Label).Size()
			size.X, size.Y = max(size.X, s.X), max(size.Y, s.Y)
		}
	}
	return size
}

// horizontalAxis is along the lower edge of a canvas.
type horizontalAxis struct{ Axis }

// size returns the height.
func (a horizontalAxis) size() (h vg.Length) {
	if a.Label.Text != "" {
		h += a.Label.TextStyle.Height(a.Label.Text) + a.Label.Padding
	}
	if marks := a.ticks(); len(marks) > 0 {
		if a.hasMarks() {
			h += a.Tick.Length
		}
		h += largest(a.Tick.Label, marks).Y
	}
	return h + a.Width/2 + a.Padding
}

func (a horizontalAxis) draw(c draw.Canvas) {
	y := c.Min.Y
	if a.Label.Text != "" {
		descent := a.Label.TextStyle.FontExtents().Descent
		c.FillText(a.Label.TextStyle, vg.Point{X: c.Center().X, Y: y + descent}, a.Label.Text)
		y += a.Label.TextStyle.Height(a.Label.Text)
		y += a.Label.Padding
	}
	marks := a.ticks()
	height, descent := largest(a.Tick.Label, marks).Y, a.Tick.Label.FontExtents().Descent
	for _, t := range marks {
		if x := c.X(a.position(t.Value)); c.ContainsX(x) && t.Label != "" {
			c.FillText(a.Tick.Label, vg.Point{X: x, Y: y + height + descent}, t.Label)
		}
	}
	if len(marks) > 0 {
		y += height
	} else {
		y += a.Width / 2
	}
	if len(marks) > 0 && a.hasMarks() {
		for _, t := range marks {
			if x := c.X(a.position(t.Value)); c.ContainsX(x) {
				c.StrokeLine2(a.Tick.LineStyle, x, y+t.start(a.Tick.Length), x, y+a.Tick.Length)
			}
		}
		y += a.Tick.Length
	}
	c.StrokeLine2(a.LineStyle, c.Min.X, y, c.Max.X, y)
}

// boxes returns those of the labels.
func (a horizontalAxis) boxes() (list []box) {
	var above vg.Length
	if a.Label.Text != "" {
		descent := a.Label.TextStyle.FontExtents().Descent
		list = append(list, box{x: a.position(0.5 * (a.Max + a.Min)),
			Rectangle: a.Label.TextStyle.Rectangle(a.Label.Text).Add(vg.Point{Y: descent})})
		above += a.Label.TextStyle.Height(a.Label.Text)
		above += a.Label.Padding
	}
	marks := a.ticks()
	above += largest(a.Tick.Label, marks).Y
	above += a.Tick.Label.FontExtents().Descent
	for _, t := range marks {
		if t.Label != "" {
			list = append(list, box{x: a.position(t.Value),
				Rectangle: a.Tick.Label.Rectangle(t.Label).Add(vg.Point{Y: above})})
		}
	}
	return list
}

// verticalAxis is along the left edge of a canvas.
type verticalAxis struct{ Axis }

// size returns the width.
func (a verticalAxis) size() (w vg.Length) {
	if a.Label.Text != "" {
		w += a.Label.TextStyle.FontExtents().Descent
		w += a.Label.TextStyle.Height(a.Label.Text)
		w += a.Label.Padding
	}
	if marks := a.ticks(); len(marks) > 0 {
		if width := largest(a.Tick.Label, marks).X; width > 0 {
			w += width
			w += a.Label.TextStyle.Width(" ")
		}
		if a.hasMarks() {
			w += a.Tick.Length
		}
	}
	return w + a.Width/2 + a.Padding
}

func (a verticalAxis) draw(c draw.Canvas) {
	x := c.Min.X
	if a.Label.Text != "" {
		style := a.Label.TextStyle
		style.Rotation += math.Pi / 2
		x += a.Label.TextStyle.Height(a.Label.Text)
		descent := a.Label.TextStyle.FontExtents().Descent
		c.FillText(style, vg.Point{X: x - descent, Y: c.Center().Y}, a.Label.Text)
		x += descent
		x += a.Label.Padding
	}
	marks := a.ticks()
	x += largest(a.Tick.Label, marks).X
	labels, descent := false, a.Tick.Label.FontExtents().Descent
	for _, t := range marks {
		if y := c.Y(a.position(t.Value)); c.ContainsY(y) && t.Label != "" {
			c.FillText(a.Tick.Label, vg.Point{X: x, Y: y + descent}, t.Label)
			labels = true
		}
	}
	if labels {
		x += a.Tick.Label.Width(" ")
	}
	if len(marks) > 0 && a.hasMarks() {
		for _, t := range marks {
			if y := c.Y(a.position(t.Value)); c.ContainsY(y) {
				c.StrokeLine2(a.Tick.LineStyle, x+t.start(a.Tick.Length), y, x+a.Tick.Length, y)
			}
		}
		x += a.Tick.Length
	}
	c.StrokeLine2(a.LineStyle, x, c.Min.Y, x, c.Max.Y)
}

// boxes returns those of the labels.
func (a verticalAxis) boxes() (list []box) {
	var right vg.Length
	if a.Label.Text != "" {
		style := a.Label.TextStyle
		style.Rotation += math.Pi / 2
		right += a.Label.TextStyle.Height(a.Label.Text)
		descent := a.Label.TextStyle.FontExtents().Descent
		list = append(list, box{y: a.position(0.5 * (a.Max + a.Min)),
			Rectangle: style.Rectangle(a.Label.Text).Add(vg.Point{X: right - descent})})
		right += descent
		right += a.Label.Padding
	}
	marks := a.ticks()
	right += largest(a.Tick.Label, marks).X
	extents := a.Tick.Label.FontExtents()
	for _, t := range marks {
		if t.Label != "" {
			list = append(list, box{y: a.position(t.Value), Rectangle: a.Tick.Label.Rectangle(t.Label).Add(vg.Point{X: right,
				Y: extents.Height - extents.Ascent})})
		}
	}
	return list
}
