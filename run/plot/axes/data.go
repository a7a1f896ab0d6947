package axes

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// XY is a point of data.
type XY struct{ X, Y float64 }

// check returns an error if a number is not finite.
func check(points []XY) error {
	for i, p := range points {
		for _, v := range []float64{p.X, p.Y} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("point %d is (%g, %g)", i, p.X, p.Y)
			}
		}
	}
	return nil
}

// Line joins points by lines.
type Line struct {
	Points []XY
	draw.LineStyle
}

// NewLine returns a line through points, or an error if one of them is not finite.
func NewLine(points []XY, style draw.LineStyle) (*Line, error) {
	return &Line{points, style}, check(points)
}

// Plot implements Plotter.
func (l *Line) Plot(c draw.Canvas, p *Plot) {
	x, y := p.Transforms(&c)
	points := make([]vg.Point, len(l.Points))
	for i, p := range l.Points {
		points[i] = vg.Point{X: x(p.X), Y: y(p.Y)}
	}
	c.StrokeLines(l.LineStyle, c.ClipLinesXY(points)...)
}

func (l *Line) boxes(p *Plot) []box { return boxesOf(l.Points, 0.5*l.Width, p) }

// boxesOf returns squares around points with the given half side.
func boxesOf(points []XY, half vg.Length, p *Plot) []box {
	list := make([]box, len(points))
	for i, xy := range points {
		list[i] = box{p.X.position(xy.X), p.Y.position(xy.Y),
			vg.Rectangle{Min: vg.Point{X: -half, Y: -half}, Max: vg.Point{X: half, Y: half}}}
	}
	return list
}

// Scatter marks points.
type Scatter struct {
	Points []XY
	draw.GlyphStyle
}

// NewScatter returns marks at points, or an error if one of them is not finite.
func NewScatter(points []XY, style draw.GlyphStyle) (*Scatter, error) {
	return &Scatter{points, style}, check(points)
}

// Plot implements Plotter.
func (s *Scatter) Plot(c draw.Canvas, p *Plot) {
	x, y := p.Transforms(&c)
	for _, p := range s.Points {
		c.DrawGlyph(s.GlyphStyle, vg.Point{X: x(p.X), Y: y(p.Y)})
	}
}

func (s *Scatter) boxes(p *Plot) []box { return boxesOf(s.Points, s.Radius, p) }

// Text is a text at a point of the data.
type Text struct {
	At    XY
	Text  string
	Style text.Style
}

// Plot implements Plotter.
func (t *Text) Plot(c draw.Canvas, p *Plot) {
	x, y := p.Transforms(&c)
	if at := (vg.Point{X: x(t.At.X), Y: y(t.At.Y)}); c.Contains(at) {
		c.FillText(t.Style, at, t.Text)
	}
}

func (t *Text) boxes(p *Plot) []box {
	return []box{{p.X.position(t.At.X), p.Y.position(t.At.Y), t.Style.Rectangle(t.Text)}}
}

// Grid draws lines at the ticks that have labels.
type Grid struct{ draw.LineStyle }

// Plot implements Plotter.
func (g *Grid) Plot(c draw.Canvas, p *Plot) {
	toX, toY := p.Transforms(&c)
	for _, t := range p.X.ticks() {
		if x := toX(t.Value); t.Label != "" && c.Min.X <= x && x <= c.Max.X {
			c.StrokeLine2(g.LineStyle, x, c.Min.Y, x, c.Max.Y)
		}
	}
	for _, t := range p.Y.ticks() {
		if y := toY(t.Value); t.Label != "" && c.Min.Y <= y && y <= c.Max.Y {
			c.StrokeLine2(g.LineStyle, c.Min.X, y, c.Max.X, y)
		}
	}
}
