package figure

import (
	"maps"
	"slices"

	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Missing returns the characters of all text drawn so far that no font has, which are drawn as boxes, in order.
func (f *Figure) Missing() []rune { return slices.Sorted(maps.Keys(f.missing)) }

// textCanvas draws characters that the font of the program lacks with a font of the machine, and records those that no
// font has.
type textCanvas struct {
	vg.Canvas
	missing map[rune]bool
}

// FillString writes a line of text with its baseline at a position.
func (c textCanvas) FillString(f plotfont.Face, position vg.Point, line string) {
	for _, p := range partsOf(f, line) {
		if p.font != nil {
			fillOutlines(c, p.font, f.Font.Size, position, p.text)
		} else {
			for _, r := range p.text {
				if lacks(f, r) {
					c.missing[r] = true
				}
			}
			c.Canvas.FillString(f, position, p.text)
		}
		position.X += p.width(f)
	}
}
