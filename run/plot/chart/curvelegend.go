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

func (k *curveLegends) px(layout float64) vg.Length { return vg.Length(layout * k.page.Unit) }

// hasLegend reports whether curves need a legend.
func hasLegend(curves []Curve) bool {
	return len(curves) > 1 || len(curves) == 1 && curves[0].Name != ""
}

// reserve reserves space for the legend of a panel.
func (k *curveLegends) reserve(curves []Curve) {
	k.right = max(k.right, k.px(36))
	switch {
	case !hasLegend(curves):
	case k.above:
		k.rows = max(k.rows, 1+float64(k.placeNames(curves, nil)))
	default:
		widest := vg.Length(0)
		for _, c := range curves {
			widest = max(widest, k.names.Width(c.Name))
		}
		// Longer names are clipped.
		k.right = max(k.right, k.px(legendLine+60)+min(widest, vg.Length(0.4*float64(k.page.Width))))
	}
}

// placeNames places the names of curves in rows of the available width, and returns the index of the last row.
func (k *curveLegends) placeNames(curves []Curve, place func(i, row int, x vg.Length)) (row int) {
	x, available := vg.Length(0), vg.Length(k.page.Width)-k.px(130)
	for i, c := range curves {
		width := k.px(legendLine+legendGap+24) + k.names.Width(c.Name)
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
func (k *curveLegends) draw(c vgdraw.Canvas, data vg.Rectangle, curves []Curve) {
	if !hasLegend(curves) {
		return
	}
	if !k.above {
		for i := range curves {
			k.drawName(c, curves, i, data.Max.X+k.px(20), data.Max.Y-k.px(legendRow*(float64(i)+0.5)))
		}
		return
	}
	last := k.placeNames(curves, nil)
	k.placeNames(curves, func(i, row int, x vg.Length) {
		k.drawName(c, curves, i, data.Min.X+x, data.Max.Y+k.px(legendRow*(float64(last-row)+0.6)))
	})
}

// drawName draws the line or point of a curve, and its name.
func (k *curveLegends) drawName(c vgdraw.Canvas, curves []Curve, i int, x, y vg.Length) {
	colour, end := palette.Qualitative(i), x+k.px(legendLine)
	if curves[i].Points {
		c.DrawGlyphNoClip(pointStyle(colour, k.page.Unit), vg.Point{X: (x + end) / 2, Y: y})
	} else {
		c.StrokeLine2(vgdraw.LineStyle{Color: colour, Width: k.px(curveWidth)}, x, y, end, y)
	}
	c.FillText(k.names, vg.Point{X: end + k.px(legendGap), Y: y}, curves[i].Name)
}
