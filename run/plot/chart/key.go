package chart

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

const (
	keyLine = 34.0 // length of the line beside a name, in pixels of the layout
	keyRow  = 30.0
	keyGap  = 10.0 // between line and name

	curveWidth = 2.2

	narrow = 800.0 // pictures that are narrower have their keys above the axes
)

func keyStyle(unit float64) text.Style {
	s := figure.Sans(textSize * unit)
	s.YAlign = text.YCenter
	return s
}

// keys name the curves of panels: right of them, where they hide none, or in narrow pictures above them. A curve alone
// without a name has none.
type keys struct {
	above bool
	names text.Style
	page  Page
	right vg.Length // room right of the panels
	rows  float64   // above each
}

func (k *keys) px(layout float64) vg.Length { return vg.Length(layout * k.page.Unit) }

// shown reports whether curves have a key.
func shown(curves []Curve) bool { return len(curves) > 1 || len(curves) == 1 && curves[0].Name != "" }

// fit makes room for the key of a panel.
func (k *keys) fit(curves []Curve) {
	k.right = max(k.right, k.px(36))
	switch {
	case !shown(curves):
	case k.above:
		k.rows = max(k.rows, 1+float64(k.flow(curves, nil)))
	default:
		widest := vg.Length(0)
		for _, c := range curves {
			widest = max(widest, k.names.Width(c.Name))
		}
		// Longer names are cut off.
		k.right = max(k.right, k.px(keyLine+60)+min(widest, vg.Length(0.4*float64(k.page.Width))))
	}
}

// flow puts the names of curves beside each other as long as there is room, and then below, and returns the last row.
func (k *keys) flow(curves []Curve, put func(i, row int, x vg.Length)) (row int) {
	x, room := vg.Length(0), vg.Length(k.page.Width)-k.px(130)
	for i, c := range curves {
		wide := k.px(keyLine+keyGap+24) + k.names.Width(c.Name)
		if x > 0 && x+wide > room {
			x, row = 0, row+1
		}
		if put != nil {
			put(i, row, x)
		}
		x += wide
	}
	return row
}

// draw names the curves of a panel whose data are drawn in a rectangle.
func (k *keys) draw(c vgdraw.Canvas, data vg.Rectangle, curves []Curve) {
	if !shown(curves) {
		return
	}
	if !k.above {
		for i := range curves {
			k.name(c, curves, i, data.Max.X+k.px(20), data.Max.Y-k.px(keyRow*(float64(i)+0.5)))
		}
		return
	}
	last := k.flow(curves, nil)
	k.flow(curves, func(i, row int, x vg.Length) {
		k.name(c, curves, i, data.Min.X+x, data.Max.Y+k.px(keyRow*(float64(last-row)+0.6)))
	})
}

// name draws the line of a curve, or a point, and its name.
func (k *keys) name(c vgdraw.Canvas, curves []Curve, i int, x, y vg.Length) {
	colour, end := palette.Qualitative(i), x+k.px(keyLine)
	if curves[i].Points {
		c.DrawGlyphNoClip(dots(colour, k.page.Unit), vg.Point{X: (x + end) / 2, Y: y})
	} else {
		c.StrokeLine2(vgdraw.LineStyle{Color: colour, Width: k.px(curveWidth)}, x, y, end, y)
	}
	c.FillText(k.names, vg.Point{X: end + k.px(keyGap), Y: y}, curves[i].Name)
}
