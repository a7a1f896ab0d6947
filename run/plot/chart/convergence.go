package chart

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/plot/axes"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Convergence plots errors over resolution with logarithmic axes, in panels below each other. Dashed lines show the
// orders 1 and 2.
type Convergence struct {
	Page
	Title  string
	XLabel string // label of the horizontal axis
	Panels []ConvergencePanel
}

// ConvergencePanel is one set of axes of a Convergence.
type ConvergencePanel struct {
	Label  string // label of the vertical axis
	Curves []ErrorCurve
}

// ErrorCurve is the error of a series of runs. Errors that are not positive are left out.
type ErrorCurve struct {
	Name string
	X, Y []float64 // resolution, increasing, and error
}

// Draw draws the plot.
func (c *Convergence) Draw() (*figure.Figure, error) {
	page, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(c.Panels) == 0 {
		return nil, errors.New("nothing to draw: there are no panels")
	}
	plots, curves := make([]*axes.Plot, len(c.Panels)), make([][]Curve, len(c.Panels))
	for i := range c.Panels {
		if plots[i], curves[i], err = c.Panels[i].axes(page); err != nil {
			return nil, err
		}
	}
	plots[len(plots)-1].X.Label.Text = c.XLabel
	return stackPlots(page, c.Title, 560, plots, curves), nil
}

// axes returns the plot of a panel, and the names of its curves for the legend.
func (panel *ConvergencePanel) axes(page Page) (*axes.Plot, []Curve, error) {
	p, unit := axes.New(), page.Unit
	style(p, unit)
	p.Y.Label.Text = panel.Label
	p.Add(grid(unit))
	var resolutions []float64
	low, high := math.Inf(1), math.Inf(-1)
	var legend []Curve
	for i, c := range panel.Curves {
		var points []axes.XY
		for k, y := range c.Y {
			if y > 0 && c.X[k] > 0 {
				points = append(points, axes.XY{X: c.X[k], Y: y})
				resolutions = append(resolutions, c.X[k])
				low, high = min(low, y), max(high, y)
			}
		}
		if len(panel.Curves) > 1 {
			legend = append(legend, Curve{Name: c.Name})
		}
		if len(points) == 0 {
			continue
		}
		line, err := axes.NewLine(points, lineStyle(palette.Qualitative(i), unit))
		if err != nil {
			return nil, legend, fmt.Errorf("errors of %q: %w", c.Name, err)
		}
		p.Add(line, &axes.Scatter{Points: points, GlyphStyle: dotStyle(palette.Qualitative(i), unit)})
	}
	if len(resolutions) == 0 {
		return nil, legend, fmt.Errorf("%s: no error is positive", panel.Label)
	}
	slices.Sort(resolutions)
	resolutions = slices.Compact(resolutions)
	if err := slopes(p, resolutions[0], resolutions[len(resolutions)-1], low, high, unit); err != nil {
		return nil, legend, err
	}
	p.X.Min, p.X.Max = resolutions[0]/1.15, resolutions[len(resolutions)-1]*1.15
	p.Y.Min, p.Y.Max = low/1.6, high*1.6
	p.X.Log, p.Y.Log = true, true
	p.X.Tick.Marker, p.Y.Tick.Marker = valueTicks{resolutions, float64(page.Width)/page.Unit - besideAxis}, decadeTicks{}
	return p, legend, nil
}

// slopes draws dashed lines of orders 1 and 2, starting above the largest error.
func slopes(p *axes.Plot, first, last, low, high, unit float64) error {
	if first == last {
		return nil
	}
	for order := 1; order <= 2; order++ {
		end, y := last, high*1.2*math.Pow(last/first, -float64(order))
		if bottom := low / 1.4; y < bottom { // end where the line leaves the picture
			end, y = first*math.Pow(high*1.2/bottom, 1/float64(order)), bottom
		}
		line, err := axes.NewLine([]axes.XY{{X: first, Y: high * 1.2}, {X: end, Y: y}}, vgdraw.LineStyle{Color: ink,
			Width: vg.Length(1.2 * unit), Dashes: []vg.Length{vg.Length(8 * unit), vg.Length(6 * unit)}})
		if err != nil {
			return err
		}
		p.Add(line, &axes.Text{At: axes.XY{X: end, Y: y}, Text: " " + strconv.Itoa(order),
			Style: figure.Sans(textSize * unit)})
	}
	return nil
}

// valueTicks is a ticker for horizontal logarithmic axes: at given increasing values, without labels where
// these would overlap others.
type valueTicks struct {
	values []float64
	width  float64 // of the axis, layout pixels
}

// Ticks implements axes.Ticker.
func (m valueTicks) Ticks(lo, hi float64) []axes.Tick {
	var list []axes.Tick
	for k, v := range m.values {
		resolution := 1e-2 * v // three digits, or more to tell apart neighbours
		if k > 0 && v > m.values[k-1] {
			resolution = min(resolution, v-m.values[k-1])
		}
		label := words.Resolved(v, resolution)
		if strings.Contains(label, "e+") {
			label = number(v)
		}
		list = append(list, axes.Tick{Value: v, Label: label})
	}
	kept := thinned(list, func(v float64) float64 { return m.width * math.Log(v/lo) / math.Log(hi/lo) })
	for i := range list {
		if !slices.Contains(kept, list[i]) {
			list[i].Label = ""
		}
	}
	return list
}

// decadeTicks puts ticks at powers of ten, labelled; on a short axis, 2 and 5 times these are labelled too.
type decadeTicks struct{}

// Ticks implements axes.Ticker.
func (decadeTicks) Ticks(low, high float64) []axes.Tick {
	var list []axes.Tick
	short := high/low < 100
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1.0; m < 10; m++ {
			value := m * math.Pow(10, e)
			if value < low || value > high {
				continue
			}
			t := axes.Tick{Value: value}
			if m == 1 || short && (m == 2 || m == 5) {
				t.Label = strconv.FormatFloat(value, 'g', 2, 64)
			}
			list = append(list, t)
		}
	}
	return list
}
