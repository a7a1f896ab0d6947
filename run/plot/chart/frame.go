package chart

import (
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// Layout of pictures with axes of equal scale, in layout pixels as in page.go.
const (
	marginLeft  = 100.0
	marginRight = 36.0
	marginTop   = 62.0
	titleRow    = 32.0  // height of a title that is wider than the area
	sideWidth   = 116.0 // least width of a colour bar with its labels, or of a legend
	sideGap     = 28.0
	barWidth    = 26.0

	labelMargin = tickLength + 38 // width of ticks, gaps and name of the vertical axis

	// Largest and smallest height of the plotted area, relative to the available width.
	maxAspect = 1.15
	minAspect = 0.18
)

// Axes has the names of the horizontal and the vertical axis.
type Axes [2]string

func (a Axes) withDefaults() Axes {
	if a == (Axes{}) {
		return Axes{"x", "y"}
	}
	return a
}

// mapFrame is a picture with a plotted area, axes of equal scale around it, and space for a colour bar or legend to the
// right.
type mapFrame struct {
	Page
	fig  *figure.Figure
	area image.Rectangle
	view viewport

	arrowLegendOffset int // distance of the arrows' legend below the axis name, pixels
}

// bounds returns the bounding box of the cells. It returns an error if its area is not positive and finite.
func bounds(x, y []float64, cells [][3]int32) (x0, y0, x1, y1 float64, err error) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for c, vertices := range cells {
		for _, v := range vertices {
			if v < 0 || int(v) >= len(x) || int(v) >= len(y) {
				return 0, 0, 0, 0, fmt.Errorf("cell %d refers to vertex %d of %d", c, v, len(x))
			}
			if px, py := x[v], y[v]; !IsFinite(px) || !IsFinite(py) {
				return 0, 0, 0, 0, fmt.Errorf("vertex %d of cell %d is at (%g, %g)", v, c, px, py)
			}
			x0, x1 = math.Min(x0, x[v]), math.Max(x1, x[v])
			y0, y1 = math.Min(y0, y[v]), math.Max(y1, y[v])
		}
	}
	if !(x1 > x0 && y1 > y0) || math.IsInf(x1-x0, 0) || math.IsInf(y1-y0, 0) {
		return 0, 0, 0, 0, fmt.Errorf("nothing to draw: the %d cells of the mesh have no area", len(cells))
	}
	return x0, y0, x1, y1, nil
}

// newFrame lays out a picture of a mesh with a title above it. side is the width of the colour bar or legend, heading
// that of its heading, both in layout pixels.
func newFrame(x, y []float64, cells [][3]int32, p Page, title string, side, heading float64) (*mapFrame, error) {
	p, err := p.withDefaults()
	if err != nil {
		return nil, err
	}
	x0, y0, x1, y1, err := bounds(x, y, cells)
	if err != nil {
		return nil, err
	}
	if w := p.Window; w != nil {
		if w[0][0] > x1 || w[0][1] < x0 || w[1][0] > y1 || w[1][1] < y0 {
			return nil, fmt.Errorf("the window from (%g, %g) to (%g, %g) is outside the mesh, which is from (%g, %g) to (%g, "+
				"%g)",
				w[0][0], w[1][0], w[0][1], w[1][1], x0, y0, x1, y1)
		}
		x0, x1 = w[0][0], w[0][1]
		if !math.IsInf(w[1][0], 0) {
			y0, y1 = w[1][0], w[1][1]
		}
	}
	f := &mapFrame{Page: p}
	f.layOut(x0, y0, x1, y1, f.px(marginLeft), side)
	if left := f.widestLabel(f.verticalTicks()) + f.px(labelMargin); left > f.px(marginLeft) {
		f.layOut(x0, y0, x1, y1, left, side) // there may be fewer labels now, but not wider ones
	}
	if f.area.Dx() < f.px(60) {
		return nil, fmt.Errorf("a width of %d pixels is too small for axes and colour bar", p.Width)
	}
	// A title that would overlap the heading gets its own row above it.
	if heading > 0 && figure.Measure(title, titleSize*f.Unit) > float64(f.area.Dx()+f.px(sideGap-12)) {
		f.area = f.area.Add(image.Pt(0, f.px(titleRow)))
	}
	rightWidth := max(side, heading)
	f.fig = p.newFigure(f.area.Max.X+f.px(sideGap+rightWidth+marginRight), f.area.Max.Y+f.px(marginBottom))
	return f, nil
}

// layOut sets the plotted area, given its left margin in pixels.
func (f *mapFrame) layOut(x0, y0, x1, y1 float64, left int, side float64) {
	available := float64(f.Width - left - f.px(sideGap+side+marginRight))
	available = max(available, 1)
	aspect := 1.0
	if f.Earth {
		aspect = max(math.Cos((y0+y1)/2*math.Pi/180), .1)
	}
	scale := math.Min(available/(aspect*(x1-x0)), maxAspect*available/(y1-y0))
	// A very elongated domain gets empty space around it, so that the area has a usable shape.
	if lacking := minAspect*available/scale - (y1 - y0); lacking > 0 {
		y0, y1 = y0-lacking/2, y1+lacking/2
	}
	if lacking := minAspect*available/(aspect*scale) - (x1 - x0); lacking > 0 {
		x0, x1 = x0-lacking/2, x1+lacking/2
	}
	f.view = viewport{x0: x0, y1: y1, scale: scale, across: aspect * scale,
		width: int(math.Round((x1 - x0) * aspect * scale)), height: int(math.Round((y1 - y0) * scale))}
	corner := image.Pt(left, f.px(marginTop))
	f.area = image.Rectangle{corner, corner.Add(image.Pt(f.view.width, f.view.height))}
}

// toPixel returns the position of a point of the plane in the picture.
func (f *mapFrame) toPixel(x, y float64) (px, py float64) {
	return float64(f.area.Min.X) + (x-f.view.x0)*f.view.across, float64(f.area.Min.Y) + (f.view.y1-y)*f.view.scale
}

// lineWidth returns the width of rules in pixels.
func (f *mapFrame) lineWidth() int { return max(1, f.px(1.5)) }

// outline draws a border just outside r.
func (f *mapFrame) outline(r image.Rectangle) {
	w := f.lineWidth()
	out := r.Inset(-w)
	f.fig.Fill(image.Rect(out.Min.X, out.Min.Y, out.Max.X, r.Min.Y), ink)
	f.fig.Fill(image.Rect(out.Min.X, r.Max.Y, out.Max.X, out.Max.Y), ink)
	f.fig.Fill(image.Rect(out.Min.X, out.Min.Y, r.Min.X, out.Max.Y), ink)
	f.fig.Fill(image.Rect(r.Max.X, out.Min.Y, out.Max.X, out.Max.Y), ink)
}

// axes draws the border of the area, ticks and labels on both axes, and the title.
func (f *mapFrame) axes(title string, names Axes) {
	names = names.withDefaults()
	f.outline(f.area)
	n, w := f.px(tickLength), f.lineWidth()
	for _, t := range f.horizontalTicks(f.view.x0, f.view.x0+float64(f.view.width)/f.view.across) {
		position := f.area.Min.X + int(math.Round((t.value-f.view.x0)*f.view.across))
		f.fig.Fill(image.Rect(position-w/2, f.area.Max.Y, position-w/2+w, f.area.Max.Y+n+w), ink)
		f.text(t.label, textSize, position, f.area.Max.Y+f.px(tickLength+20), 0.5)
	}
	list := f.verticalTicks()
	for _, t := range list {
		position := f.area.Min.Y + int(math.Round((f.view.y1-t.value)*f.view.scale))
		f.fig.Fill(image.Rect(f.area.Min.X-n-w, position-w/2, f.area.Min.X, position-w/2+w), ink)
		f.text(t.label, textSize, f.area.Min.X-f.px(tickLength+7), position+f.px(7), 1)
	}
	f.text(names[0], textSize, (f.area.Min.X+f.area.Max.X)/2, f.area.Max.Y+f.px(60), 0.5)
	left := max(f.px(18), f.area.Min.X-f.widestLabel(list)-f.px(tickLength+20))
	f.fig.VerticalText(names[1], textSize*f.Unit, float64(left), float64(f.area.Min.Y+f.area.Max.Y)/2)
	// A long title may extend over the colour bar.
	available := float64(f.fig.Width - f.area.Min.X - f.px(8))
	y := f.px(marginTop - 20)
	title, size := fitText(title, titleSize*f.Unit, available)
	f.fig.Text(title, size, float64(f.area.Min.X), float64(y), 0)
}

// verticalTicks returns the ticks of the vertical axis.
func (f *mapFrame) verticalTicks() []tick {
	bottom := f.view.y1 - float64(f.view.height)/f.view.scale
	return f.directions(ticksWith(coordinateDigits, bottom, f.view.y1, max(2, f.view.height/f.px(75))), "N", "S")
}

// widestLabel returns the width of the widest label in pixels.
func (f *mapFrame) widestLabel(list []tick) int {
	widest := 0
	for _, t := range list {
		widest = max(widest, f.measure(t.label, textSize))
	}
	return widest
}

// horizontalTicks returns the ticks of the horizontal axis, as many as fit without overlapping labels.
func (f *mapFrame) horizontalTicks(lo, hi float64) []tick {
	for n := max(2, f.view.width/f.px(90)); n > 1; n-- {
		list := f.directions(ticksWith(coordinateDigits, lo, hi, n), "E", "W")
		if len(list) < 2 || float64(f.widestLabel(list)+f.px(14)) < (list[1].value-list[0].value)*f.view.across {
			return list
		}
	}
	return f.directions(ticksWith(coordinateDigits, lo, hi, 1), "E", "W")
}

// directions makes labels of degrees, such as 145°E and 12.5°S, on a map of the earth.
func (f *mapFrame) directions(list []tick, positive, negative string) []tick {
	for k := range list {
		if !f.Earth {
			break
		}
		_, decimals, _ := strings.Cut(list[k].label, ".")
		angle := math.Remainder(list[k].value, 360)
		label := strconv.FormatFloat(math.Abs(angle), 'f', len(decimals), 64) + "°"
		switch {
		case list[k].label == "0" || math.Abs(angle) == 180: // on the meridian, the equator, or the other side of the earth
		case angle > 0:
			label += positive
		default:
			label += negative
		}
		list[k].label = label
	}
	return list
}

func (f *mapFrame) measure(s string, size float64) int {
	return int(math.Ceil(figure.Measure(s, size*f.Unit)))
}

// text writes a line of text with its baseline at y. align is the share of its width to the left of x.
func (f *mapFrame) text(s string, size float64, x, y int, align float64) {
	f.fig.Text(s, size*f.Unit, float64(x), float64(y), align)
}
