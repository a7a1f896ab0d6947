package plot

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Convergence is a picture of errors over resolution, both on logarithmic axes, in panels one above the other. Dashed
// lines fall with orders 1 and 2.
type Convergence struct {
	Title  string
	Across string // label of the horizontal axis
	Panels []Falling
	Width  int // of the picture in pixels, 0 for 1200
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
func (c *Convergence) Draw() (image.Image, error) {
	width := c.Width
	if width == 0 {
		width = defaultWidth
	}
	if width < minWidth || width > maxWidth {
		return nil, fmt.Errorf("a width of %d pixels: it must be from %d to %d", width, minWidth, maxWidth)
	}
	unit := float64(width) / defaultWidth
	height := math.Round(unit * (560*float64(len(c.Panels)) + 90))
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(width), vg.Length(height)), vgimg.UseDPI(72))
	plots, keys := make([][]*gonum.Plot, len(c.Panels)), make([]Panel, len(c.Panels))
	names, widest := keyStyle(unit), vg.Length(0)
	for i := range c.Panels {
		p, key, err := c.Panels[i].axes(unit)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			p.Title.Text = c.Title
		}
		if i == len(c.Panels)-1 {
			p.X.Label.Text = c.Across
		}
		plots[i], keys[i] = []*gonum.Plot{p}, key
		for _, curve := range key.Curves {
			widest = max(widest, names.Width(curve.Name))
		}
	}
	pad := vg.Length(20 * unit)
	right := 2 * pad
	if widest > 0 {
		right = vg.Length(keyLine*unit) + min(widest, vg.Length(0.4*float64(width))) + 3*pad
	}
	tiles := vgdraw.Tiles{Rows: len(plots), Cols: 1, PadY: pad, PadTop: pad, PadBottom: pad, PadLeft: pad, PadRight: right}
	for i, row := range gonum.Align(plots, tiles, vgdraw.New(canvas)) {
		plots[i][0].Draw(row[0])
		keys[i].key(row[0], plots[i][0].DataCanvas(row[0]).Rectangle, names, unit)
	}
	return canvas.Image(), nil
}

// axes makes the plot of a panel, and the names of its curves.
func (f *Falling) axes(unit float64) (*gonum.Plot, Panel, error) {
	p := gonum.New()
	style(p, unit)
	p.Y.Label.Text = f.Label
	p.Add(grid())
	var at []float64 // where errors are
	low, high := math.Inf(1), math.Inf(-1)
	var key Panel
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
			key.Curves = append(key.Curves, Curve{Name: c.Name})
		}
		if len(points) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, key, fmt.Errorf("the errors of %q: %w", c.Name, err)
		}
		line.Color, line.Width = Qualitative(i), vg.Length(curveWidth*unit)
		dots.GlyphStyle = vgdraw.GlyphStyle{Color: Qualitative(i), Radius: vg.Length(5 * unit),
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
		labels.TextStyle[0] = sans(textSize, unit)
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
			t.Label, last = strconv.FormatFloat(at, 'g', 3, 64), at
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
