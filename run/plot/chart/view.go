package chart

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// View is a shaded picture of a surface in space, seen from above in front of a box: x to the right, y away, z up,
// without perspective.
type View struct {
	Page
	Title     string
	Axes      [3]string  // names of the axes, x, y and z if empty
	Points    []float64  // x, y, z of each
	Triangles [][3]int32 // seen counter-clockwise from outside; their other side has a colour of its own
	Box       [2][3]float64
	Small     bool // one of many: the title is large, and axes have no labels

	// Normals are those at the corners of triangles from the first on, by which light falls; nil, and for triangles that
	// have none, for means over the triangles around each place.
	Normals map[int32][3]float64

	// Of triangles that show a field: the value of each, which is then drawn flat, and how values become colours. Or the
	// rank that each belongs to, which have a legend.
	Values []float64
	Colouring
	Rank  []int32
	Edges bool // of such triangles
	Legend
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
func (v *View) Draw() (*figure.Figure, error) {
	page, err := v.checked()
	if err != nil {
		return nil, err
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	l := &layout{frame: &frame{Page: page}, v: v}
	if err := l.beside(); err != nil {
		return nil, err
	}
	l.lay()
	d := newDepths(l.fig.Width, l.fig.Height)
	if l.colour != nil {
		v.facets(d, l.place, l.Unit, l.colour)
	} else {
		v.surface(d, l.place)
	}
	v.edges(d, l.place, l.Unit*1.2)
	img := image.NewRGBA(image.Rect(0, 0, l.fig.Width, l.fig.Height))
	d.paint(img)
	l.fig.Image(image.Point{}, img)
	if v.Small {
		l.text(v.Title, 2*titleSize, l.side/2, l.top-l.px(6), 0)
	} else {
		v.labels(l.frame, l.place)
		title, size := fitted(v.Title, titleSize*l.Unit, float64(l.fig.Width-l.side))
		l.fig.Text(title, size, float64(l.side)/2, float64(l.top-l.px(24)), 0)
	}
	l.area = image.Rect(l.side, l.top+l.px(40), l.view-l.side/2, l.top+l.height-l.px(10))
	switch {
	case l.scale != nil && v.NoBar && !l.missing && l.scale.beyond() == "":
		l.fig.Width = min(l.fig.Width, max(l.view, l.side/2+l.measure(v.Title, titleSize)+l.px(24)))
	case l.scale != nil:
		l.bar(l.scale, v.Label, nil)
		l.keys(&v.Colouring, false, l.missing)
	case l.ranks != nil:
		l.legend(&v.Legend, l.ranks)
	}
	return l.fig, nil
}

// layout is where things are in the picture of a view.
type layout struct {
	*frame
	v               *View
	scale           *scale
	ranks           []int32
	missing         bool
	colour          func(triangle int) color.RGBA // nil for a surface without values
	room            int                           // beside the view, for a bar or a legend
	view, side, top int                           // width of the view; margin beside the box; where the box begins
	height          int                           // of the box
	size            float64                       // pixels a unit of length
	centre, high    float64
}

// beside finds what the colours mean, and the room beside the view that it takes to say so.
func (l *layout) beside() (err error) {
	v := l.v
	switch {
	case v.Values != nil:
		if l.scale, err = v.of(v.Values, nil); err != nil {
			return err
		}
		for _, x := range v.Values {
			l.missing = l.missing || x-x != 0
		}
		absent, _ := v.missing()
		l.colour = func(i int) color.RGBA {
			if x := v.Values[i]; x-x != 0 {
				return absent
			}
			return l.scale.at(v.Values[i])
		}
		side, heading := l.scale.side(v.Label)
		l.room = l.px(sideGap + max(side, heading) + 8)
	case v.Rank != nil:
		if l.ranks, err = different(v.Rank); err != nil {
			return err
		}
		side, heading := v.Legend.side(l.ranks)
		l.colour = func(i int) color.RGBA { return palette.Qualitative(int(v.Rank[i])) }
		l.room = l.px(sideGap + max(side, heading) + 8)
	}
	return nil
}

// lay finds where the box is.
func (l *layout) lay() {
	v := l.v
	left, right, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for corner := range 8 {
		p := v.corner(corner)
		left, right = min(left, dot(p, rightward)), max(right, dot(p, rightward))
		low, high = min(low, dot(p, upward)), max(high, dot(p, upward))
	}
	widest := 0
	for axis := 1; axis < 3; axis++ { // whose labels are beside the box
		widest = max(widest, l.measure(v.axis(axis), textSize))
		for _, label := range v.ends(axis) {
			widest = max(widest, l.measure(label, textSize))
		}
	}
	l.top, l.side = l.px(marginTop), max(l.px(marginLow), widest+l.px(28))
	l.view = l.Width - l.room
	l.size = max(1e-300, min(float64(l.view-2*l.side)/(right-left), tallest*float64(l.view)/(high-low)))
	l.height = int(math.Ceil((high - low) * l.size))
	l.fig = l.blank(l.Width, l.top+l.height+l.px(marginLow))
	l.centre, l.high = (left+right)/2, high
}

// place is where a point is in the picture: x, y, and how near. The middle of the box is in the middle.
func (l *layout) place(p [3]float64) [3]float64 {
	return [3]float64{(dot(p, rightward)-l.centre)*l.size + float64(l.view)/2,
		float64(l.top) + (l.high-dot(p, upward))*l.size, dot(p, toward)}
}

func (v *View) check() error {
	if v.Values != nil && len(v.Values) != len(v.Triangles) || v.Rank != nil && len(v.Rank) != len(v.Triangles) {
		return fmt.Errorf("%d values and %d ranks for %d triangles", len(v.Values), len(v.Rank), len(v.Triangles))
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
		put(v.axis(axis), 0.5)
		put(ends[1], 0.96)
	}
}

// axis is the name of one.
func (v *View) axis(axis int) string { return cmp.Or(v.Axes[axis], string("xyz"[axis])) }

// ends are the labels of an axis, with as many digits as tell them apart far from the origin too.
func (v *View) ends(axis int) (labels [2]string) {
	low, high := v.Box[0][axis], v.Box[1][axis]
	digits := max(4, 3+int(math.Ceil(math.Log10(max(math.Abs(low), math.Abs(high))/(high-low)))))
	for k, x := range [2]float64{low, high} {
		labels[k] = strings.ReplaceAll(strconv.FormatFloat(x, 'g', min(digits, 17), 64), "-", "−")
	}
	return labels
}
