package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
)

// Arrows are vectors of cells, drawn at the points of a lattice in the picture.
type Arrows struct {
	U, V []float64 // components in each cell
	Name string    // name in the legend
	Unit string
}

const (
	arrowSpacing = 34.0 // layout pixels between arrows
	arrowLength  = 30.0 // layout pixels of the reference arrow
	// percentile of the lengths that sets the reference, so that a few fast cells, as at a shoreline, do not shrink all
	// other arrows
	percentile = 98
	arrowHead  = 9.0 // pixels
	arrowLine  = 1.6 // pixels, width
)

// arrows draws the arrows, and a legend of their scale below the area. It skips cells that are dry or have NaN.
func (f *mapFrame) arrows(m *Map, r *raster) error {
	a := m.Arrows
	if len(a.U) != len(m.Cells) || len(a.V) != len(m.Cells) {
		return fmt.Errorf("arrows have %d and %d components, want %d, the number of cells", len(a.U), len(a.V), len(m.Cells))
	}
	speed := func(c int32) (length float64, ok bool) {
		if c < 0 || m.Dry != nil && m.Dry[c] {
			return 0, false
		}
		length = math.Hypot(a.U[c], a.V[c])
		return length, IsFinite(length)
	}
	step := f.px(arrowSpacing)
	type arrow struct {
		x, y int
		cell int32
	}
	var shownArrows []arrow
	var lengths []float64
	for y := step / 2; y < f.area.Dy(); y += step {
		for x := step / 2; x < f.area.Dx(); x += step {
			c := r.cell[y*samples*r.width+x*samples]
			if l, ok := speed(c); ok && l > 0 {
				shownArrows, lengths = append(shownArrows, arrow{x, y, c}), append(lengths, l)
			}
		}
	}
	if len(shownArrows) == 0 {
		f.text("no "+a.Name, textSize, f.area.Min.X, f.area.Max.Y+f.px(60)+f.arrowLegendOffset, 0)
		return nil
	}
	slices.Sort(lengths)
	reference := lengths[len(lengths)*percentile/100]
	scale := arrowLength * f.Unit / reference
	for _, p := range shownArrows {
		dx, dy := a.U[p.cell]*scale, -a.V[p.cell]*scale
		if math.Hypot(dx, dy) >= f.Unit {
			f.arrow(float64(f.area.Min.X+p.x), float64(f.area.Min.Y+p.y), dx, dy)
		}
	}
	// The legend shows a round length, at most the reference. Round numbers are 1, 2 and 5 times powers of 10; dividing
	// one by 2.6 and rounding up gives the next smaller one.
	round := roundStep(reference)
	for round > reference*(1+1e-9) {
		round = roundStep(round / 2.6)
	}
	label := strconv.FormatFloat(round, 'g', 6, 64)
	if a.Unit != "" {
		label += " " + a.Unit
	}
	x, y := f.area.Min.X, f.area.Max.Y+f.px(60)+f.arrowLegendOffset
	f.arrow(float64(x)+round*scale/2, float64(y-f.px(7)), round*scale, 0)
	f.text(a.Name+": "+label, textSize, x+int(round*scale)+f.px(12), y, 0)
	return nil
}

// reserveArrowLegend makes the figure taller and moves the legend down, if it does not fit beside the name of the
// horizontal axis.
func (f *mapFrame) reserveArrowLegend(a *Arrows, axis string) {
	const round = "0.0005 " // the longest number
	width := f.measure(a.Name+": "+round+a.Unit, textSize) + f.px(arrowLength+24)
	if width > (f.area.Dx()-f.measure(axis, textSize))/2 {
		f.arrowLegendOffset = f.px(28)
		f.fig = f.newFigure(f.fig.Width, f.fig.Height+f.arrowLegendOffset)
	}
}

// arrow draws an arrow centred at (x, y): dark, with a light outline for dark backgrounds.
func (f *mapFrame) arrow(x, y, dx, dy float64) {
	l := math.Hypot(dx, dy)
	ux, uy := dx/l, dy/l
	head := min(arrowHead*f.Unit, 0.5*l)
	fromX, fromY, toX, toY := x-dx/2, y-dy/2, x+dx/2, y+dy/2
	neckX, neckY := toX-ux*head, toY-uy*head
	half := 0.42 * head
	tip := [][2]float64{{toX, toY}, {neckX - uy*half, neckY + ux*half}, {neckX + uy*half, neckY - ux*half}}
	outline := color.RGBA{255, 255, 255, 255}
	width := arrowLine * f.Unit
	f.fig.Line([][2]float64{{fromX, fromY}, {neckX, neckY}}, width+1.6*f.Unit, outline)
	f.fig.Line(append(tip, tip[0], tip[1]), 1.6*f.Unit, outline)
	f.fig.Line([][2]float64{{fromX, fromY}, {neckX + ux, neckY + uy}}, width, ink)
	f.fig.FillPolygon(tip, ink)
}
