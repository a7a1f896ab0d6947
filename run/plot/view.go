package plot

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strconv"

	"golang.org/x/image/font"
)

// View is a shaded picture of a surface in space, seen from above in front of a box: x to the right, y away, z up,
// without perspective.
type View struct {
	Points    []float64  // x, y, z of each
	Triangles [][3]int32 // seen counter-clockwise from outside; their other side has a colour of its own
	Box       [2][3]float64
	Title     string
	Width     int  // of the picture in pixels, 0 for 1200
	Small     bool // one of many: the title is large, and axes have no labels

	// Of triangles that show a field: the colour of each, which is then drawn flat with its edges, and what the colours
	// mean, for a bar beside the view.
	Colours []color.RGBA
	Scale   *scaleOf
	Label   string
}

// Directions of the picture: to the right, up, and to the viewer, at right angles to each other and of length 1.
var (
	rightward = [3]float64{math.Cos(azimuth), math.Sin(azimuth), 0}
	upward    = [3]float64{-math.Sin(azimuth) * math.Sin(elevation), math.Cos(azimuth) * math.Sin(elevation),
		math.Cos(elevation)}
	toward = [3]float64{math.Sin(azimuth) * math.Cos(elevation), -math.Cos(azimuth) * math.Cos(elevation),
		math.Sin(elevation)}
)

const (
	azimuth   = math.Pi / 6 // of the viewer, from -y to x
	elevation = math.Pi / 7
)

var (
	outerInk = color.RGBA{74, 144, 196, 255}
	innerInk = color.RGBA{222, 166, 92, 255}
	boxInk   = color.RGBA{120, 120, 120, 255}
)

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// Draw draws the view.
func (v *View) Draw() (*image.RGBA, error) {
	width := v.Width
	if width == 0 {
		width = defaultWidth
	}
	if width < minWidth || width > maxWidth {
		return nil, fmt.Errorf("a width of %d pixels: it must be from %d to %d", width, minWidth, maxWidth)
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	left, right, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for corner := range 8 {
		p := v.corner(corner)
		left, right = min(left, dot(p, rightward)), max(right, dot(p, rightward))
		low, high = min(low, dot(p, upward)), max(high, dot(p, upward))
	}
	f := &frame{unit: float64(width) / defaultWidth, faces: map[float64]font.Face{}}
	top, widest := f.px(marginTop), 0
	for axis := 1; axis < 3; axis++ { // whose labels are beside the box
		for _, label := range v.ends(axis) {
			widest = max(widest, f.measure(label, textSize))
		}
	}
	side := max(f.px(marginLow), widest+f.px(28))
	view := width
	if v.Scale != nil {
		view -= f.px(sideGap + sideWidth)
	}
	scale := min(float64(view-2*side)/(right-left), tallest*float64(view)/(high-low))
	height := int(math.Ceil((high - low) * scale))
	f.img = image.NewRGBA(image.Rect(0, 0, width, top+height+f.px(marginLow)))
	draw.Draw(f.img, f.img.Bounds(), image.NewUniform(white), image.Point{}, draw.Src)
	// The middle of the box is in the middle of the picture.
	d := newDepths(f.img.Bounds().Dx(), f.img.Bounds().Dy())
	centre := (left + right) / 2
	place := func(p [3]float64) [3]float64 {
		return [3]float64{(dot(p, rightward)-centre)*scale + float64(view)/2, float64(top) + (high-dot(p, upward))*scale,
			dot(p, toward)}
	}
	if v.Colours != nil {
		v.facets(d, place, f.unit)
	} else {
		v.surface(d, place)
	}
	v.edges(d, place, f.unit*1.2)
	d.paint(f.img)
	if v.Small {
		f.text(v.Title, 2*titleSize, side/2, top-f.px(6), 0)
	} else {
		v.labels(f, place)
		f.text(v.Title, titleSize, side/2, top-f.px(24), 0)
	}
	if v.Scale != nil {
		f.area = image.Rect(side, top+f.px(40), view-side/2, top+height-f.px(10))
		f.bar(v.Scale, v.Label)
	}
	return f.img, nil
}

func (v *View) check() error {
	if v.Colours != nil && len(v.Colours) != len(v.Triangles) {
		return fmt.Errorf("%d colours for %d triangles", len(v.Colours), len(v.Triangles))
	}
	for i, x := range v.Points {
		if x-x != 0 {
			return fmt.Errorf("point %d has the coordinate %g", i/3, x)
		}
	}
	for i, t := range v.Triangles {
		for _, p := range t {
			if p < 0 || int(p) >= len(v.Points)/3 {
				return fmt.Errorf("triangle %d refers to point %d of %d", i, p, len(v.Points)/3)
			}
		}
	}
	for d := range 3 {
		if size := v.Box[1][d] - v.Box[0][d]; !(size > 0) || math.IsInf(size, 0) {
			return fmt.Errorf("the box from %g to %g has no room to draw", v.Box[0], v.Box[1])
		}
	}
	return nil
}

// corner is one of the box: bit d is its end along axis d.
func (v *View) corner(bits int) (p [3]float64) {
	for d := range p {
		p[d] = v.Box[bits>>d&1][d]
	}
	return p
}

func (v *View) at(i int32) [3]float64 { return [3]float64(v.Points[3*i:]) }

// light is where it comes from: the upper left, beside the viewer.
func light() (l [3]float64) {
	for k := range l {
		l[k] = 0.72*toward[k] + 0.52*upward[k] - 0.46*rightward[k]
	}
	return l
}

// surface draws the triangles.
func (v *View) surface(d *depths, place func([3]float64) [3]float64) {
	normals := v.normals()
	light := light()
	for _, t := range v.Triangles {
		var p, n [3][3]float64
		for k, i := range t {
			p[k], n[k] = place(v.at(i)), normals[v.at(i)]
		}
		ink, turn := outerInk, 1.0
		if cross2(p[0], p[1], p[2]) > 0 { // y is downwards in the picture
			ink, turn = innerInk, -1
		}
		d.triangle(&p, func(a, b, c float64) color.RGBA {
			var m [3]float64
			for k := range m {
				m[k] = turn * (a*n[0][k] + b*n[1][k] + c*n[2][k])
			}
			return lit(ink, m, light)
		})
	}
}

// lit is a colour by the light that falls on it: a half of it from all sides.
func lit(ink color.RGBA, normal, light [3]float64) color.RGBA {
	bright := 0.0
	if l := dot(normal, normal) * dot(light, light); l > 0 {
		bright = max(0, dot(normal, light)/math.Sqrt(l))
	}
	gleam := math.Pow(bright, 24) * 0.25
	bright = 0.42 + 0.62*bright
	shade := func(c uint8) uint8 { return uint8(min(255, float64(c)*bright+255*gleam)) }
	return color.RGBA{shade(ink.R), shade(ink.G), shade(ink.B), 255}
}

// normals are means over the triangles round each point, weighted by their areas. Points of the same place are one,
// so that no seam shows between parts.
func (v *View) normals() map[[3]float64][3]float64 {
	sum := make(map[[3]float64][3]float64, len(v.Points)/3)
	for _, t := range v.Triangles {
		a, b, c := v.at(t[0]), v.at(t[1]), v.at(t[2])
		var n [3]float64
		for d := range n {
			e, g := (d+1)%3, (d+2)%3
			n[d] = (b[e]-a[e])*(c[g]-a[g]) - (b[g]-a[g])*(c[e]-a[e])
		}
		for _, p := range [][3]float64{a, b, c} {
			s := sum[p]
			sum[p] = [3]float64{s[0] + n[0], s[1] + n[1], s[2] + n[2]}
		}
	}
	return sum
}

// edges draws those of the box where the surface does not hide them, as ribbons that face the viewer.
func (v *View) edges(d *depths, place func([3]float64) [3]float64, half float64) {
	plain := func(_, _, _ float64) color.RGBA { return boxInk }
	for corner := range 8 {
		for axis := range 3 {
			if corner>>axis&1 == 1 {
				continue
			}
			a, b := place(v.corner(corner)), place(v.corner(corner|1<<axis))
			x, y := b[0]-a[0], b[1]-a[1]
			l := math.Hypot(x, y)
			x, y = x/l*half, y/l*half
			p := [4][3]float64{
				{a[0] - y, a[1] + x, a[2]}, {a[0] + y, a[1] - x, a[2]}, {b[0] + y, b[1] - x, b[2]}, {b[0] - y, b[1] + x, b[2]},
			}
			d.triangle(&[3][3]float64{p[0], p[1], p[2]}, plain)
			d.triangle(&[3][3]float64{p[0], p[2], p[3]}, plain)
		}
	}
}

// labels names the axes at the lower front edges and the left one, with the coordinates of their ends.
func (v *View) labels(f *frame, place func([3]float64) [3]float64) {
	for axis, l := range []struct {
		corner int     // where the edge begins
		dx, dy float64 // of the labels, in pixels of the layout
		align  float64
	}{{0, -8, 34, 0.5}, {1, 14, 24, 0}, {0, -14, 6, 1}} {
		a, b := place(v.corner(l.corner)), place(v.corner(l.corner|1<<axis))
		put := func(s string, t float64) {
			x, y := a[0]+t*(b[0]-a[0]), a[1]+t*(b[1]-a[1])
			f.text(s, textSize, int(x)+f.px(l.dx), int(y)+f.px(l.dy), l.align)
		}
		ends := v.ends(axis)
		put(ends[0], 0.04)
		put(string("xyz"[axis]), 0.5)
		put(ends[1], 0.96)
	}
}

// ends are the labels of an axis, with as many digits as tell them apart far from the origin too.
func (v *View) ends(axis int) (labels [2]string) {
	low, high := v.Box[0][axis], v.Box[1][axis]
	digits := max(4, 3+int(math.Ceil(math.Log10(max(math.Abs(low), math.Abs(high))/(high-low)))))
	for k, x := range [2]float64{low, high} {
		labels[k] = strconv.FormatFloat(x, 'g', min(digits, 17), 64)
	}
	return labels
}
