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

// View is a shaded picture of a surface in space, seen from above in front of its bounding box: x to the right, y away,
// z up, in parallel projection.
type View struct {
	Page
	Title      string
	Axes       [3]string  // names of the axes, x, y and z if empty
	Points     []float64  // x, y, z of each point
	Triangles  [][3]int32 // counter-clockwise seen from outside; inner sides have another colour
	Box        [2][3]float64
	ForMontage bool // larger title, no labels of axes

	// Normals are normals at points, by point index, for shading. Points without one get the mean normal of the triangles
	// around them.
	Normals map[int32][3]float64

	// If Values is set, triangles show a field: they are drawn flat, in the colours of their values. If Rank is set, they
	// show ranks, explained by the legend.
	Values []float64
	Colouring
	Rank  []int32
	Edges bool // draw the edges of triangles that show values or ranks
	Legend
}

// Orthonormal directions of the picture: to the right, up, and towards the viewer.
var (
	rightward = [3]float64{math.Cos(azimuth), math.Sin(azimuth), 0}
	upward    = [3]float64{-math.Sin(azimuth) * math.Sin(elevation), math.Cos(azimuth) * math.Sin(elevation),
		math.Cos(elevation)}
	towardViewer = [3]float64{math.Sin(azimuth) * math.Cos(elevation), -math.Cos(azimuth) * math.Cos(elevation),
		math.Sin(elevation)}
)

const (
	azimuth   = math.Pi / 6 // of the viewer, measured from -y towards x
	elevation = math.Pi / 7
)

var (
	outerColour = color.RGBA{74, 144, 196, 255}
	innerColour = color.RGBA{222, 166, 92, 255}
	edgeColour  = color.RGBA{120, 120, 120, 255}
)

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// Draw draws the view.
func (v *View) Draw() (*figure.Figure, error) {
	page, err := v.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	l := &viewLayout{mapFrame: &mapFrame{Page: page}, shown: v}
	if err := l.setColours(); err != nil {
		return nil, err
	}
	l.layOut()
	d := newZBuffer(l.fig.Width, l.fig.Height)
	if l.colour != nil {
		v.drawFlat(d, l.project, l.Unit, l.colour)
	} else {
		v.drawSmooth(d, l.project)
	}
	v.drawBox(d, l.project, l.Unit*1.2)
	img := image.NewRGBA(image.Rect(0, 0, l.fig.Width, l.fig.Height))
	d.paint(img)
	l.fig.Image(image.Point{}, img)
	if v.ForMontage {
		l.text(v.Title, 2*titleSize, l.side/2, l.top-l.px(6), 0)
	} else {
		v.labels(l.mapFrame, l.project)
		title, size := fitText(v.Title, titleSize*l.Unit, float64(l.fig.Width-l.side))
		l.fig.Text(title, size, float64(l.side)/2, float64(l.top-l.px(24)), 0)
	}
	l.area = image.Rect(l.side, l.top+l.px(40), l.view-l.side/2, l.top+l.height-l.px(10))
	switch {
	case l.scale != nil && v.NoBar && !l.missing && l.scale.beyondText() == "":
		l.fig.Width = min(l.fig.Width, max(l.view, l.side/2+l.measure(v.Title, titleSize)+l.px(24)))
	case l.scale != nil:
		l.bar(l.scale, v.Label, nil)
		l.specialColours(&v.Colouring, false, l.missing)
	case l.ranks != nil:
		l.legend(&v.Legend, v.entries(l.ranks))
	}
	return l.fig, nil
}

// viewLayout is the layout of a View.
type viewLayout struct {
	*mapFrame
	shown           *View
	scale           *scale
	ranks           []int32
	missing         bool
	colour          func(triangle int) color.RGBA // nil for a surface without values
	rightWidth      int                           // width of the colour bar or legend
	view, side, top int                           // width of the view; margin beside the box; top of the box
	height          int                           // height of the box
	pixelsPerUnit   float64                       // pixels per unit of length
	centre, highest float64                       // of the box: its centre along rightward, its highest point along upward
}

// setColours sets the colours of triangles, and the width of the colour bar or legend.
func (l *viewLayout) setColours() (err error) {
	v := l.shown
	switch {
	case v.Values != nil:
		if l.scale, err = v.scaleOf(v.Values, nil); err != nil {
			return err
		}
		for _, x := range v.Values {
			l.missing = l.missing || !IsFinite(x)
		}
		absent, _ := v.missing()
		l.colour = func(i int) color.RGBA {
			if x := v.Values[i]; !IsFinite(x) {
				return absent
			}
			return l.scale.colour(v.Values[i])
		}
		side, heading := l.scale.side(v.Label)
		l.rightWidth = l.px(sideGap + max(side, heading) + 8)
	case v.Rank != nil:
		if l.ranks, err = distinctRanks(v.Rank); err != nil {
			return err
		}
		side, heading := v.side(v.entries(l.ranks))
		l.colour = func(i int) color.RGBA { return palette.Qualitative(int(v.Rank[i])) }
		l.rightWidth = l.px(sideGap + max(side, heading) + 8)
	}
	return nil
}

// layOut computes the position and scale of the box.
func (l *viewLayout) layOut() {
	v := l.shown
	left, right, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for corner := range 8 {
		p := v.corner(corner)
		left, right = min(left, dot(p, rightward)), max(right, dot(p, rightward))
		low, high = min(low, dot(p, upward)), max(high, dot(p, upward))
	}
	widest := 0
	for axis := 1; axis < 3; axis++ { // axes with labels beside the box
		widest = max(widest, l.measure(v.axisName(axis), textSize))
		for _, label := range v.endLabels(axis) {
			widest = max(widest, l.measure(label, textSize))
		}
	}
	l.top, l.side = l.px(marginTop), max(l.px(marginBottom), widest+l.px(28))
	l.view = l.Width - l.rightWidth
	l.pixelsPerUnit = max(1e-300, min(float64(l.view-2*l.side)/(right-left), maxAspect*float64(l.view)/(high-low)))
	l.height = int(math.Ceil((high - low) * l.pixelsPerUnit))
	l.fig = l.newFigure(l.Width, l.top+l.height+l.px(marginBottom))
	l.centre, l.highest = (left+right)/2, high
}

// project returns the position of a point in the picture, x and y, and its depth; larger is nearer.
func (l *viewLayout) project(p [3]float64) [3]float64 {
	return [3]float64{(dot(p, rightward)-l.centre)*l.pixelsPerUnit + float64(l.view)/2,
		float64(l.top) + (l.highest-dot(p, upward))*l.pixelsPerUnit, dot(p, towardViewer)}
}

func (v *View) check() error {
	if v.Values != nil && len(v.Values) != len(v.Triangles) || v.Rank != nil && len(v.Rank) != len(v.Triangles) {
		return fmt.Errorf("got %d values and %d ranks, want %d, the number of triangles", len(v.Values), len(v.Rank),
			len(v.Triangles))
	}
	for i, x := range v.Points {
		if !IsFinite(x) {
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
			return fmt.Errorf("nothing to draw: the box from %g to %g is empty", v.Box[0], v.Box[1])
		}
	}
	return nil
}

// corner returns a corner of the box: bit d selects its end along axis d.
func (v *View) corner(bits int) (p [3]float64) {
	for d := range p {
		p[d] = v.Box[bits>>d&1][d]
	}
	return p
}

func (v *View) point(i int32) [3]float64 { return [3]float64(v.Points[3*i:]) }

// drawBox draws the edges of the box as ribbons that face the viewer, hidden where the surface is in front.
func (v *View) drawBox(d *zBuffer, project func([3]float64) [3]float64, halfWidth float64) {
	boxColour := func(_, _, _ float64) color.RGBA { return edgeColour }
	for corner := range 8 {
		for axis := range 3 {
			if corner>>axis&1 == 1 {
				continue
			}
			a, b := project(v.corner(corner)), project(v.corner(corner|1<<axis))
			x, y := b[0]-a[0], b[1]-a[1]
			l := math.Hypot(x, y)
			x, y = x/l*halfWidth, y/l*halfWidth
			p := [4][3]float64{
				{a[0] - y, a[1] + x, a[2]}, {a[0] + y, a[1] - x, a[2]}, {b[0] + y, b[1] - x, b[2]}, {b[0] - y, b[1] + x, b[2]},
			}
			d.triangle(&[3][3]float64{p[0], p[1], p[2]}, boxColour)
			d.triangle(&[3][3]float64{p[0], p[2], p[3]}, boxColour)
		}
	}
}

// labels writes the names of the axes and the coordinates of their ends at the lower front edges and the left edge.
func (v *View) labels(f *mapFrame, project func([3]float64) [3]float64) {
	for axis, l := range []struct {
		corner int     // start of the edge
		dx, dy float64 // offset of the labels, layout pixels
		align  float64
	}{{0, -8, 34, 0.5}, {1, 14, 24, 0}, {0, -14, 6, 1}} {
		a, b := project(v.corner(l.corner)), project(v.corner(l.corner|1<<axis))
		write := func(s string, t float64) {
			x, y := a[0]+t*(b[0]-a[0]), a[1]+t*(b[1]-a[1])
			f.text(s, textSize, int(x)+f.px(l.dx), int(y)+f.px(l.dy), l.align)
		}
		ends := v.endLabels(axis)
		write(ends[0], 0.04)
		write(v.axisName(axis), 0.5)
		write(ends[1], 0.96)
	}
}

// axisName returns the name of an axis.
func (v *View) axisName(axis int) string { return cmp.Or(v.Axes[axis], string("xyz"[axis])) }

// endLabels returns the labels of the ends of an axis, with enough digits to distinguish them far from the origin.
func (v *View) endLabels(axis int) (labels [2]string) {
	low, high := v.Box[0][axis], v.Box[1][axis]
	digits := max(4, 3+int(math.Ceil(math.Log10(max(math.Abs(low), math.Abs(high))/(high-low)))))
	for k, x := range [2]float64{low, high} {
		labels[k] = strings.ReplaceAll(strconv.FormatFloat(x, 'g', min(digits, 17), 64), "-", "−")
	}
	return labels
}
