package chart

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Convergence is a picture of errors over resolution, both on logarithmic axes, in panels one above the other. Dashed
// lines fall with orders 1 and 2.
type Convergence struct {
	Page
	Title  string
	Across string // label of the horizontal axis
	Panels []Falling
}

// Falling is one set of axes of a Convergence.
type Falling struct {
	Label  string // of its vertical axis
	Curves []Points
}

// Points are the errors of one kind of runs. Those that are not above 0 are left out.
type Points struct {
	Name string
	X, Y []float64 // resolution, which grows, and error
}

// Draw draws the errors.
func (c *Convergence) Draw() (*figure.Figure, error) {
	page, err := c.checked()
	if err != nil {
		return nil, err
	}
	if len(c.Panels) == 0 {
		return nil, errors.New("a picture of convergence without panels has nothing to draw")
	}
	plots, curves := make([]*gonum.Plot, len(c.Panels)), make([][]Curve, len(c.Panels))
	for i := range c.Panels {
		if plots[i], curves[i], err = c.Panels[i].axes(page.Unit); err != nil {
			return nil, err
		}
	}
	plots[len(plots)-1].X.Label.Text = c.Across
	return stacked(page, c.Title, 560, plots, curves), nil
}

// axes makes the plot of a panel, and the names of its curves.
func (f *Falling) axes(unit float64) (*gonum.Plot, []Curve, error) {
	p := gonum.New()
	style(p, unit)
	p.Y.Label.Text = f.Label
	p.Add(grid(unit))
	var at []float64 // where errors are
	low, high := math.Inf(1), math.Inf(-1)
	var key []Curve
	for i, c := range f.Curves {
		var points plotter.XYs
		for k, y := range c.Y {
			if y > 0 && c.X[k] > 0 {
				points = append(points, plotter.XY{X: c.X[k], Y: y})
				at = append(at, c.X[k])
				low, high = min(low, y), max(high, y)
			}
		}
		if len(f.Curves) > 1 {
			key = append(key, Curve{Name: c.Name})
		}
		if len(points) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, key, fmt.Errorf("the errors of %q: %w", c.Name, err)
		}
		line.Color, line.Width = palette.Qualitative(i), vg.Length(curveWidth*unit)
		dots.GlyphStyle = vgdraw.GlyphStyle{Color: palette.Qualitative(i), Radius: vg.Length(5 * unit),
			Shape: vgdraw.CircleGlyph{}}
		p.Add(line, dots)
	}
	if len(at) == 0 {
		return nil, key, fmt.Errorf("%s: no error is above 0", f.Label)
	}
	slices.Sort(at)
	at = slices.Compact(at)
	if err := slopes(p, at[0], at[len(at)-1], low, high, unit); err != nil {
		return nil, key, err
	}
	p.X.Min, p.X.Max = at[0]/1.15, at[len(at)-1]*1.15
	p.Y.Min, p.Y.Max = low/1.6, high*1.6
	p.X.Scale, p.Y.Scale = gonum.LogScale{}, gonum.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = places(at), decades{}
	return p, key, nil
}

// slopes draws the dashed lines of orders 1 and 2, from above the largest error on.
func slopes(p *gonum.Plot, first, last, low, high, unit float64) error {
	if first == last {
		return nil
	}
	for order := 1; order <= 2; order++ {
		end, y := last, high*1.2*math.Pow(last/first, -float64(order))
		if bottom := low / 1.4; y < bottom { // it leaves the picture earlier
			end, y = first*math.Pow(high*1.2/bottom, 1/float64(order)), bottom
		}
		line, err := plotter.NewLine(plotter.XYs{{X: first, Y: high * 1.2}, {X: end, Y: y}})
		if err != nil {
			return err
		}
		line.Color, line.Width = ink, vg.Length(1.2*unit)
		line.Dashes = []vg.Length{vg.Length(8 * unit), vg.Length(6 * unit)}
		labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: end, Y: y}},
			Labels: []string{" " + strconv.Itoa(order)}})
		if err != nil {
			return err
		}
		labels.TextStyle[0] = figure.Sans(textSize * unit)
		p.Add(line, labels)
	}
	return nil
}

// places marks an axis where there are values, with three digits.
type places []float64

// Ticks implements gonum's Ticker.
func (m places) Ticks(_, _ float64) []gonum.Tick {
	var list []gonum.Tick
	last := 0.0
	for _, at := range m {
		t := gonum.Tick{Value: at}
		if at > 1.12*last { // labels that are nearer would meet
			if t.Label, last = strconv.FormatFloat(at, 'g', 3, 64), at; strings.Contains(t.Label, "e+") {
				t.Label = number(at)
			}
		}
		list = append(list, t)
	}
	return list
}

// decades marks powers of ten, and of a short axis twice and five times these too.
type decades struct{}

// Ticks implements gonum's Ticker.
func (decades) Ticks(low, high float64) []gonum.Tick {
	var list []gonum.Tick
	short := high/low < 100
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1.0; m < 10; m++ {
			at := m * math.Pow(10, e)
			if at < low || at > high {
				continue
			}
			t := gonum.Tick{Value: at}
			if m == 1 || short && (m == 2 || m == 5) {
				t.Label = strconv.FormatFloat(at, 'g', 2, 64)
			}
			list = append(list, t)
		}
	}
	return list
}
