package figure

import (
	"image"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// pdfCanvas is a PDF canvas for all letters. The standard encoding of PDF lacks minus signs and Greek. So lines with
// letters beyond ASCII are drawn by the outlines of the letters, while others stay text that can be searched.
type pdfCanvas struct{ *vgpdf.Canvas }

// FillString writes a line of text with its baseline at a position.
func (c pdfCanvas) FillString(f plotfont.Face, position vg.Point, line string) {
	plain := true
	for _, r := range line {
		plain = plain && r < 128
	}
	if plain {
		c.Canvas.FillString(f, position, line)
		return
	}
	fillOutlines(c, f.Face, f.Font.Size, position, line)
}

// DrawImage draws an image into a rectangle. It flips the image, because gonum's PDF canvas flips everything else.
func (c pdfCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	c.Push()
	c.Translate(vg.Point{Y: r.Min.Y + r.Max.Y})
	c.Scale(1, -1)
	c.Canvas.DrawImage(r, img)
	c.Pop()
}

// path returns an outline in the units of the canvas, with its origin at (x, y).
func path(outline sfnt.Segments, x, y, scale vg.Length) (p vg.Path) {
	point := func(position fixed.Point26_6) vg.Point {
		return vg.Point{X: x + scale*vg.Length(position.X)/64, Y: y - scale*vg.Length(position.Y)/64}
	}
	for i, s := range outline {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				p.Close()
			}
			p.Move(point(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			p.Line(point(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			p.QuadTo(point(s.Args[0]), point(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			p.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
		}
	}
	p.Close()
	return p
}
