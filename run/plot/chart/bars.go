package chart

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Bars compares numbers of several runs, a small panel each: bars with the names of the runs, or points over what they
// differ in.
type Bars struct {
	Page
	Title  string
	Names  []string // of the runs
	Across string   // what X is
	X      []float64
	Log    bool // numbers over X on a logarithmic axis, where they are above 0
	Panels []BarPanel
}

// BarPanel is one number of all runs; NaN where a run has none.
type BarPanel struct {
	Label  string
	Values []float64
}

// Draw draws the panels, as many beside each other as are wide enough to be read. Where there is X they are lines over
// it, on a logarithmic axis.
func (b *Bars) Draw() (*figure.Figure, error) {
	page, err := b.checked()
	if err != nil {
		return nil, err
	}
	if len(b.Panels) == 0 {
		return nil, errors.New("a picture of bars without panels has nothing to draw")
	}
	const panelWidth, barHeight = 380.0, 30.0
	columns := min(len(b.Panels), max(1, int(float64(page.Width)/(panelWidth*page.Unit))))
	rows := (len(b.Panels) + columns - 1) / columns
	plots := make([][]*gonum.Plot, rows)
	for i := range plots {
		plots[i] = make([]*gonum.Plot, columns)
	}
	for i, panel := range b.Panels {
		if len(panel.Values) != len(b.Names) {
			return nil, fmt.Errorf("%s: %d values of %d runs", panel.Label, len(panel.Values), len(b.Names))
		}
		plots[i/columns][i%columns] = b.panel(&panel, page.Unit)
	}
	height := 90 + barHeight*float64(len(b.Names))
	if b.X != nil {
		height = 260
	}
	head := page.titleHeight(b.Title)
	f := page.blank(page.Width, page.px(height*float64(rows)+30+head))
	page.title(f, b.Title)
	f.Do(func(c vgdraw.Canvas) {
		pad := vg.Length(20 * page.Unit)
		tiles := vgdraw.Tiles{Rows: rows, Cols: columns, PadX: 1.5 * pad, PadY: pad, PadBottom: pad, PadLeft: pad,
			PadRight: 2 * pad, PadTop: vg.Length((12 + head) * page.Unit)}
		for i, row := range gonum.Align(plots, tiles, c) {
			for k, at := range row {
				if plots[i][k] != nil {
					plots[i][k].Draw(at)
				}
			}
		}
	})
	return f, nil
}

func (b *Bars) panel(panel *BarPanel, unit float64) *gonum.Plot {
	p := gonum.New()
	style(p, unit)
	p.Title.Text, p.Title.TextStyle = panel.Label, figure.Sans(textSize*unit)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = text.XCenter, text.YTop
	p.Title.Padding = vg.Length(6 * unit)
	p.Add(grid(unit))
	if b.X != nil {
		b.over(p, panel, unit)
		return p
	}
	p.X.Tick.Marker = marker(3)
	low, high, room := 0.0, 0.0, 0.28
	for i, v := range panel.Values {
		if v-v == 0 {
			if len([]rune(number(v))) > 7 {
				room = 0.45
			}
			low, high = min(low, v), max(high, v)
			p.Add(&lying{value: v, at: float64(len(panel.Values) - 1 - i), colour: i, unit: unit})
		}
	}
	if low == high {
		high = 1
	}
	p.X.Min, p.X.Max = low, high+room*(high-low) // there are the numbers
	p.Y.Min, p.Y.Max = -0.6, float64(len(b.Names))-0.4
	p.Y.Tick.Marker = namesOfBars(b.Names)
	p.Y.Tick.Length = 0
	return p
}

// over draws points over X.
func (b *Bars) over(p *gonum.Plot, panel *BarPanel, unit float64) {
	var points plotter.XYs
	low, high, first, last := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i, v := range panel.Values {
		first, last = min(first, b.X[i]), max(last, b.X[i])
		if v-v == 0 {
			points = append(points, plotter.XY{X: b.X[i], Y: v})
			low, high = min(low, v), max(high, v)
		}
	}
	p.X.Label.Text = b.Across
	p.X.Scale, p.X.Tick.Marker = gonum.LogScale{}, places(slices.Sorted(slices.Values(b.X)))
	p.X.Min, p.X.Max = first/1.1, last*1.1
	p.Y.Tick.Marker = marker(4)
	if len(points) == 0 {
		return
	}
	slices.SortFunc(points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	if b.Log && low > 0 {
		p.Y.Scale, p.Y.Tick.Marker = gonum.LogScale{}, logMarker(3)
		p.Y.Min, p.Y.Max = low/1.2, high*1.2
	} else {
		low, high = widen(low, high)
		p.Y.Min, p.Y.Max = low-0.08*(high-low), high+0.08*(high-low)
	}
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil { // of numbers that are not finite, which there are none of
		return
	}
	line.Color, line.Width = palette.Qualitative(0), vg.Length(curveWidth*unit)
	dots.GlyphStyle = vgdraw.GlyphStyle{Color: palette.Qualitative(0), Radius: vg.Length(5 * unit),
		Shape: vgdraw.CircleGlyph{}}
	p.Add(line, dots)
}

// namesOfBars are ticks with the names of runs, the first at the top.
type namesOfBars []string

// Ticks implements gonum's Ticker.
func (n namesOfBars) Ticks(_, _ float64) []gonum.Tick {
	var list []gonum.Tick
	for i, name := range n {
		list = append(list, gonum.Tick{Value: float64(len(n) - 1 - i), Label: name})
	}
	return list
}

// lying is a bar from 0, with its number to the right of both, away from the names.
type lying struct {
	value, at, unit float64
	colour          int
}

// Plot implements gonum's Plotter.
func (b *lying) Plot(c vgdraw.Canvas, p *gonum.Plot) {
	x, y := p.Transforms(&c)
	const half = 0.36
	c.FillPolygon(palette.Qualitative(b.colour), []vg.Point{{X: x(0), Y: y(b.at - half)},
		{X: x(b.value), Y: y(b.at - half)}, {X: x(b.value), Y: y(b.at + half)}, {X: x(0), Y: y(b.at + half)}})
	letters := figure.Sans(0.85 * textSize * b.unit)
	letters.XAlign, letters.YAlign = text.XLeft, text.YCenter
	c.FillText(letters, vg.Point{X: x(max(b.value, 0)) + vg.Length(5*b.unit), Y: y(b.at)}, number(b.value))
}

// number writes whole numbers of up to seven digits as such, and others with four digits.
func number(v float64) string {
	digits := 4
	if v == math.Trunc(v) && math.Abs(v) < 1e7 {
		digits = 7
	}
	return strings.ReplaceAll(strconv.FormatFloat(v, 'g', digits, 64), "-", "−")
}
