package chart

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/atoll-hpc/atoll/run/plot/axes"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// titleHeight returns the height of a title, which may have several lines, in layout pixels.
func (p Page) titleHeight(title string) float64 {
	if title == "" {
		return 10
	}
	return 40 + (titleSize+6)*float64(strings.Count(title, "\n"))
}

// title writes a title, which may have several lines, in the upper left corner. Lines that are too long are shrunk or
// shortened.
func (p Page) title(f *figure.Figure, title string) {
	const left = 24
	y := left + 10.0
	for line := range strings.SplitSeq(title, "\n") {
		line, size := fitText(line, titleSize*p.Unit, float64(p.Width)-2*left*p.Unit)
		f.Text(line, size, left*p.Unit, y*p.Unit, 0)
		y += titleSize + 6
	}
}

// style gives a plot the same look as maps.
func style(p *axes.Plot, unit float64) {
	for _, axis := range []*axes.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle = figure.Sans(textSize * unit)
		axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign = text.XCenter, text.YBottom
		axis.Label.Padding = vg.Length(8 * unit)
		align := axis.Tick.Label
		axis.Tick.Label = figure.Sans(textSize * unit)
		axis.Tick.Label.XAlign, axis.Tick.Label.YAlign = align.XAlign, align.YAlign
		axis.Tick.Marker = linearTicks(8)
		axis.Tick.Length = vg.Length(tickLength * unit)
		axis.LineStyle.Width, axis.Tick.LineStyle.Width = vg.Length(1.5*unit), vg.Length(1.5*unit)
		axis.LineStyle.Color, axis.Tick.LineStyle.Color = ink, ink
		axis.Padding = 0
	}
	p.Y.Tick.Marker = linearTicks(6)
}

func grid(unit float64) *axes.Grid {
	return &axes.Grid{LineStyle: vgdraw.LineStyle{Width: vg.Length(unit), Color: color.Gray{225}}}
}

// linearTicks is a ticker for linear axes; its value is the approximate number of ticks.
type linearTicks int

// Ticks implements axes.Ticker with the ticks of the maps.
func (m linearTicks) Ticks(lo, hi float64) []axes.Tick {
	var list []axes.Tick
	for _, t := range ticks(lo, hi, int(m)) {
		list = append(list, axes.Tick{Value: t.value, Label: t.label})
	}
	return list
}

// logarithmicTicks is a ticker for logarithmic axes; its value is the approximate number of ticks.
type logarithmicTicks int

// Ticks implements axes.Ticker.
func (m logarithmicTicks) Ticks(lo, hi float64) []axes.Tick {
	var list []axes.Tick
	for _, t := range logTicks(lo, hi, int(m)) {
		list = append(list, axes.Tick{Value: t.value, Label: t.label})
	}
	return list
}
