package chart

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"time"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/atoll-hpc/atoll/run/plot/axes"
	"github.com/atoll-hpc/atoll/run/plot/calendar"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Series plots quantities over time, in panels below each other.
type Series struct {
	Page
	Title  string
	T      []float64 // increasing times of the curves without their own times
	Panels []Panel
	XLabel string    // label of the horizontal axis; "t (s)", or that of dates, if empty
	Epoch  time.Time // date of the time 0, which makes times in s dates; zero for none
	Log    bool      // logarithmic vertical axes; values that are not positive are gaps
}

// Panel is one set of axes of a Series.
type Panel struct {
	Label  string // label of the vertical axis
	Curves []Curve
}

// Curve is one quantity. Values that are not finite are gaps.
type Curve struct {
	Name   string
	Values []float64 // one per time
	T      []float64 // increasing; nil for the times of the series
	Points bool      // draw points instead of a line, as for measurements
}

// Draw draws the plot.
func (s *Series) Draw() (*figure.Figure, error) {
	page, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(s.Panels) == 0 {
		return nil, fmt.Errorf("nothing to draw: the series has %d times and %d panels", len(s.T), len(s.Panels))
	}
	panelHeight := 340.0
	if len(s.Panels) == 1 {
		panelHeight = min(560, max(320, 0.62*float64(page.Width)/page.Unit))
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, panel := range s.Panels {
		panelHeight = max(panelHeight, legendRow*float64(len(panel.Curves)+2))
		for _, c := range panel.Curves {
			if t := s.times(&c); len(t) > 0 {
				lo, hi = min(lo, t[0]), max(hi, t[len(t)-1])
			}
		}
	}
	if lo > hi {
		return nil, fmt.Errorf("nothing to draw: the series has %d times and %d panels", len(s.T), len(s.Panels))
	}
	if w := page.Window; w != nil {
		if w[0][0] > hi || w[0][1] < lo {
			return nil, fmt.Errorf("the window from %g to %g is outside the curves, which are from %g to %g", w[0][0], w[0][1],
				lo, hi)
		}
		lo, hi = w[0][0], w[0][1]
	}
	plots, curves := make([]*axes.Plot, len(s.Panels)), make([][]Curve, len(s.Panels))
	for i, panel := range s.Panels {
		p, err := s.panel(panel, page)
		if err != nil {
			return nil, err
		}
		if p.X.Min, p.X.Max = lo, hi; lo == hi {
			p.X.Min, p.X.Max = widenRange(lo, hi)
		}
		plots[i], curves[i] = p, panel.Curves
	}
	label := "t (s)"
	if s.dated() {
		label = "UTC, from " + calendar.Text(s.Epoch, lo) + " on"
	}
	plots[len(plots)-1].X.Label.Text = cmp.Or(s.XLabel, label)
	return stackPlots(page, s.Title, panelHeight, plots, curves), nil
}

// stackPlots draws plots below each other, each with the legend of its curves. height is that of one plot in layout
// pixels.
func stackPlots(page Page, title string, height float64, plots []*axes.Plot, curves [][]Curve) *figure.Figure {
	legends := &curveLegends{above: float64(page.Width) < narrowWidth*page.Unit, names: legendStyle(page.Unit), page: page}
	column := make([][]*axes.Plot, len(plots))
	for i, p := range plots {
		column[i] = []*axes.Plot{p}
		legends.reserve(curves[i])
	}
	titleHeight := page.titleHeight(title)
	f := page.newFigure(page.Width, page.px((height+legends.rows*legendRow)*float64(len(plots))+60+titleHeight))
	page.title(f, title)
	f.DrawOn(func(c vgdraw.Canvas) {
		pad, legendHeight := vg.Length(20*page.Unit), vg.Length(legends.rows*legendRow*page.Unit)
		tiles := vgdraw.Tiles{Rows: len(plots), Cols: 1, PadY: pad + legendHeight, PadBottom: pad, PadLeft: pad,
			PadRight: legends.right,
			PadTop:   legendHeight + vg.Length((12+titleHeight)*page.Unit)}
		for i, row := range axes.Align(column, tiles, c) {
			plots[i].Draw(row[0])
			legends.draw(row[0], plots[i].DataCanvas(row[0]).Rectangle, curves[i])
		}
	})
	return f
}

// dated reports whether the horizontal axis has dates.
func (s *Series) dated() bool { return !s.Epoch.IsZero() && s.XLabel == "" }

func (s *Series) times(c *Curve) []float64 {
	if c.T != nil {
		return c.T
	}
	return s.T
}

func (s *Series) panel(panel Panel, page Page) (*axes.Plot, error) {
	p := axes.New()
	style(p, page.Unit)
	n, width := max(3, min(8, page.Width/page.px(140))), float64(page.Width)/page.Unit-besideAxis
	p.X.Tick.Marker = fittedTicks{n, width}
	if s.dated() {
		p.X.Tick.Marker = dateTicks{s.Epoch, n, width}
	}
	p.Y.Label.Text = panel.Label
	p.Add(grid(page.Unit))
	for _, points := range []bool{true, false} { // points first, so that they do not hide lines
		for i := range panel.Curves {
			c := &panel.Curves[i]
			if n := len(s.times(c)); len(c.Values) != n {
				return nil, fmt.Errorf("curve %q has %d values for %d times", c.Name, len(c.Values), n)
			}
			if c.Points == points {
				if err := c.draw(p, s, palette.Qualitative(i), page.Unit); err != nil {
					return nil, fmt.Errorf("curve %q: %w", c.Name, err)
				}
			}
		}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range panel.Curves {
		c := &panel.Curves[i]
		for _, part := range splitAtGaps(s.times(c), c.Values, s.Log) {
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
		p.Y.Log, p.Y.Tick.Marker = true, logarithmicTicks(6)
		return p, nil
	case lo > hi:
		lo, hi = 0, 0
	}
	p.Y.Min, p.Y.Max = widenRange(lo, hi)
	// Leave a margin between curves and border.
	span := p.Y.Max - p.Y.Min
	p.Y.Min, p.Y.Max = p.Y.Min-0.05*span, p.Y.Max+0.05*span
	return p, nil
}

// draw adds a curve to a plot, split at gaps. A part of a single value is drawn as a point.
func (c *Curve) draw(p *axes.Plot, s *Series, colour color.RGBA, unit float64) error {
	for _, part := range splitAtGaps(s.times(c), c.Values, s.Log) {
		if c.Points || len(part) == 1 {
			points, err := axes.NewScatter(part, pointStyle(colour, unit))
			if err != nil {
				return err
			}
			p.Add(points)
			continue
		}
		line, err := axes.NewLine(part, lineStyle(colour, unit))
		if err != nil {
			return err
		}
		p.Add(line)
	}
	return nil
}

func lineStyle(colour color.RGBA, unit float64) vgdraw.LineStyle {
	return vgdraw.LineStyle{Color: colour, Width: vg.Length(curveWidth * unit)}
}

func pointStyle(colour color.RGBA, unit float64) vgdraw.GlyphStyle {
	return vgdraw.GlyphStyle{Color: colour, Radius: vg.Length(3 * unit), Shape: vgdraw.CircleGlyph{}}
}

// dotStyle is that of points on lines.
func dotStyle(colour color.RGBA, unit float64) vgdraw.GlyphStyle {
	return vgdraw.GlyphStyle{Color: colour, Radius: vg.Length(5 * unit), Shape: vgdraw.CircleGlyph{}}
}

// splitAtGaps splits a curve at values that are not finite and, if positive is set, at those that are not positive.
func splitAtGaps(t, values []float64, positive bool) [][]axes.XY {
	var parts [][]axes.XY
	inPart := false
	for i, v := range values {
		if !IsFinite(v) || positive && v <= 0 {
			inPart = false
			continue
		}
		if !inPart {
			parts = append(parts, nil)
			inPart = true
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], axes.XY{X: t[i], Y: v})
	}
	return parts
}
