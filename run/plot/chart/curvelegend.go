package chart

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

const (
	legendLine = 34.0 // length of the line beside a name, layout pixels
	legendRow  = 30.0
	legendGap  = 10.0 // between line and name, layout pixels

	curveWidth = 2.2

	narrowWidth = 800.0 // narrower pictures have their legends above the axes; layout pixels
)

func legendStyle(unit float64) text.Style {
	s := figure.Sans(textSize * unit)
	s.YAlign = text.YCenter
	return s
}

// curveLegends are the legends of panels: to the right of them, or above them in narrow pictures. A single curve
// without a name has no legend.
type curveLegends struct {
	above bool
	names text.Style
	page  Page
	right vg.Length // space to the right of the panels
	rows  float64   // rows of names above each panel
}

func (l *curveLegends) px(layout float64) vg.Length { return vg.Length(layout * l.page.Unit) }

// hasLegend reports whether curves need a legend.
func hasLegend(curves []Curve) bool {
	return len(curves) > 1 || len(curves) == 1 && curves[0].Name != ""
}

// reserve reserves space for the legend of a panel.
func (l *curveLegends) reserve(curves []Curve) {
	l.right = max(l.right, l.px(36))
	switch {
	case !hasLegend(curves):
	case l.above:
		l.rows = max(l.rows, 1+float64(l.placeNames(curves, nil)))
	default:
		widest := vg.Length(0)
		for _, c := range curves {
			widest = max(widest, l.names.Width(c.Name))
		}
		// Longer names are shortened.
		l.right = max(l.right, l.px(legendLine+60)+min(widest, vg.Length(0.4*float64(l.page.Width))))
	}
}

// placeNames places the names of curves in rows of the available width, and returns the index of the last row.
func (l *curveLegends) placeNames(curves []Curve, place func(i, row int, x vg.Length)) (row int) {
	x, available := vg.Length(0), vg.Length(l.page.Width)-l.px(130)
	for i, c := range curves {
		width := l.px(legendLine+legendGap+24) + l.names.Width(c.Name)
		if x > 0 && x+width > available {
			x, row = 0, row+1
		}
		if place != nil {
			place(i, row, x)
		}
		x += width
	}
	return row
}

// draw draws the legend of a panel whose data area is given.
func (l *curveLegends) draw(c vgdraw.Canvas, data vg.Rectangle, curves []Curve) {
	if !hasLegend(curves) {
		return
	}
	if !l.above {
		for i := range curves {
			l.drawName(c, curves, i, data.Max.X+l.px(20), data.Max.Y-l.px(legendRow*(float64(i)+0.5)))
		}
		return
	}
	last := l.placeNames(curves, nil)
	l.placeNames(curves, func(i, row int, x vg.Length) {
		l.drawName(c, curves, i, data.Min.X+x, data.Max.Y+l.px(legendRow*(float64(last-row)+0.6)))
	})
}

// drawName draws the line or point of a curve, and its name.
func (l *curveLegends) drawName(c vgdraw.Canvas, curves []Curve, i int, x, y vg.Length) {
	colour, end := palette.Qualitative(i), x+l.px(legendLine)
	if curves[i].Points {
		c.DrawGlyphNoClip(pointStyle(colour, l.page.Unit), vg.Point{X: (x + end) / 2, Y: y})
	} else {
		c.StrokeLine2(vgdraw.LineStyle{Color: colour, Width: l.px(curveWidth)}, x, y, end, y)
	}
	available := vg.Length(l.page.Width) - end - l.px(2*legendGap)
	name, size := fitText(curves[i].Name, textSize*l.page.Unit, float64(available))
	style := l.names
	style.Font.Size = vg.Length(size)
	c.FillText(style, vg.Point{X: end + l.px(legendGap), Y: y}, name)
}
