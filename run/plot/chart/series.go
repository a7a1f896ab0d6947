package chart

import (
	"cmp"
	"fmt"
	"image/color"
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Series is a picture of quantities over time, in panels one above the other.
type Series struct {
	Page
	Title  string
	T      []float64 // increasing; of the curves that have no times of their own
	Panels []Panel
	Across string // label of the horizontal axis; "t (s)" if empty
	Log    bool   // quantities on logarithmic axes, where values that are not above 0 leave gaps
}

// Panel is one set of axes of a Series.
type Panel struct {
	Label  string // of its vertical axis
	Curves []Curve
}

// Curve is one quantity. Values that are not numbers leave a gap.
type Curve struct {
	Name   string
	Values []float64 // one a time
	T      []float64 // increasing; nil for the times of the series
	Points bool      // draw points, as of what was measured, and no line
}

// Draw draws the series.
func (s *Series) Draw() (*figure.Figure, error) {
	page, err := s.checked()
	if err != nil {
		return nil, err
	}
	if len(s.Panels) == 0 {
		return nil, fmt.Errorf("a series of %d times and %d panels has nothing to draw", len(s.T), len(s.Panels))
	}
	panelHeight := 340.0
	if len(s.Panels) == 1 {
		panelHeight = min(560, max(320, 0.62*float64(page.Width)/page.Unit))
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, panel := range s.Panels {
		panelHeight = max(panelHeight, keyRow*float64(len(panel.Curves)+2))
		for _, c := range panel.Curves {
			if t := s.times(&c); len(t) > 0 {
				lo, hi = min(lo, t[0]), max(hi, t[len(t)-1])
			}
		}
	}
	if lo > hi {
		return nil, fmt.Errorf("a series of %d times and %d panels has nothing to draw", len(s.T), len(s.Panels))
	}
	if w := page.Window; w != nil {
		if w[0][0] > hi || w[0][1] < lo {
			return nil, fmt.Errorf("nothing lies in the window from %g to %g: the curves are from %g to %g", w[0][0], w[0][1],
				lo, hi)
		}
		lo, hi = w[0][0], w[0][1]
	}
	plots, curves := make([]*gonum.Plot, len(s.Panels)), make([][]Curve, len(s.Panels))
	for i, panel := range s.Panels {
		p, err := s.panel(panel, page)
		if err != nil {
			return nil, err
		}
		if p.X.Min, p.X.Max = lo, hi; lo == hi {
			p.X.Min, p.X.Max = widen(lo, hi)
		}
		plots[i], curves[i] = p, panel.Curves
	}
	plots[len(plots)-1].X.Label.Text = cmp.Or(s.Across, "t (s)")
	return stacked(page, s.Title, panelHeight, plots, curves), nil
}

// stacked draws plots one above the other, each of so many pixels of the layout and with the key of its curves.
func stacked(page Page, title string, height float64, plots []*gonum.Plot, curves [][]Curve) *figure.Figure {
	k := &keys{above: float64(page.Width) < narrow*page.Unit, names: keyStyle(page.Unit), page: page}
	column := make([][]*gonum.Plot, len(plots))
	for i, p := range plots {
		column[i] = []*gonum.Plot{p}
		k.fit(curves[i])
	}
	head := page.titleHeight(title)
	f := page.blank(page.Width, page.px((height+k.rows*keyRow)*float64(len(plots))+60+head))
	page.title(f, title)
	f.Do(func(c vgdraw.Canvas) {
		pad, over := vg.Length(20*page.Unit), vg.Length(k.rows*keyRow*page.Unit)
		tiles := vgdraw.Tiles{Rows: len(plots), Cols: 1, PadY: pad + over, PadBottom: pad, PadLeft: pad, PadRight: k.right,
			PadTop: over + vg.Length((12+head)*page.Unit)}
		for i, row := range gonum.Align(column, tiles, c) {
			plots[i].Draw(row[0])
			k.draw(row[0], plots[i].DataCanvas(row[0]).Rectangle, curves[i])
		}
	})
	return f
}

func (s *Series) times(c *Curve) []float64 {
	if c.T != nil {
		return c.T
	}
	return s.T
}

func (s *Series) panel(panel Panel, page Page) (*gonum.Plot, error) {
	p := gonum.New()
	style(p, page.Unit)
	p.X.Tick.Marker = marker(max(3, min(8, page.Width/page.px(140))))
	p.Y.Label.Text = panel.Label
	p.Add(grid(page.Unit))
	for _, points := range []bool{true, false} { // lines over points, which may be many
		for i := range panel.Curves {
			c := &panel.Curves[i]
			if n := len(s.times(c)); len(c.Values) != n {
				return nil, fmt.Errorf("the curve %q has %d values for %d times", c.Name, len(c.Values), n)
			}
			if c.Points == points {
				if err := c.draw(p, s, palette.Qualitative(i), page.Unit); err != nil {
					return nil, fmt.Errorf("the curve %q: %w", c.Name, err)
				}
			}
		}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range panel.Curves {
		c := &panel.Curves[i]
		for _, part := range unbroken(s.times(c), c.Values, s.Log) {
			for _, xy := range part {
				if w := page.Window; w != nil && (xy.X < w[0][0] || xy.X > w[0][1]) {
					continue
				}
				lo, hi = math.Min(lo, xy.Y), math.Max(hi, xy.Y)
			}
		}
	}
	switch {
	case s.Log && lo > hi:
		return nil, fmt.Errorf("%s: %w", panel.Label, ErrNoLogarithm)
	case s.Log:
		p.Y.Min, p.Y.Max = lo/1.2, hi*1.2
		p.Y.Scale, p.Y.Tick.Marker = gonum.LogScale{}, logMarker(6)
		return p, nil
	case lo > hi:
		lo, hi = 0, 0
	}
	p.Y.Min, p.Y.Max = widen(lo, hi)
	// Curves keep clear of the border.
	room := p.Y.Max - p.Y.Min
	p.Y.Min, p.Y.Max = p.Y.Min-0.05*room, p.Y.Max+0.05*room
	return p, nil
}

// draw adds a curve to a plot, as parts without gaps. One of a single value would not be seen as a line.
func (c *Curve) draw(p *gonum.Plot, s *Series, colour color.RGBA, unit float64) error {
	for _, part := range unbroken(s.times(c), c.Values, s.Log) {
		if c.Points || len(part) == 1 {
			points, err := plotter.NewScatter(part)
			if err != nil {
				return err
			}
			points.GlyphStyle = dots(colour, unit)
			p.Add(points)
			continue
		}
		line, err := plotter.NewLine(part)
		if err != nil {
			return err
		}
		line.Color, line.Width = colour, vg.Length(curveWidth*unit)
		p.Add(line)
	}
	return nil
}

func dots(colour color.RGBA, unit float64) vgdraw.GlyphStyle {
	return vgdraw.GlyphStyle{Color: colour, Radius: vg.Length(3 * unit), Shape: vgdraw.CircleGlyph{}}
}

// unbroken splits a curve where it has no value, or none above 0 where only those count.
func unbroken(t, values []float64, above bool) []plotter.XYs {
	var parts []plotter.XYs
	open := false
	for i, v := range values {
		if v-v != 0 || above && v <= 0 {
			open = false
			continue
		}
		if !open {
			parts = append(parts, nil)
			open = true
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], plotter.XY{X: t[i], Y: v})
	}
	return parts
}
