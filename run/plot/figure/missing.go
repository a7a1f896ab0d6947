package figure

import (
	"maps"
	"slices"

	"golang.org/x/image/font/sfnt"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Missing returns the characters of all text drawn so far that the font lacks, which are drawn as boxes, in order.
func (f *Figure) Missing() []rune { return slices.Sorted(maps.Keys(f.missing)) }

// checkingCanvas records the characters that the font lacks.
type checkingCanvas struct {
	vg.Canvas
	missing map[rune]bool
}

// FillString writes a line of text with its baseline at a position.
func (c checkingCanvas) FillString(f plotfont.Face, position vg.Point, line string) {
	var buffer sfnt.Buffer
	for _, r := range line {
		if glyph, err := f.Face.GlyphIndex(&buffer, r); r >= 128 && (err != nil || glyph == 0) {
			c.missing[r] = true
		}
	}
	c.Canvas.FillString(f, position, line)
}
