// Package chart draws plots from plain numbers: Map and Partition show meshes of triangles, View a surface in space,
// Series, Bars, Histogram and Convergence show curves and bars. Each has a method Draw that returns a figure.Figure,
// and a Page with its size.
//
// Maps are rasterized from the triangles: each sample point lies in exactly one triangle, so there are no seams between
// triangles or parts. Axes, text and lines are drawn as vectors, so they stay sharp in PDF and SVG. Package axes draws
// curves with their axes.
package chart

import (
	"fmt"
	"image/color"
	"math"

	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// Page is the size of a picture. The zero Page is 1200 pixels wide.
type Page struct {
	Width int     // pixels; 0 for 1200
	Unit  float64 // pixels per layout pixel; text has 19 layout pixels; 0 for Width/1200
	Inch  float64 // pixels per inch of paper; 0 if the picture is as wide as a text column

	// Window is the visible range of the horizontal and the vertical axis; nil for all data. Series use only the
	// horizontal range.
	Window *[2][2]float64

	// Earth tells that coordinates are longitudes and latitudes in degrees: lengths are true in the middle of a map.
	Earth bool

	// NoBar omits the colour bar of a map, because the next picture in a row shows it, unless the bar has information of
	// its own.
	NoBar bool
}

// Layout in layout pixels: pixels of a picture 1200 wide. Other pictures are scaled.
const (
	defaultWidth = 1200
	minWidth     = 300
	maxWidth     = 8000

	textSize     = 19.0
	titleSize    = 23.0
	marginBottom = 82.0
	tickLength   = 7.0
)

// PaperUnit is the number of layout pixels per inch of paper for which text has 8 points.
const PaperUnit = textSize * 72 / 8

// OnPaper returns a page of a width in inches, with the given pixels per inch and text of 8 points.
func OnPaper(inches, pixels float64) Page {
	return Page{Width: int(math.Round(inches * pixels)), Unit: pixels / PaperUnit, Inch: pixels}
}

// withDefaults fills in defaults, and returns an error for widths that are too small or too large.
func (p Page) withDefaults() (Page, error) {
	if p.Width == 0 {
		p.Width = defaultWidth
	}
	if p.Width < minWidth || p.Width > maxWidth {
		return p, fmt.Errorf("got a width of %d pixels, want %d to %d", p.Width, minWidth, maxWidth)
	}
	if p.Unit == 0 {
		p.Unit = float64(p.Width) / defaultWidth
	}
	return p, nil
}

// px converts layout pixels to pixels.
func (p Page) px(layout float64) int { return int(math.Round(layout * p.Unit)) }

// newFigure returns an empty figure.
func (p Page) newFigure(width, height int) *figure.Figure {
	f := figure.New(width, height)
	f.Inch = p.Inch
	return f
}

// fitText returns a size of letters, and a text shortened if necessary, such that it fits a width in pixels.
func fitText(s string, size, available float64) (string, float64) {
	const minShare = 0.75 // smaller letters are unreadable
	width := figure.Measure(s, size)
	if width <= available {
		return s, size
	}
	if reduced := size * available / width; reduced >= minShare*size {
		return s, reduced
	}
	letters := []rune(s)
	for len(letters) > 1 && figure.Measure(string(letters)+"…", minShare*size) > available {
		letters = letters[:len(letters)-1]
	}
	return string(letters) + "…", minShare * size
}

// Colours of everything but data.
var (
	white         = figure.White
	ink           = figure.Ink
	dryColour     = color.RGBA{183, 168, 140, 255} // sand, for dry cells; differs from the middle of diverging maps
	missingColour = color.RGBA{228, 228, 228, 255} // light grey, for values whose absence is explained
	noData        = color.RGBA{255, 0, 255, 255}   // magenta, for values that are not finite
)
