package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
)

// Arrows are vectors of the cells, drawn at the points of a lattice in the picture.
type Arrows struct {
	U, V []float64 // of each cell
	Name string    // with its unit, for the key
	Unit string
}

const (
	arrowEvery = 34.0 // pixels of the layout between arrows
	arrowLong  = 30.0 // pixels of the arrow at the percentile that sets the scale
	percentile = 98   // of lengths: a few fast cells, as at a shoreline, have longer arrows and do not shrink all others
	arrowHead  = 9.0  // pixels
	arrowLine  = 1.6  // pixels, width
)

// arrows draws the arrows, and a key of their scale below the area. Cells that are dry or have NaN are left out.
func (f *frame) arrows(m *Map, r *raster) error {
	a := m.Arrows
	if len(a.U) != len(m.Cells) || len(a.V) != len(m.Cells) {
		return fmt.Errorf("%d and %d components of arrows for %d cells", len(a.U), len(a.V), len(m.Cells))
	}
	shown := func(c int32) (length float64, ok bool) {
		if c < 0 || m.Dry != nil && m.Dry[c] {
			return 0, false
		}
		length = math.Hypot(a.U[c], a.V[c])
		return length, length-length == 0
	}
	step := f.px(arrowEvery)
	type arrow struct {
		x, y int
		cell int32
	}
	var all []arrow
	var lengths []float64
	for y := step / 2; y < f.area.Dy(); y += step {
		for x := step / 2; x < f.area.Dx(); x += step {
			c := r.cell[y*samples*r.width+x*samples]
			if l, ok := shown(c); ok && l > 0 {
				all, lengths = append(all, arrow{x, y, c}), append(lengths, l)
			}
		}
	}
	if len(all) == 0 {
		f.text("no "+a.Name, textSize, f.area.Min.X, f.area.Max.Y+f.px(60)+f.lower, 0)
		return nil
	}
	slices.Sort(lengths)
	usual := lengths[len(lengths)*percentile/100]
	scale := arrowLong * f.Unit / usual
	for _, at := range all {
		dx, dy := a.U[at.cell]*scale, -a.V[at.cell]*scale
		if math.Hypot(dx, dy) >= f.Unit {
			f.arrow(float64(f.area.Min.X+at.x), float64(f.area.Min.Y+at.y), dx, dy)
		}
	}
	// The key has a round length of at most the usual one. Round numbers are 1, 2 and 5 times powers of 10: divided by
	// 2.6, each becomes the next smaller one.
	round := roundStep(usual)
	for round > usual*(1+1e-9) {
		round = roundStep(round / 2.6)
	}
	label := strconv.FormatFloat(round, 'g', 6, 64)
	if a.Unit != "" {
		label += " " + a.Unit
	}
	x, y := f.area.Min.X, f.area.Max.Y+f.px(60)+f.lower
	f.arrow(float64(x)+round*scale/2, float64(y-f.px(7)), round*scale, 0)
	f.text(a.Name+": "+label, textSize, x+int(round*scale)+f.px(12), y, 0)
	return nil
}

// below makes the figure taller where the key does not fit beside the name of the horizontal axis, and moves it below.
func (f *frame) below(a *Arrows, axis string) {
	const round = "0.0005 " // as long as any
	wide := f.measure(a.Name+": "+round+a.Unit, textSize) + f.px(arrowLong+24)
	if wide > (f.area.Dx()-f.measure(axis, textSize))/2 {
		f.lower = f.px(28)
		f.fig = f.blank(f.fig.Width, f.fig.Height+f.lower)
	}
}

// arrow draws one with its middle at (x, y): dark, with a light outline for dark backgrounds.
func (f *frame) arrow(x, y, dx, dy float64) {
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
	f.fig.Area(tip, ink)
}
