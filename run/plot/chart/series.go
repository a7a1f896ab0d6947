package chart

import (
	"cmp"
	"fmt"
	"image/color"
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
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
	plots := make([][]*gonum.Plot, len(s.Panels))
	names := keyStyle(page.Unit)
	room := vg.Length(0)
	for i, panel := range s.Panels {
		p, err := s.panel(panel, page)
		if err != nil {
			return nil, err
		}
		if p.X.Min, p.X.Max = lo, hi; lo == hi {
			p.X.Min, p.X.Max = widen(lo, hi)
		}
		if i == 0 {
			p.Title.Text, _ = fitted(s.Title, titleSize*page.Unit, float64(page.Width))
		}
		if i == len(s.Panels)-1 {
			p.X.Label.Text = cmp.Or(s.Across, "t (s)")
		}
		plots[i] = []*gonum.Plot{p}
		room = max(room, panel.keyRoom(names, page))
	}
	pad := vg.Length(20 * page.Unit)
	f := page.blank(page.Width, page.px(panelHeight*float64(len(s.Panels))+90))
	f.Do(func(c vgdraw.Canvas) {
		tiles := vgdraw.Tiles{Rows: len(plots), Cols: 1, PadY: pad, PadTop: pad, PadBottom: pad, PadLeft: pad,
			PadRight: room}
		for i, row := range gonum.Align(plots, tiles, c) {
			plots[i][0].Draw(row[0])
			s.Panels[i].key(row[0], plots[i][0].DataCanvas(row[0]).Rectangle, names, page.Unit)
		}
	})
	return f, nil
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
	p.Add(grid())
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range panel.Curves {
		c := &panel.Curves[i]
		t := s.times(c)
		if len(c.Values) != len(t) {
			return nil, fmt.Errorf("the curve %q has %d values for %d times", c.Name, len(c.Values), len(t))
		}
		for _, part := range unbroken(t, c.Values, s.Log) {
			if err := c.draw(p, part, palette.Qualitative(i), page.Unit); err != nil {
				return nil, fmt.Errorf("the curve %q: %w", c.Name, err)
			}
			for _, xy := range part {
				lo, hi = math.Min(lo, xy.Y), math.Max(hi, xy.Y)
			}
		}
	}
	switch {
	case s.Log && lo > hi:
		return nil, fmt.Errorf("%s: no value is above 0, and only those have logarithms", panel.Label)
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

// draw adds a part without gaps to a plot. One of a single value would not be seen as a line.
func (c *Curve) draw(p *gonum.Plot, part plotter.XYs, colour color.RGBA, unit float64) error {
	if c.Points || len(part) == 1 {
		points, err := plotter.NewScatter(part)
		if err != nil {
			return err
		}
		points.GlyphStyle = dots(colour, unit)
		p.Add(points)
		return nil
	}
	line, err := plotter.NewLine(part)
	if err != nil {
		return err
	}
	line.Color, line.Width = colour, vg.Length(curveWidth*unit)
	p.Add(line)
	return nil
}

func dots(colour color.RGBA, unit float64) vgdraw.GlyphStyle {
	return vgdraw.GlyphStyle{Color: colour, Radius: vg.Length(3 * unit), Shape: vgdraw.CircleGlyph{}}
}

const (
	keyLine = 34.0 // length of the line beside a name, in pixels of the layout
	keyRow  = 30.0

	curveWidth = 2.2
)

func keyStyle(unit float64) text.Style {
	s := figure.Sans(textSize * unit)
	s.YAlign = text.YCenter
	return s
}

// named tells whether the curves need a key: one alone is what the axis says, unless it has another name.
func (panel *Panel) named() bool {
	return len(panel.Curves) > 1 || len(panel.Curves) == 1 && panel.Curves[0].Name != ""
}

// keyRoom is the room that the key needs right of the panel.
func (panel *Panel) keyRoom(names text.Style, page Page) vg.Length {
	pad := vg.Length(20 * page.Unit)
	if !panel.named() {
		return 2 * pad
	}
	widest := vg.Length(0)
	for _, c := range panel.Curves {
		widest = max(widest, names.Width(c.Name))
	}
	// Longer names are cut off.
	return vg.Length(keyLine*page.Unit) + min(widest, vg.Length(0.4*float64(page.Width))) + 3*pad
}

// key names the curves right of the panel, where they hide none of it.
func (panel *Panel) key(c vgdraw.Canvas, data vg.Rectangle, names text.Style, unit float64) {
	if !panel.named() {
		return
	}
	x, y := data.Max.X+vg.Length(20*unit), data.Max.Y-vg.Length(keyRow/2*unit)
	end := x + vg.Length(keyLine*unit)
	for i, curve := range panel.Curves {
		colour := palette.Qualitative(i)
		if curve.Points {
			c.DrawGlyph(dots(colour, unit), vg.Point{X: (x + end) / 2, Y: y})
		} else {
			c.StrokeLine2(vgdraw.LineStyle{Color: colour, Width: vg.Length(curveWidth * unit)}, x, y, end, y)
		}
		c.FillText(names, vg.Point{X: end + vg.Length(10*unit), Y: y}, curve.Name)
		y -= vg.Length(keyRow * unit)
	}
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

// style gives a plot the look of the maps.
func style(p *gonum.Plot, unit float64) {
	p.Title.TextStyle = figure.Sans(titleSize * unit)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = text.XCenter, text.YTop
	p.Title.Padding = vg.Length(14 * unit)
	for _, axis := range []*gonum.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle = figure.Sans(textSize * unit)
		axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign = text.XCenter, text.YBottom
		axis.Label.Padding = vg.Length(8 * unit)
		align := axis.Tick.Label
		axis.Tick.Label = figure.Sans(textSize * unit)
		axis.Tick.Label.XAlign, axis.Tick.Label.YAlign = align.XAlign, align.YAlign
		axis.Tick.Marker = marker(8)
		axis.Tick.Length = vg.Length(tickLength * unit)
		axis.LineStyle.Width, axis.Tick.LineStyle.Width = vg.Length(1.5*unit), vg.Length(1.5*unit)
		axis.LineStyle.Color, axis.Tick.LineStyle.Color = ink, ink
		axis.Padding = 0
	}
	p.Y.Tick.Marker = marker(6)
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = color.Gray{205}, color.Gray{205}
	return g
}

// marker places about so many ticks.
type marker int

// Ticks implements gonum's Ticker with the ticks of the maps.
func (m marker) Ticks(lo, hi float64) []gonum.Tick {
	var list []gonum.Tick
	for _, t := range ticks(lo, hi, int(m)) {
		list = append(list, gonum.Tick{Value: t.at, Label: t.label})
	}
	return list
}

// logMarker places about so many ticks on a logarithmic axis.
type logMarker int

// Ticks implements gonum's Ticker.
func (m logMarker) Ticks(lo, hi float64) []gonum.Tick {
	var list []gonum.Tick
	for _, t := range logTicks(lo, hi, int(m)) {
		list = append(list, gonum.Tick{Value: t.at, Label: t.label})
	}
	return list
}
