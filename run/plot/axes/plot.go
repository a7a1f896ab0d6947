// Package axes draws data with a horizontal and a vertical axis on canvases of gonum. It does what package
// gonum.org/v1/plot does, of which it is the part that charts need, and gives the same pictures. That package brings
// twelve fonts, 4 MB, of which charts use one.
//
// Derived from gonum/plot v0.17, © 2015 The Gonum Authors; LICENSE in this folder is Gonum's.
package axes

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot is data with two axes.
type Plot struct {
	Title Title
	X, Y  Axis

	data []Plotter
}

// Title is above the data. No title is drawn if Text is empty.
type Title struct {
	Text      string
	TextStyle text.Style
	Padding   vg.Length // between the title and the data
}

// below returns the part of a canvas below the title.
func (t *Title) below(c draw.Canvas) draw.Canvas {
	if t.Text != "" {
		c.Max.Y -= t.TextStyle.Rectangle(t.Text).Size().Y
		c.Max.Y -= t.Padding
	}
	return c
}

// Plotter draws data on the canvas of the data, which has the ranges of the plot's axes.
type Plotter interface {
	Plot(c draw.Canvas, p *Plot)
}

// boxer is a Plotter that extends beyond its data, such as by the radius of points. Axes leave space for it.
type boxer interface {
	boxes(p *Plot) []box
}

// box is a rectangle around a point, whose position on the axes is from 0 to 1.
type box struct {
	x, y float64
	vg.Rectangle
}

// New returns a plot with linear axes. Their ranges, styles and ticks have to be set.
func New() *Plot {
	p := &Plot{X: newAxis(), Y: newAxis()}
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XCenter, text.YTop
	p.Y.Tick.Label.XAlign, p.Y.Tick.Label.YAlign = text.XRight, text.YCenter
	return p
}

// Add adds data, which is drawn above that added before.
func (p *Plot) Add(data ...Plotter) { p.data = append(p.data, data...) }

// Draw draws the axes and the data on a white canvas.
func (p *Plot) Draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	if p.Title.Text != "" {
		descent := p.Title.TextStyle.FontExtents().Descent
		c.FillText(p.Title.TextStyle, vg.Point{X: c.Center().X, Y: c.Max.Y + descent}, p.Title.Text)
	}
	c = p.Title.below(c)
	inner, below, left := p.inner(c), c, c
	below.Min.X, below.Max.X = inner.Min.X, inner.Max.X
	horizontalAxis{p.X}.draw(below)
	left.Min.Y, left.Max.Y = inner.Min.Y, inner.Max.Y
	verticalAxis{p.Y}.draw(left)
	for _, d := range p.data {
		d.Plot(inner, p)
	}
}

// DataCanvas returns the part of a canvas on which Draw draws the data.
func (p *Plot) DataCanvas(c draw.Canvas) draw.Canvas { return p.inner(p.Title.below(c)) }

// inner returns the part of a canvas without the title on which the data are.
func (p *Plot) inner(c draw.Canvas) draw.Canvas {
	p.X.repairRange()
	p.Y.repairRange()
	return p.padY(p.padX(draw.Crop(c, verticalAxis{p.Y}.size(), 0, horizontalAxis{p.X}.size(), 0)))
}

// Transforms returns functions from data to positions on a canvas.
func (p *Plot) Transforms(c *draw.Canvas) (x, y func(float64) vg.Length) {
	x = func(v float64) vg.Length { return c.X(p.X.position(v)) }
	y = func(v float64) vg.Length { return c.Y(p.Y.position(v)) }
	return x, y
}

// boxes returns those of the data within the ranges of the axes.
func (p *Plot) boxes() (list []box) {
	for _, d := range p.data {
		b, ok := d.(boxer)
		if !ok {
			continue
		}
		for _, b := range b.boxes(p) {
			if (b.Size().X <= 0 || 0 <= b.x && b.x <= 1) && (b.Size().Y <= 0 || 0 <= b.y && b.y <= 1) {
				list = append(list, b)
			}
		}
	}
	return list
}

// padX returns the part of a canvas whose data, with their boxes and the labels of the axis, are on the canvas.
func (p *Plot) padX(c draw.Canvas) draw.Canvas {
	c.Min.X, c.Max.X = padded(c.Min.X, c.Max.X, box.alongX, p.boxes(), horizontalAxis{p.X}.boxes())
	return c
}

// padY is as padX, for the vertical.
func (p *Plot) padY(c draw.Canvas) draw.Canvas {
	c.Min.Y, c.Max.Y = padded(c.Min.Y, c.Max.Y, box.alongY, p.boxes(), verticalAxis{p.Y}.boxes())
	return c
}

// extent is a box along an axis: its position, from 0 to 1, and where it begins from there.
type extent struct {
	at         float64
	from, size vg.Length
}

func (b box) alongX() extent { return extent{b.x, b.Min.X, b.Size().X} }
func (b box) alongY() extent { return extent{b.y, b.Min.Y, b.Size().Y} }

// padded returns the ends of an axis for which the boxes of data are between lo and hi, and those of labels below hi.
func padded(lo, hi vg.Length, along func(box) extent, data, labels []box) (start, end vg.Length) {
	first, last := extent{}, extent{at: 1}
	lowest, highest := lo, hi
	for i, b := range slices.Concat(data, labels) {
		e := along(b)
		if !(e.size > 0) {
			continue
		}
		x := vg.Length(e.at)*(hi-lo) + lo + e.from
		if i < len(data) && x < lowest && e.at >= 0 {
			lowest, first = x, e
		}
		if x += e.size; x > highest && e.at <= 1 {
			highest, last = x, e
		}
	}
	a, b := vg.Length(first.at), vg.Length(last.at)
	lo, hi = lo-first.from, hi-(last.from+last.size)
	return (a*hi - b*lo) / (a - b), ((a-1)*hi - b*lo + lo) / (a - b)
}

// repairRange replaces a range that is not set or empty.
func (a *Axis) repairRange() {
	if math.IsInf(a.Min, 0) {
		a.Min = 0
	}
	if math.IsInf(a.Max, 0) {
		a.Max = 0
	}
	if a.Min > a.Max {
		a.Min, a.Max = a.Max, a.Min
	}
	if a.Min == a.Max {
		a.Min--
		a.Max++
	}
}
