package chart

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/atoll-hpc/atoll/run/plot/axes"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Bars compares numbers of several runs, with a small panel for each number: horizontal bars labelled with the runs,
// or, if X is set, points over X.
type Bars struct {
	Page
	Title  string
	Names  []string // names of the runs
	XLabel string   // label of X
	X      []float64
	Log    bool // logarithmic axis for numbers over X, if they are positive
	Panels []BarPanel
}

// BarPanel is one number for all runs; NaN if a run does not have it.
type BarPanel struct {
	Label  string
	Values []float64
}

const panelWidth = 380.0 // layout pixels

// Draw draws the panels in as many columns as fit. Points over X are joined by lines, and X has a logarithmic axis.
func (b *Bars) Draw() (*figure.Figure, error) {
	page, err := b.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(b.Panels) == 0 {
		return nil, errors.New("nothing to draw: there are no panels")
	}
	const barHeight = 30.0 // layout pixels
	columns := min(len(b.Panels), max(1, int(float64(page.Width)/(panelWidth*page.Unit))))
	rows := (len(b.Panels) + columns - 1) / columns
	plots := make([][]*axes.Plot, rows)
	for i := range plots {
		plots[i] = make([]*axes.Plot, columns)
	}
	for i, panel := range b.Panels {
		if len(panel.Values) != len(b.Names) {
			return nil, fmt.Errorf("panel %s has %d values, want %d, the number of runs", panel.Label, len(panel.Values),
				len(b.Names))
		}
		plots[i/columns][i%columns] = b.panel(&panel, page.Unit)
	}
	height := 90 + barHeight*float64(len(b.Names))
	if b.X != nil {
		height = 260
	}
	head := page.titleHeight(b.Title)
	f := page.newFigure(page.Width, page.px(height*float64(rows)+30+head))
	page.title(f, b.Title)
	f.DrawOn(func(c vgdraw.Canvas) {
		pad := vg.Length(20 * page.Unit)
		tiles := vgdraw.Tiles{Rows: rows, Cols: columns, PadX: 1.5 * pad, PadY: pad, PadBottom: pad, PadLeft: pad,
			PadRight: 2 * pad, PadTop: vg.Length((12 + head) * page.Unit)}
		for i, row := range axes.Align(plots, tiles, c) {
			for k, canvas := range row {
				if plots[i][k] != nil {
					plots[i][k].Draw(canvas)
				}
			}
		}
	})
	return f, nil
}

func (b *Bars) panel(panel *BarPanel, unit float64) *axes.Plot {
	p := axes.New()
	style(p, unit)
	label, size := fitText(panel.Label, textSize, panelWidth-labelGap)
	p.Title.Text, p.Title.TextStyle = label, figure.Sans(size*unit)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = text.XCenter, text.YTop
	p.Title.Padding = vg.Length(6 * unit)
	p.Add(grid(unit))
	if b.X != nil {
		b.drawOverX(p, panel, unit)
		return p
	}
	widest := 0.0
	for _, name := range b.Names {
		widest = max(widest, figure.Measure(name, textSize))
	}
	p.X.Tick.Marker = fittedTicks{3, max(panelWidth/4, panelWidth-100-widest)}
	low, high, margin := 0.0, 0.0, 0.28 // margin for the numbers, as a share of the axis
	for i, v := range panel.Values {
		if IsFinite(v) {
			if len([]rune(number(v))) > 7 {
				margin = 0.45
			}
			low, high = min(low, v), max(high, v)
			p.Add(&horizontalBar{value: v, position: float64(len(panel.Values) - 1 - i), colour: i, unit: unit})
		}
	}
	if low == high {
		high = 1
	}
	p.X.Min, p.X.Max = low, high+margin*(high-low)
	p.Y.Min, p.Y.Max = -0.6, float64(len(b.Names))-0.4
	p.Y.Tick.Marker = nameTicks(b.Names)
	p.Y.Tick.Length = 0
	return p
}

// drawOverX draws points over X.
func (b *Bars) drawOverX(p *axes.Plot, panel *BarPanel, unit float64) {
	var points []axes.XY
	low, high, first, last := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i, v := range panel.Values {
		first, last = min(first, b.X[i]), max(last, b.X[i])
		if IsFinite(v) {
			points = append(points, axes.XY{X: b.X[i], Y: v})
			low, high = min(low, v), max(high, v)
		}
	}
	p.X.Label.Text = b.XLabel
	p.X.Log, p.X.Tick.Marker = true, valueTicks{slices.Sorted(slices.Values(b.X)), panelWidth - 160}
	p.X.Min, p.X.Max = first/1.1, last*1.1
	p.Y.Tick.Marker = linearTicks(4)
	if len(points) == 0 {
		return
	}
	slices.SortFunc(points, func(a, b axes.XY) int { return cmp.Compare(a.X, b.X) })
	if b.Log && low > 0 {
		p.Y.Log, p.Y.Tick.Marker = true, logarithmicTicks(3)
		p.Y.Min, p.Y.Max = low/1.2, high*1.2
	} else {
		low, high = widenRange(low, high)
		p.Y.Min, p.Y.Max = low-0.08*(high-low), high+0.08*(high-low)
	}
	p.Add(&axes.Line{Points: points, LineStyle: lineStyle(palette.Qualitative(0), unit)},
		&axes.Scatter{Points: points, GlyphStyle: dotStyle(palette.Qualitative(0), unit)})
}

// nameTicks are ticks with the names of runs, the first at the top.
type nameTicks []string

// Ticks implements axes.Ticker.
func (n nameTicks) Ticks(_, _ float64) []axes.Tick {
	var list []axes.Tick
	for i, name := range n {
		list = append(list, axes.Tick{Value: float64(len(n) - 1 - i), Label: name})
	}
	return list
}

// horizontalBar is a bar from 0 to value. Its number is to the right of the bar and of 0, away from the names.
type horizontalBar struct {
	value, position, unit float64
	colour                int
}

// Plot implements axes.Plotter.
func (b *horizontalBar) Plot(c vgdraw.Canvas, p *axes.Plot) {
	x, y := p.Transforms(&c)
	const half = 0.36
	c.FillPolygon(palette.Qualitative(b.colour), []vg.Point{{X: x(0), Y: y(b.position - half)},
		{X: x(b.value), Y: y(b.position - half)}, {X: x(b.value), Y: y(b.position + half)}, {X: x(0),
			Y: y(b.position + half)}})
	letters := figure.Sans(0.85 * textSize * b.unit)
	letters.XAlign, letters.YAlign = text.XLeft, text.YCenter
	c.FillText(letters, vg.Point{X: x(max(b.value, 0)) + vg.Length(5*b.unit), Y: y(b.position)}, number(b.value))
}

// number formats integers of up to seven digits exactly, other numbers with four digits.
func number(v float64) string {
	digits := 4
	if v == math.Trunc(v) && math.Abs(v) < 1e7 {
		digits = 7
	}
	return strings.ReplaceAll(strconv.FormatFloat(v, 'g', digits, 64), "-", "−")
}
