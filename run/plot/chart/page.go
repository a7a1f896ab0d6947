// Package chart draws pictures from plain numbers: maps and partitions of meshes of triangles, surfaces in space,
// series and histograms.
//
// A Map or a Partition is rasterised straight from the triangles: each sample point lies in one triangle, so no seam
// shows between triangles or parts, whatever the mesh. Axes, letters and lines over it are drawn as such, so that
// they stay sharp in formats of lines. Series are drawn by gonum/plot.
package chart

import (
	"fmt"
	"image/color"
	"math"

	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// Page is how large a picture is. The zero Page is 1200 pixels wide.
type Page struct {
	Width int     // in pixels, 0 for 1200
	Unit  float64 // pixels of the picture for one of the layout, in which letters are of 19; 0 for Width/1200
	Inch  float64 // pixels an inch of paper; 0 where the width is that of a page of text

	// Window is what is shown, from and to along the horizontal axis and the vertical one; nil for all there is. Of series
	// the horizontal part counts alone.
	Window *[2][2]float64

	// NoBar leaves out the bar of a map whose scale the next picture of the row shows, unless the bar tells more than it.
	NoBar bool
}

// Layout, in pixels of a picture 1200 wide; others are scaled.
const (
	defaultWidth = 1200
	minWidth     = 300
	maxWidth     = 8000

	textSize   = 19.0
	titleSize  = 23.0
	marginLow  = 82.0
	tickLength = 7.0
)

// PaperUnit are the pixels of the layout that make an inch of paper where letters have 8 points.
const PaperUnit = textSize * 72 / 8

// OnPaper is a page of a width in inches at so many pixels an inch, with letters of 8 points whatever the width.
func OnPaper(inches, pixels float64) Page {
	return Page{Width: int(math.Round(inches * pixels)), Unit: pixels / PaperUnit, Inch: pixels}
}

// checked fills in what is left to choose, and refuses widths that nothing fits on.
func (p Page) checked() (Page, error) {
	if p.Width == 0 {
		p.Width = defaultWidth
	}
	if p.Width < minWidth || p.Width > maxWidth {
		return p, fmt.Errorf("a width of %d pixels: it must be from %d to %d", p.Width, minWidth, maxWidth)
	}
	if p.Unit == 0 {
		p.Unit = float64(p.Width) / defaultWidth
	}
	return p, nil
}

// px are so many pixels of the layout, in pixels of the picture.
func (p Page) px(layout float64) int { return int(math.Round(layout * p.Unit)) }

// blank is an empty figure of the page's width.
func (p Page) blank(width, height int) *figure.Figure {
	f := figure.New(width, height)
	f.Inch = p.Inch
	return f
}

// fitted is a text that is shortened, and then how large its letters are, so that it fits a width.
func fitted(s string, size, room float64) (string, float64) {
	const least = 0.75 // smaller letters are hard to read
	wide := figure.Measure(s, size)
	if wide <= room {
		return s, size
	}
	if small := size * room / wide; small >= least*size {
		return s, small
	}
	letters := []rune(s)
	for len(letters) > 1 && figure.Measure(string(letters)+"…", least*size) > room {
		letters = letters[:len(letters)-1]
	}
	return string(letters) + "…", least * size
}

// Colours of what is not data.
var (
	white    = figure.White
	ink      = figure.Ink
	dryInk   = color.RGBA{183, 168, 140, 255} // sand: a cell without water, unlike the middle of maps about zero
	neverInk = color.RGBA{228, 228, 228, 255} // a cell whose value is missing for a reason
	noData   = color.RGBA{255, 0, 255, 255}   // a cell whose value is not a number must be seen
)
