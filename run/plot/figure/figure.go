// Package figure has figures that are independent of a format: a Figure records drawing commands, and is then written
// as PNG, PDF or SVG. An Animation is a sequence of figures, written as an animated GIF or PNG.
package figure

import (
	"image"
	"image/color"
	"image/draw"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Figure is a white sheet with the commands that draw on it, in order. Positions are in pixels from the upper left
// corner, with y downwards. PDF and SVG use the same numbers as lengths.
type Figure struct {
	Width, Height int
	Inch          float64 // pixels per inch of paper, for PDF and SVG; 0 means that the figure is WidthOnPaper wide
	commands      []func(c vgdraw.Canvas)
	missing       map[rune]bool // characters that no font has
}

// WidthOnPaper is the width of a text column on A4 and letter paper, in inches.
const WidthOnPaper = 6.5

// Ink is the colour of text and rules, White that of the sheet.
var (
	Ink   = color.RGBA{38, 38, 38, 255}
	White = color.RGBA{255, 255, 255, 255}
)

// New returns an empty figure. width and height are in pixels.
func New(width, height int) *Figure {
	f := &Figure{Width: width, Height: height}
	f.Fill(image.Rect(0, 0, width, height), White)
	return f
}

// DrawOn adds a command that draws on a canvas of gonum, whose points are pixels, with y upwards from the lower edge.
func (f *Figure) DrawOn(command func(c vgdraw.Canvas)) { f.commands = append(f.commands, command) }

func (f *Figure) flipY(y float64) vg.Length { return vg.Length(float64(f.Height) - y) }

// Fill fills a rectangle.
func (f *Figure) Fill(r image.Rectangle, c color.Color) {
	f.FillPolygon([][2]float64{{float64(r.Min.X), float64(r.Min.Y)}, {float64(r.Max.X), float64(r.Min.Y)},
		{float64(r.Max.X), float64(r.Max.Y)}, {float64(r.Min.X), float64(r.Max.Y)}}, c)
}

// FillPolygon fills a polygon.
func (f *Figure) FillPolygon(corners [][2]float64, c color.Color) {
	f.DrawOn(func(canvas vgdraw.Canvas) {
		canvas.SetColor(c)
		p := f.path(corners)
		p.Close()
		canvas.Fill(p)
	})
}

// Line draws a line through points.
func (f *Figure) Line(points [][2]float64, width float64, c color.Color) {
	f.DrawOn(func(canvas vgdraw.Canvas) {
		canvas.SetColor(c)
		canvas.SetLineWidth(vg.Length(width))
		canvas.SetLineDash(nil, 0)
		canvas.Stroke(f.path(points))
	})
}

func (f *Figure) path(points [][2]float64) (p vg.Path) {
	for i, point := range points {
		vertex := vg.Point{X: vg.Length(point[0]), Y: f.flipY(point[1])}
		if i == 0 {
			p.Move(vertex)
		} else {
			p.Line(vertex)
		}
	}
	return p
}

// Image draws an image with its upper left corner at a position, without scaling.
func (f *Figure) Image(corner image.Point, img image.Image) {
	size := img.Bounds().Size()
	r := vg.Rectangle{
		Min: vg.Point{X: vg.Length(corner.X), Y: f.flipY(float64(corner.Y + size.Y))},
		Max: vg.Point{X: vg.Length(corner.X + size.X), Y: f.flipY(float64(corner.Y))},
	}
	f.DrawOn(func(c vgdraw.Canvas) { c.DrawImage(r, img) })
}

// sans is the font of all figures.
var sans = plotfont.Font{Typeface: "Liberation", Variant: "Sans"}

// fonts has the font sans. Package gonum.org/v1/plot/font/liberation has twelve, 4 MB.
var fonts = sync.OnceValue(func() *plotfont.Cache {
	face, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic("figure: the font in the program is invalid")
	}
	return plotfont.NewCache(plotfont.Collection{{Font: sans, Face: face}})
})

// Sans returns the text style of all figures. size is in pixels.
func Sans(size float64) text.Style {
	return text.Style{
		Color:   Ink,
		Font:    plotfont.From(sans, vg.Length(size)),
		Handler: text.Plain{Fonts: fonts()},
	}
}

// Measure returns the width of a line of text in pixels.
func Measure(s string, size float64) float64 {
	face, width := faceOf(Sans(size)), vg.Length(0)
	for _, p := range partsOf(face, s) {
		width += p.width(face)
	}
	return float64(width)
}

// Text writes a line of text with its baseline at y. align is the share of its width to the left of x.
func (f *Figure) Text(s string, size, x, y, align float64) {
	if s == "" {
		return
	}
	style := Sans(size)
	left := vg.Length(x - align*Measure(s, size))
	f.DrawOn(func(c vgdraw.Canvas) { write(c, style, s, left, f.flipY(y)) })
}

// VerticalText writes a line of text from bottom to top, centred at y, with its baseline at x.
func (f *Figure) VerticalText(s string, size, x, y float64) {
	if s == "" {
		return
	}
	style := Sans(size)
	half := vg.Length(Measure(s, size) / 2)
	f.DrawOn(func(c vgdraw.Canvas) {
		c.Push()
		c.Translate(vg.Point{X: vg.Length(x), Y: f.flipY(y)})
		c.Rotate(rightAngle)
		write(c, style, s, -half, 0)
		c.Pop()
	})
}

const rightAngle = 1.5707963267948966

// write writes a line of text with its baseline at (x, y). gonum's own functions align bounding boxes instead.
func write(c vgdraw.Canvas, style text.Style, s string, x, y vg.Length) {
	c.SetColor(style.Color)
	c.FillString(faceOf(style), vg.Point{X: x, Y: y}, s)
}

// faceOf returns the font of a style at its size.
func faceOf(style text.Style) plotfont.Face { return fonts().Lookup(style.Font, style.Font.Size) }

// DrawFigure draws another figure with its upper left corner at a position.
func (f *Figure) DrawFigure(other *Figure, corner image.Point) {
	f.DrawOn(func(c vgdraw.Canvas) {
		c.Push()
		c.Translate(vg.Point{X: vg.Length(corner.X), Y: f.flipY(float64(corner.Y + other.Height))})
		other.render(c.Canvas)
		c.Pop()
	})
}

// render runs all commands of the figure.
func (f *Figure) render(c vg.Canvas) {
	if f.missing == nil {
		f.missing = map[rune]bool{}
	}
	canvas := vgdraw.NewCanvas(textCanvas{c, f.missing}, vg.Length(f.Width), vg.Length(f.Height))
	for _, command := range f.commands {
		command(canvas)
	}
}

// Stack places rows of figures below each other.
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
			f.DrawFigure(g, image.Pt(x, top))
			x, y = x+g.Width, max(y, g.Height)
			f.Inch = max(f.Inch, g.Inch)
		}
		top += y
	}
	return f
}

// asRGBA converts an image to this type of pixels.
func asRGBA(img image.Image) *image.RGBA {
	if rgba, ok := img.(*image.RGBA); ok {
		return rgba
	}
	rgba := image.NewRGBA(img.Bounds())
	draw.Draw(rgba, rgba.Bounds(), img, img.Bounds().Min, draw.Src)
	return rgba
}
