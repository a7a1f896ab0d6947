package plot

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"

	gonum "gonum.org/v1/plot"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Series is a picture of quantities over time, in panels one above the other.
type Series struct {
	Title  string
	T      []float64 // increasing
	Panels []Panel
	Across string // label of the horizontal axis; "t (s)" if empty
	Width  int    // of the picture in pixels, 0 for 1200
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
}

// Draw draws the series.
func (s *Series) Draw() (image.Image, error) {
	width := s.Width
	if width == 0 {
		width = defaultWidth
	}
	if width < minWidth || width > maxWidth {
		return nil, fmt.Errorf("a width of %d pixels: it must be from %d to %d", width, minWidth, maxWidth)
	}
	if len(s.T) == 0 || len(s.Panels) == 0 {
		return nil, fmt.Errorf("a series of %d times and %d panels has nothing to draw", len(s.T), len(s.Panels))
	}
	unit := float64(width) / defaultWidth
	panelHeight := 340.0
	if len(s.Panels) == 1 {
		panelHeight = 560
	}
	for _, panel := range s.Panels {
		panelHeight = max(panelHeight, keyRow*float64(len(panel.Curves)+2))
	}
	height := math.Round(unit * (panelHeight*float64(len(s.Panels)) + 90))
	// With 72 dots an inch, a point is a pixel.
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(width), vg.Length(height)), vgimg.UseDPI(72))
	plots := make([][]*gonum.Plot, len(s.Panels))
	for i, panel := range s.Panels {
		p, err := s.panel(panel, unit)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			p.Title.Text = s.Title
		}
		if i == len(s.Panels)-1 {
			p.X.Label.Text = cmp.Or(s.Across, "t (s)")
		}
		plots[i] = []*gonum.Plot{p}
	}
	pad := vg.Length(20 * unit)
	names := keyStyle(unit)
	widest := vg.Length(0)
	for _, panel := range s.Panels {
		for _, c := range panel.Curves {
			widest = max(widest, names.Width(c.Name))
		}
	}
	widest = min(widest, vg.Length(0.4*float64(width))) // longer names are cut off at the rim of the picture
	tiles := vgdraw.Tiles{Rows: len(plots), Cols: 1, PadY: pad, PadTop: pad, PadBottom: pad, PadLeft: pad,
		PadRight: vg.Length(keyLine*unit) + widest + 3*pad}
	for i, row := range gonum.Align(plots, tiles, vgdraw.New(canvas)) {
		plots[i][0].Draw(row[0])
		s.Panels[i].key(row[0], plots[i][0].DataCanvas(row[0]).Rectangle, names, unit)
	}
	return canvas.Image(), nil
}

func (s *Series) panel(panel Panel, unit float64) (*gonum.Plot, error) {
	p := gonum.New()
	style(p, unit)
	p.Y.Label.Text = panel.Label
	p.Add(grid())
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, c := range panel.Curves {
		if len(c.Values) != len(s.T) {
			return nil, fmt.Errorf("the curve %q has %d values for %d times", c.Name, len(c.Values), len(s.T))
		}
		for _, part := range unbroken(s.T, c.Values) {
			line, err := plotter.NewLine(part)
			if err != nil {
				return nil, fmt.Errorf("the curve %q: %w", c.Name, err)
			}
			line.Color = Qualitative(i)
			line.Width = vg.Length(curveWidth * unit)
			p.Add(line)
			if len(part) == 1 { // a line of one point would not be seen
				point, err := plotter.NewScatter(part)
				if err != nil {
					return nil, fmt.Errorf("the curve %q: %w", c.Name, err)
				}
				point.GlyphStyle = vgdraw.GlyphStyle{Color: Qualitative(i), Radius: vg.Length(4 * unit),
					Shape: vgdraw.CircleGlyph{}}
				p.Add(point)
			}
			for _, xy := range part {
				lo, hi = math.Min(lo, xy.Y), math.Max(hi, xy.Y)
			}
		}
	}
	if lo > hi {
		lo, hi = 0, 0
	}
	p.Y.Min, p.Y.Max = widen(lo, hi)
	// Curves keep clear of the border.
	room := p.Y.Max - p.Y.Min
	p.Y.Min, p.Y.Max = p.Y.Min-0.05*room, p.Y.Max+0.05*room
	p.X.Min, p.X.Max = s.T[0], s.T[len(s.T)-1]
	if p.X.Min == p.X.Max {
		p.X.Min, p.X.Max = widen(p.X.Min, p.X.Max)
	}
	return p, nil
}

const (
	keyLine = 34.0 // length of the line beside a name, in pixels of the layout
	keyRow  = 30.0

	curveWidth = 2.2
)

func keyStyle(unit float64) text.Style {
	s := sans(textSize, unit)
	s.YAlign = text.YCenter
	return s
}

// key names the curves right of the panel, where they hide none of it.
func (panel *Panel) key(c vgdraw.Canvas, data vg.Rectangle, names text.Style, unit float64) {
	x, y := data.Max.X+vg.Length(20*unit), data.Max.Y-vg.Length(keyRow/2*unit)
	end := x + vg.Length(keyLine*unit)
	for i, curve := range panel.Curves {
		style := vgdraw.LineStyle{Color: Qualitative(i), Width: vg.Length(curveWidth * unit)}
		c.StrokeLine2(style, x, y, end, y)
		c.FillText(names, vg.Point{X: end + vg.Length(10*unit), Y: y}, curve.Name)
		y -= vg.Length(keyRow * unit)
	}
}

// unbroken splits a curve where it has no value.
func unbroken(t, values []float64) []plotter.XYs {
	var parts []plotter.XYs
	open := false
	for i, v := range values {
		if v-v != 0 {
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

// sans is the font of the maps.
func sans(size, unit float64) text.Style {
	return text.Style{
		Color:   ink,
		Font:    plotfont.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size * unit)},
		Handler: text.Plain{Fonts: plotfont.DefaultCache},
	}
}

// style gives a plot the look of the maps.
func style(p *gonum.Plot, unit float64) {
	p.Title.TextStyle = sans(titleSize, unit)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = text.XCenter, text.YTop
	p.Title.Padding = vg.Length(14 * unit)
	for _, axis := range []*gonum.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle = sans(textSize, unit)
		axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign = text.XCenter, text.YBottom
		axis.Label.Padding = vg.Length(8 * unit)
		align := axis.Tick.Label
		axis.Tick.Label = sans(textSize, unit)
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
