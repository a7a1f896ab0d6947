// Package figure holds pictures that have no format yet, writes them as PNG, PDF and SVG, and makes films of them.
package figure

import (
	"image"
	"image/color"
	"image/draw"

	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Figure is a white sheet, and what is drawn on it in turn. Places are in pixels from the upper left corner, y
// downwards; formats of lines and letters take them as units of length.
type Figure struct {
	Width, Height int
	Inch          float64 // pixels an inch of paper, for PDF and SVG; 0 for a width of WidthOnPaper
	strokes       []func(c vgdraw.Canvas)
}

// WidthOnPaper is the width, in inches, of a page of text on A4 and letter paper.
const WidthOnPaper = 6.5

// Ink is the colour of letters and rules, and White that of the sheet.
var (
	Ink   = color.RGBA{38, 38, 38, 255}
	White = color.RGBA{255, 255, 255, 255}
)

// New returns an empty figure of a size in pixels.
func New(width, height int) *Figure {
	f := &Figure{Width: width, Height: height}
	f.Fill(image.Rect(0, 0, width, height), White)
	return f
}

// Do draws on a canvas of gonum's, whose points are the pixels, with y upwards from the lower edge.
func (f *Figure) Do(stroke func(c vgdraw.Canvas)) { f.strokes = append(f.strokes, stroke) }

func (f *Figure) up(y float64) vg.Length { return vg.Length(float64(f.Height) - y) }

// Fill fills a rectangle.
func (f *Figure) Fill(r image.Rectangle, c color.Color) {
	f.Area([][2]float64{{float64(r.Min.X), float64(r.Min.Y)}, {float64(r.Max.X), float64(r.Min.Y)},
		{float64(r.Max.X), float64(r.Max.Y)}, {float64(r.Min.X), float64(r.Max.Y)}}, c)
}

// Area fills a polygon.
func (f *Figure) Area(corners [][2]float64, c color.Color) {
	f.Do(func(canvas vgdraw.Canvas) {
		canvas.SetColor(c)
		p := f.path(corners)
		p.Close()
		canvas.Fill(p)
	})
}

// Line draws a line through points.
func (f *Figure) Line(points [][2]float64, width float64, c color.Color) {
	f.Do(func(canvas vgdraw.Canvas) {
		canvas.SetColor(c)
		canvas.SetLineWidth(vg.Length(width))
		canvas.SetLineDash(nil, 0)
		canvas.Stroke(f.path(points))
	})
}

func (f *Figure) path(points [][2]float64) (p vg.Path) {
	for i, at := range points {
		to := vg.Point{X: vg.Length(at[0]), Y: f.up(at[1])}
		if i == 0 {
			p.Move(to)
		} else {
			p.Line(to)
		}
	}
	return p
}

// Image puts an image with its upper left corner at a place, pixel for pixel.
func (f *Figure) Image(at image.Point, img image.Image) {
	size := img.Bounds().Size()
	r := vg.Rectangle{
		Min: vg.Point{X: vg.Length(at.X), Y: f.up(float64(at.Y + size.Y))},
		Max: vg.Point{X: vg.Length(at.X + size.X), Y: f.up(float64(at.Y))},
	}
	f.Do(func(c vgdraw.Canvas) { c.DrawImage(r, img) })
}

// fonts are those that are part of the program.
var fonts = plotfont.NewCache(liberation.Collection())

// Sans is the font of all figures, in pixels.
func Sans(size float64) text.Style {
	return text.Style{
		Color:   Ink,
		Font:    plotfont.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)},
		Handler: text.Plain{Fonts: fonts},
	}
}

// Measure is the width of a line of text.
func Measure(s string, size float64) float64 {
	style := Sans(size)
	return float64(style.Width(s))
}

// Text writes a line on a base line at y. align is the part of its width that lies left of x.
func (f *Figure) Text(s string, size, x, y, align float64) {
	if s == "" {
		return
	}
	style := Sans(size)
	left := vg.Length(x - align*Measure(s, size))
	f.Do(func(c vgdraw.Canvas) { write(c, style, s, left, f.up(y)) })
}

// TextUp writes a line from below to above, with its middle at y, and its base line at x.
func (f *Figure) TextUp(s string, size, x, y float64) {
	if s == "" {
		return
	}
	style := Sans(size)
	half := vg.Length(Measure(s, size) / 2)
	f.Do(func(c vgdraw.Canvas) {
		c.Push()
		c.Translate(vg.Point{X: vg.Length(x), Y: f.up(y)})
		c.Rotate(quarter)
		write(c, style, s, -half, 0)
		c.Pop()
	})
}

const quarter = 1.5707963267948966

// write puts a line with its base line at a place: gonum's own way aligns boxes.
func write(c vgdraw.Canvas, style text.Style, s string, x, y vg.Length) {
	c.SetColor(style.Color)
	c.FillString(fonts.Lookup(style.Font, style.Font.Size), vg.Point{X: x, Y: y}, s)
}

// Place draws another figure with its upper left corner at a place.
func (f *Figure) Place(other *Figure, at image.Point) {
	f.Do(func(c vgdraw.Canvas) {
		c.Push()
		c.Translate(vg.Point{X: vg.Length(at.X), Y: f.up(float64(at.Y + other.Height))})
		other.on(c.Canvas)
		c.Pop()
	})
}

// on draws all that is on the figure.
func (f *Figure) on(c vg.Canvas) {
	canvas := vgdraw.NewCanvas(c, vg.Length(f.Width), vg.Length(f.Height))
	for _, stroke := range f.strokes {
		stroke(canvas)
	}
}

// Stack puts rows of figures one below the other.
func Stack(rows [][]*Figure) *Figure {
	size := image.Point{}
	for _, row := range rows {
		x, y := 0, 0
		for _, g := range row {
			x, y = x+g.Width, max(y, g.Height)
		}
		size = image.Pt(max(size.X, x), size.Y+y)
	}
	f, top := New(size.X, size.Y), 0
	for _, row := range rows {
		x, y := 0, 0
		for _, g := range row {
			f.Place(g, image.Pt(x, top))
			x, y = x+g.Width, max(y, g.Height)
			f.Inch = max(f.Inch, g.Inch)
		}
		top += y
	}
	return f
}

// asRGBA is an image with pixels of this type.
func asRGBA(img image.Image) *image.RGBA {
	if all, ok := img.(*image.RGBA); ok {
		return all
	}
	all := image.NewRGBA(img.Bounds())
	draw.Draw(all, all.Bounds(), img, img.Bounds().Min, draw.Src)
	return all
}
