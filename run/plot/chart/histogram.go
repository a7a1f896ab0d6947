package chart

import (
	"errors"
	"fmt"
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Histogram shows how often values occur in one or several sets, such as the qualities of the cells of two meshes: the
// share of each set in bins that are the same for all.
type Histogram struct {
	Page
	Title string
	Label string // of the values
	Of    string // what is counted, such as cells
	Sets  []Curve
	Range *[2]float64 // of the bins, nil for that of the values
	Bins  int         // 0 for 40
	Log   bool        // shares on a logarithmic axis, which shows a few bad ones among many
}

// Draw draws the histogram. A value beyond the range is counted in the first or the last bin; one that is no number is
// an error.
func (h *Histogram) Draw() (*figure.Figure, error) {
	page, err := h.checked()
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
			if v-v != 0 {
				return nil, fmt.Errorf("%s: value %d is %g", set.Name, i, v)
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		return nil, errors.New("a histogram of no values")
	}
	if h.Range != nil {
		lo, hi = h.Range[0], h.Range[1]
	}
	lo, hi = widen(lo, hi)
	p := gonum.New()
	style(p, page.Unit)
	p.X.Label.Text, p.Y.Label.Text = h.Label, "share of "+h.Of+" (%)"
	p.Add(grid())
	highest, lowest := 0.0, 100.0
	for i, set := range h.Sets {
		shares := shares(set.Values, lo, hi, bins)
		for _, s := range shares {
			if highest = max(highest, s); s > 0 {
				lowest = min(lowest, s)
			}
		}
		h.steps(p, shares, lo, hi, i, page.Unit)
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = lo, hi, 0, 1.06*highest
	if h.Log {
		p.Y.Min, p.Y.Max = lowest/1.5, 1.5*highest
		p.Y.Scale, p.Y.Tick.Marker = gonum.LogScale{}, logMarker(6)
	}
	k := &keys{above: float64(page.Width) < narrow*page.Unit, names: keyStyle(page.Unit), page: page}
	k.fit(h.Sets)
	head := page.titleHeight(h.Title)
	f := page.blank(page.Width, page.px(min(500, 0.6*float64(page.Width)/page.Unit)+head+k.rows*keyRow))
	page.title(f, h.Title)
	f.Do(func(c vgdraw.Canvas) {
		pad := k.px(20)
		inner := vgdraw.Crop(c, pad, -k.right, pad, -k.px(12+head+k.rows*keyRow))
		p.Draw(inner)
		k.draw(c, p.DataCanvas(inner).Rectangle, h.Sets)
	})
	return f, nil
}

// shares are those of values in each bin, in per cent.
func shares(values []float64, lo, hi float64, bins int) []float64 {
	of := make([]float64, bins)
	for _, v := range values {
		k := math.Floor((v - lo) / (hi - lo) * float64(bins))
		of[int(max(0, min(float64(bins-1), k)))] += 100 / float64(len(values))
	}
	return of
}

// steps draws the shares of a set: filled where it is the only one, or else as an outline. On a logarithmic axis an
// empty bin is a gap.
func (h *Histogram) steps(p *gonum.Plot, shares []float64, lo, hi float64, i int, unit float64) {
	wide := (hi - lo) / float64(len(shares))
	if len(h.Sets) == 1 {
		for k, s := range shares {
			if s > 0 {
				p.Add(box{lo + float64(k)*wide, lo + float64(k+1)*wide, s})
			}
		}
		return
	}
	var line plotter.XYs
	end := func() {
		if len(line) > 0 {
			l := &plotter.Line{XYs: line}
			l.Color, l.Width = palette.Qualitative(i), vg.Length(curveWidth*unit)
			p.Add(l)
		}
		line = nil
	}
	for k, s := range shares {
		if s == 0 && h.Log {
			end()
			continue
		}
		line = append(line, plotter.XY{X: lo + float64(k)*wide, Y: s}, plotter.XY{X: lo + float64(k+1)*wide, Y: s})
	}
	end()
}

// box is a bar from the lower axis up.
type box struct{ lo, hi, height float64 }

// Plot implements gonum's Plotter.
func (b box) Plot(c vgdraw.Canvas, p *gonum.Plot) {
	x, y := p.Transforms(&c)
	corners := []vg.Point{{X: x(b.lo), Y: c.Min.Y}, {X: x(b.hi), Y: c.Min.Y}, {X: x(b.hi), Y: y(b.height)},
		{X: x(b.lo), Y: y(b.height)}}
	c.FillPolygon(palette.Qualitative(0), corners)
	c.StrokeLines(vgdraw.LineStyle{Color: white, Width: 0.5}, append(corners, corners[0]))
}
