package chart

import (
	"fmt"
	"image"
	"math"

	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// Layout of pictures with axes of equal scale, as that of pages.
const (
	marginLeft  = 100.0
	marginRight = 36.0
	marginTop   = 62.0
	titleRow    = 32.0  // of a title that is longer than the area is wide
	sideWidth   = 116.0 // of a colour bar with its labels, or of a legend, at least
	sideGap     = 28.0
	barWidth    = 26.0

	besideLabels = tickLength + 31 // of the vertical axis: ticks, gaps and the axis's name

	// The height of the plotted area, at most and at least, as a share of the width that there is for it.
	tallest = 1.15
	flat    = 0.18
)

// Axes are the names of the horizontal and the vertical axis.
type Axes [2]string

func (a Axes) named() Axes {
	if a == (Axes{}) {
		return Axes{"x", "y"}
	}
	return a
}

// frame is a picture with a plotted area, axes of equal scale around it, and room for a bar or a legend beside it.
type frame struct {
	Page
	fig  *figure.Figure
	area image.Rectangle
	view view

	lower int // how much lower than the name of the axis the key of arrows is
}

// bounds finds what x and y cover. It fails where there is nothing to draw.
func bounds(x, y []float64, cells [][3]int32) (x0, y0, x1, y1 float64, err error) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for c, vertices := range cells {
		for _, v := range vertices {
			if v < 0 || int(v) >= len(x) || int(v) >= len(y) {
				return 0, 0, 0, 0, fmt.Errorf("cell %d refers to vertex %d of %d", c, v, len(x))
			}
			if px, py := x[v], y[v]; px-px != 0 || py-py != 0 {
				return 0, 0, 0, 0, fmt.Errorf("vertex %d of cell %d is at (%g, %g)", v, c, px, py)
			}
			x0, x1 = math.Min(x0, x[v]), math.Max(x1, x[v])
			y0, y1 = math.Min(y0, y[v]), math.Max(y1, y[v])
		}
	}
	if !(x1 > x0 && y1 > y0) || math.IsInf(x1-x0, 0) || math.IsInf(y1-y0, 0) {
		return 0, 0, 0, 0, fmt.Errorf("the mesh has %d cells and no area to draw", len(cells))
	}
	return x0, y0, x1, y1, nil
}

// newFrame lays out a picture of a mesh with a title above it. Beside it there is room for a colour bar or a legend of
// width side, under a heading of width heading, both in pixels of the layout.
func newFrame(x, y []float64, cells [][3]int32, p Page, title string, side, heading float64) (*frame, error) {
	p, err := p.checked()
	if err != nil {
		return nil, err
	}
	x0, y0, x1, y1, err := bounds(x, y, cells)
	if err != nil {
		return nil, err
	}
	if w := p.Window; w != nil {
		if w[0][0] > x1 || w[0][1] < x0 || w[1][0] > y1 || w[1][1] < y0 {
			return nil, fmt.Errorf("nothing lies in the window from (%g, %g) to (%g, %g): the mesh is from (%g, %g) to (%g, %g)",
				w[0][0], w[1][0], w[0][1], w[1][1], x0, y0, x1, y1)
		}
		x0, x1 = w[0][0], w[0][1]
		if !math.IsInf(w[1][0], 0) {
			y0, y1 = w[1][0], w[1][1]
		}
	}
	f := &frame{Page: p}
	f.lay(x0, y0, x1, y1, f.px(marginLeft), side)
	if left := f.widest(f.upright()) + f.px(besideLabels); left > f.px(marginLeft) {
		f.lay(x0, y0, x1, y1, left, side) // with fewer labels, if anything, which are no wider
	}
	if f.area.Dx() < f.px(60) {
		return nil, fmt.Errorf("a width of %d pixels leaves no room beside axes and colour bar", p.Width)
	}
	// A title that would run into the heading beside the area gets a row of its own above it.
	if heading > 0 && figure.Measure(title, titleSize*f.Unit) > float64(f.area.Dx()+f.px(sideGap-12)) {
		f.area = f.area.Add(image.Pt(0, f.px(titleRow)))
	}
	room := max(side, heading)
	f.fig = p.blank(f.area.Max.X+f.px(sideGap+room+marginRight), f.area.Max.Y+f.px(marginLow))
	return f, nil
}

// lay positions the plotted area, behind a left margin of so many pixels.
func (f *frame) lay(x0, y0, x1, y1 float64, left int, side float64) {
	room := float64(f.Width - left - f.px(sideGap+side+marginRight))
	room = max(room, 1)
	scale := math.Min(room/(x1-x0), tallest*room/(y1-y0))
	// A very long domain gets empty room beside it, so that axes and bar keep their place.
	if lacking := flat*room/scale - (y1 - y0); lacking > 0 {
		y0, y1 = y0-lacking/2, y1+lacking/2
	}
	if lacking := flat*room/scale - (x1 - x0); lacking > 0 {
		x0, x1 = x0-lacking/2, x1+lacking/2
	}
	f.view = view{x0: x0, y1: y1, scale: scale,
		width: int(math.Round((x1 - x0) * scale)), height: int(math.Round((y1 - y0) * scale))}
	corner := image.Pt(left, f.px(marginTop))
	f.area = image.Rectangle{corner, corner.Add(image.Pt(f.view.width, f.view.height))}
}

// at is where a point of the plane is in the picture.
func (f *frame) at(x, y float64) (px, py float64) {
	return float64(f.area.Min.X) + (x-f.view.x0)*f.view.scale, float64(f.area.Min.Y) + (f.view.y1-y)*f.view.scale
}

// line is the thickness of rules.
func (f *frame) line() int { return max(1, f.px(1.5)) }

// outline draws a border just outside r.
func (f *frame) outline(r image.Rectangle) {
	w := f.line()
	out := r.Inset(-w)
	f.fig.Fill(image.Rect(out.Min.X, out.Min.Y, out.Max.X, r.Min.Y), ink)
	f.fig.Fill(image.Rect(out.Min.X, r.Max.Y, out.Max.X, out.Max.Y), ink)
	f.fig.Fill(image.Rect(out.Min.X, out.Min.Y, r.Min.X, out.Max.Y), ink)
	f.fig.Fill(image.Rect(r.Max.X, out.Min.Y, out.Max.X, out.Max.Y), ink)
}

// axes draws the border of the area, ticks and labels on both axes, and the title.
func (f *frame) axes(title string, names Axes) {
	names = names.named()
	f.outline(f.area)
	n, w := f.px(tickLength), f.line()
	for _, t := range f.fitting(f.view.x0, f.view.x0+float64(f.view.width)/f.view.scale) {
		at := f.area.Min.X + int(math.Round((t.at-f.view.x0)*f.view.scale))
		f.fig.Fill(image.Rect(at-w/2, f.area.Max.Y, at-w/2+w, f.area.Max.Y+n+w), ink)
		f.text(t.label, textSize, at, f.area.Max.Y+f.px(tickLength+20), 0.5)
	}
	list := f.upright()
	for _, t := range list {
		at := f.area.Min.Y + int(math.Round((f.view.y1-t.at)*f.view.scale))
		f.fig.Fill(image.Rect(f.area.Min.X-n-w, at-w/2, f.area.Min.X, at-w/2+w), ink)
		f.text(t.label, textSize, f.area.Min.X-f.px(tickLength+7), at+f.px(7), 1)
	}
	f.text(names[0], textSize, (f.area.Min.X+f.area.Max.X)/2, f.area.Max.Y+f.px(60), 0.5)
	left := max(f.px(18), f.area.Min.X-f.widest(list)-f.px(tickLength+20))
	f.fig.TextUp(names[1], textSize*f.Unit, float64(left), float64(f.area.Min.Y+f.area.Max.Y)/2)
	// A long title reaches over what is beside the area.
	room := float64(f.fig.Width - f.area.Min.X - f.px(8))
	y := f.px(marginTop - 20)
	title, size := fitted(title, titleSize*f.Unit, room)
	f.fig.Text(title, size, float64(f.area.Min.X), float64(y), 0)
}

// upright returns ticks of the vertical axis.
func (f *frame) upright() []tick {
	return ticks(f.view.y1-float64(f.view.height)/f.view.scale, f.view.y1, max(2, f.view.height/f.px(75)))
}

// widest is the width of the widest label.
func (f *frame) widest(list []tick) int {
	widest := 0
	for _, t := range list {
		widest = max(widest, f.measure(t.label, textSize))
	}
	return widest
}

// fitting returns ticks of the horizontal axis, as many as leave their labels apart.
func (f *frame) fitting(lo, hi float64) []tick {
	for n := max(2, f.view.width/f.px(90)); n > 1; n-- {
		list := ticks(lo, hi, n)
		if len(list) < 2 || float64(f.widest(list)+f.px(14)) < (list[1].at-list[0].at)*f.view.scale {
			return list
		}
	}
	return ticks(lo, hi, 1)
}

func (f *frame) measure(s string, size float64) int {
	return int(math.Ceil(figure.Measure(s, size*f.Unit)))
}

// text writes s on a base line at y. align is the part of its width that lies left of x.
func (f *frame) text(s string, size float64, x, y int, align float64) {
	f.fig.Text(s, size*f.Unit, float64(x), float64(y), align)
}
