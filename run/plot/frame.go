package plot

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
)

// Layout, in pixels, of a picture 1200 wide; others are scaled.
const (
	defaultWidth = 1200
	minWidth     = 300
	maxWidth     = 8000

	textSize    = 19.0
	titleSize   = 23.0
	marginLeft  = 100.0
	marginRight = 36.0
	marginTop   = 62.0
	marginLow   = 82.0
	sideWidth   = 150.0 // colour bar or legend with its labels
	sideGap     = 28.0
	barWidth    = 26.0
	tickLength  = 7.0

	besideLabels = tickLength + 31 // of the vertical axis: ticks, gaps and the axis's name

	tallest = 1.15 // height of the plotted area, at most, and at least, in widths of the room for it
	flat    = 0.18
)

// frame is a picture with a plotted area, axes of equal scale around it, and room for a bar or a legend beside it.
type frame struct {
	img   *image.RGBA
	area  image.Rectangle
	view  view
	unit  float64 // pixels of the picture for a pixel of the layout
	faces map[float64]font.Face
}

// bounds finds what x and y cover. It fails where there is nothing to draw.
func bounds(x, y []float64, cells [][3]int32) (x0, y0, x1, y1 float64, err error) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for c, vertices := range cells {
		for _, v := range vertices {
			if v < 0 || int(v) >= len(x) || int(v) >= len(y) {
				return 0, 0, 0, 0, fmt.Errorf("cell %d refers to vertex %d of %d", c, v, len(x))
			}
			if px, py := x[v], y[v]; px-px != 0 || py-py != 0 {
				return 0, 0, 0, 0, fmt.Errorf("vertex %d of cell %d is at (%g, %g)", v, c, px, py)
			}
			x0, x1 = math.Min(x0, x[v]), math.Max(x1, x[v])
			y0, y1 = math.Min(y0, y[v]), math.Max(y1, y[v])
		}
	}
	if !(x1 > x0 && y1 > y0) || math.IsInf(x1-x0, 0) || math.IsInf(y1-y0, 0) {
		return 0, 0, 0, 0, fmt.Errorf("the mesh has %d cells and no area to draw", len(cells))
	}
	return x0, y0, x1, y1, nil
}

// newFrame lays out a picture of a mesh. width is that of the picture in pixels, 0 for the default.
func newFrame(x, y []float64, cells [][3]int32, width int) (*frame, error) {
	if width == 0 {
		width = defaultWidth
	}
	if width < minWidth || width > maxWidth {
		return nil, fmt.Errorf("a width of %d pixels: it must be from %d to %d", width, minWidth, maxWidth)
	}
	x0, y0, x1, y1, err := bounds(x, y, cells)
	if err != nil {
		return nil, err
	}
	f := &frame{unit: float64(width) / defaultWidth, faces: map[float64]font.Face{}}
	f.lay(x0, y0, x1, y1, width, f.px(marginLeft))
	if left := f.widest(f.upright()) + f.px(besideLabels); left > f.px(marginLeft) {
		f.lay(x0, y0, x1, y1, width, left) // with fewer labels, if anything, which are no wider
	}
	f.img = image.NewRGBA(image.Rect(0, 0, f.area.Max.X+f.px(sideGap+sideWidth+marginRight), f.area.Max.Y+f.px(marginLow)))
	draw.Draw(f.img, f.img.Bounds(), image.NewUniform(white), image.Point{}, draw.Src)
	return f, nil
}

// lay gives the plotted area its place beside a margin of so many pixels.
func (f *frame) lay(x0, y0, x1, y1 float64, width, left int) {
	room := float64(width - left - f.px(sideGap+sideWidth+marginRight))
	scale := math.Min(room/(x1-x0), tallest*room/(y1-y0))
	// A very long domain gets empty room beside it, so that axes and bar keep their place.
	if lacking := flat*room/scale - (y1 - y0); lacking > 0 {
		y0, y1 = y0-lacking/2, y1+lacking/2
	}
	if lacking := flat*room/scale - (x1 - x0); lacking > 0 {
		x0, x1 = x0-lacking/2, x1+lacking/2
	}
	f.view = view{x0: x0, y1: y1, scale: scale,
		width: int(math.Round((x1 - x0) * scale)), height: int(math.Round((y1 - y0) * scale))}
	corner := image.Pt(left, f.px(marginTop))
	f.area = image.Rectangle{corner, corner.Add(image.Pt(f.view.width, f.view.height))}
}

func (f *frame) px(layout float64) int { return int(math.Round(layout * f.unit)) }

// line is the thickness of rules.
func (f *frame) line() int { return max(1, f.px(1.5)) }

func (f *frame) fill(r image.Rectangle, c color.Color) {
	draw.Draw(f.img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// outline draws a border just outside r.
func (f *frame) outline(r image.Rectangle) {
	w := f.line()
	out := r.Inset(-w)
	f.fill(image.Rect(out.Min.X, out.Min.Y, out.Max.X, r.Min.Y), ink)
	f.fill(image.Rect(out.Min.X, r.Max.Y, out.Max.X, out.Max.Y), ink)
	f.fill(image.Rect(out.Min.X, out.Min.Y, r.Min.X, out.Max.Y), ink)
	f.fill(image.Rect(r.Max.X, out.Min.Y, out.Max.X, out.Max.Y), ink)
}

// axes draws the border of the area, ticks and labels on both axes, and the title.
func (f *frame) axes(title string) {
	f.outline(f.area)
	n, w := f.px(tickLength), f.line()
	for _, t := range f.fitting(f.view.x0, f.view.x0+float64(f.view.width)/f.view.scale) {
		at := f.area.Min.X + int(math.Round((t.at-f.view.x0)*f.view.scale))
		f.fill(image.Rect(at-w/2, f.area.Max.Y, at-w/2+w, f.area.Max.Y+n+w), ink)
		f.text(t.label, textSize, at, f.area.Max.Y+f.px(tickLength+20), 0.5)
	}
	list := f.upright()
	for _, t := range list {
		at := f.area.Min.Y + int(math.Round((f.view.y1-t.at)*f.view.scale))
		f.fill(image.Rect(f.area.Min.X-n-w, at-w/2, f.area.Min.X, at-w/2+w), ink)
		f.text(t.label, textSize, f.area.Min.X-f.px(tickLength+7), at+f.px(7), 1)
	}
	f.text("x", textSize, (f.area.Min.X+f.area.Max.X)/2, f.area.Max.Y+f.px(60), 0.5)
	f.text("y", textSize, max(f.px(16), f.area.Min.X-f.widest(list)-f.px(tickLength+24)),
		(f.area.Min.Y+f.area.Max.Y)/2+f.px(7), 1)
	f.text(title, titleSize, f.area.Min.X, f.area.Min.Y-f.px(20), 0)
}

// upright returns ticks of the vertical axis.
func (f *frame) upright() []tick {
	return ticks(f.view.y1-float64(f.view.height)/f.view.scale, f.view.y1, max(2, f.view.height/f.px(75)))
}

// widest is the width of the widest label.
func (f *frame) widest(list []tick) int {
	widest := 0
	for _, t := range list {
		widest = max(widest, f.measure(t.label, textSize))
	}
	return widest
}

// fitting returns ticks of the horizontal axis, as many as leave their labels apart.
func (f *frame) fitting(lo, hi float64) []tick {
	for n := max(2, f.view.width/f.px(90)); n > 1; n-- {
		list := ticks(lo, hi, n)
		if len(list) < 2 || float64(f.widest(list)+f.px(14)) < (list[1].at-list[0].at)*f.view.scale {
			return list
		}
	}
	return ticks(lo, hi, 1)
}

func (f *frame) face(size float64) font.Face {
	if face, ok := f.faces[size]; ok {
		return face
	}
	cache := plotfont.NewCache(liberation.Collection())
	sans := cache.Lookup(plotfont.Font{Typeface: "Liberation", Variant: "Sans"}, 1)
	face, err := opentype.NewFace(sans.Face, &opentype.FaceOptions{Size: size * f.unit, DPI: 72,
		Hinting: font.HintingFull})
	if err != nil {
		panic("plot: the font that is part of the program cannot be used")
	}
	f.faces[size] = face
	return face
}

func (f *frame) measure(s string, size float64) int {
	return font.MeasureString(f.face(size), s).Ceil()
}

// text writes s on a base line at y. align is the part of its width that lies left of x.
func (f *frame) text(s string, size float64, x, y int, align float64) {
	d := font.Drawer{Dst: f.img, Src: image.NewUniform(ink), Face: f.face(size)}
	d.Dot = fixed.P(x-int(math.Round(align*float64(f.measure(s, size)))), y)
	d.DrawString(s)
}
