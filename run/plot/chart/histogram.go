package chart

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/atoll-hpc/atoll/run/plot/axes"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Histogram shows how often values occur in one or several sets, such as the qualities of the cells of two meshes: the
// percentage of each set in common bins.
type Histogram struct {
	Page
	Title   string
	Label   string // label of the values
	Counted string // plural of what is counted, such as "cells"
	Sets    []Curve
	Range   *[2]float64 // range of the bins; nil for the range of the values
	Bins    int         // number of bins; 0 for 40
	Log     bool        // logarithmic axis for percentages, to show rare values
}

// Draw draws the histogram. Values outside the range are counted in the first or last bin; a value that is not finite
// is an error.
func (h *Histogram) Draw() (*figure.Figure, error) {
	page, err := h.withDefaults()
	if err != nil {
		return nil, err
	}
	bins := h.Bins
	if bins == 0 {
		bins = 40
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, set := range h.Sets {
		for i, v := range set.Values {
			if !IsFinite(v) {
				return nil, fmt.Errorf("%s: value %d is %g", set.Name, i, v)
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		return nil, errors.New("nothing to draw: there are no values")
	}
	if h.Range != nil {
		lo, hi = h.Range[0], h.Range[1]
	}
	lo, hi = widenRange(lo, hi)
	p := axes.New()
	style(p, page.Unit)
	p.X.Label.Text, p.Y.Label.Text = h.Label, "share of "+h.Counted+" (%)"
	p.Add(grid(page.Unit))
	highest, lowest := 0.0, 100.0
	for i, set := range h.Sets {
		percentages := shares(set.Values, lo, hi, bins)
		for _, s := range percentages {
			if highest = max(highest, s); s > 0 {
				lowest = min(lowest, s)
			}
		}
		h.drawSteps(p, percentages, lo, hi, i, page.Unit)
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = lo, hi, 0, 1.06*highest
	if h.Log {
		p.Y.Min, p.Y.Max = lowest/1.5, 1.5*highest
		p.Y.Log, p.Y.Tick.Marker = true, logarithmicTicks(6)
	}
	legends := &curveLegends{above: float64(page.Width) < narrowWidth*page.Unit, names: legendStyle(page.Unit), page: page}
	legends.reserve(h.Sets)
	titleHeight := page.titleHeight(h.Title)
	height := min(500, 0.6*float64(page.Width)/page.Unit) + titleHeight + legends.rows*legendRow
	f := page.newFigure(page.Width, page.px(height))
	page.title(f, h.Title)
	f.DrawOn(func(c vgdraw.Canvas) {
		pad := legends.px(20)
		inner := vgdraw.Crop(c, pad, -legends.right, pad, -legends.px(12+titleHeight+legends.rows*legendRow))
		p.Draw(inner)
		legends.draw(c, p.DataCanvas(inner).Rectangle, h.Sets)
	})
	return f, nil
}

// shares returns the percentage of values in each bin.
func shares(values []float64, lo, hi float64, bins int) []float64 {
	percentages := make([]float64, bins)
	for _, v := range values {
		k := math.Floor((v - lo) / (hi - lo) * float64(bins))
		percentages[int(max(0, min(float64(bins-1), k)))] += 100 / float64(len(values))
	}
	return percentages
}

// drawSteps draws the percentages of a set: as bars if it is the only one, else as an outline. On a logarithmic axis,
// empty bins are gaps.
func (h *Histogram) drawSteps(p *axes.Plot, shares []float64, lo, hi float64, i int, unit float64) {
	width := (hi - lo) / float64(len(shares))
	if len(h.Sets) == 1 {
		for k, s := range shares {
			if s > 0 {
				p.Add(verticalBar{lo + float64(k)*width, lo + float64(k+1)*width, s})
			}
		}
		return
	}
	var line []axes.XY
	flush := func() {
		if len(line) > 0 {
			p.Add(&axes.Line{Points: line, LineStyle: lineStyle(palette.Qualitative(i), unit)})
		}
		line = nil
	}
	for k, s := range shares {
		if s == 0 && h.Log {
			flush()
			continue
		}
		line = append(line, axes.XY{X: lo + float64(k)*width, Y: s}, axes.XY{X: lo + float64(k+1)*width, Y: s})
	}
	flush()
}

// verticalBar is a vertical bar from the lower axis.
type verticalBar struct{ lo, hi, height float64 }

// Plot implements axes.Plotter.
func (b verticalBar) Plot(c vgdraw.Canvas, p *axes.Plot) {
	x, y := p.Transforms(&c)
	corners := []vg.Point{{X: x(b.lo), Y: c.Min.Y}, {X: x(b.hi), Y: c.Min.Y}, {X: x(b.hi), Y: y(b.height)},
		{X: x(b.lo), Y: y(b.height)}}
	c.FillPolygon(palette.Qualitative(0), corners)
	c.StrokeLines(vgdraw.LineStyle{Color: white, Width: 0.5}, append(corners, corners[0]))
}
