package places

import (
	"image/color"
	"math"

	"github.com/atoll-hpc/atoll/formats/features"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// Sizes in layout pixels.
const (
	textSize  = 15.0
	textGap   = 4.0 // between a label and its place, and around its text
	casing    = 2.6 // more width of the light line under a line
	sideWidth = 4.0
	barWidth  = 2.8 // of structures
	lineWidth = 1.8
	dot       = 4.2 // radius
	mostDots  = 400 // more gauges are small dots without labels
)

var (
	plate     = color.NRGBA{255, 255, 255, 185} // under labels
	sideTint  = color.RGBA{24, 78, 119, 255}
	structure = color.RGBA{120, 28, 109, 255}
)

// Draw draws places over a map.
func Draw(on *chart.Canvas, list []features.Feature) {
	p := &painter{Canvas: on, labels: labels{area: rectangle{float64(on.Area.Min.X), float64(on.Area.Min.Y),
		float64(on.Area.Max.X), float64(on.Area.Max.Y)}}}
	dots := 0
	for i := range list {
		if list[i].Kind == features.Points {
			dots++
		}
	}
	p.many = dots > mostDots
	for i := range list {
		p.shape(&list[i])
	}
	for i := range list { // when all shapes are known, which labels leave free
		p.label(&list[i])
	}
}

type painter struct {
	*chart.Canvas
	labels labels
	many   bool
}

// parts returns the parts of a line that are on the map, in pixels. Those of the line that meet are one.
func (p *painter) parts(f *features.Feature) (shown [][][2]float64) {
	var segments [][4]float64
	for _, part := range f.Parts {
		first := part[0]
		for i := 1; i < len(part); i++ {
			a, b := part[i-1], part[i]
			segments = append(segments, [4]float64{p.longitude(first.X, a.X), a.Y, p.longitude(first.X, b.X), b.Y})
		}
	}
	for _, line := range chart.Chains(segments) {
		shown = append(shown, p.Clip(line)...)
	}
	return shown
}

// longitude returns an x such that first is on the map if it is there a circle away.
func (p *painter) longitude(first, x float64) float64 {
	for _, turn := range []float64{360, -360} {
		px, _ := p.Pixel(first+turn, 0)
		if was, _ := p.Pixel(first, 0); p.Earth && !p.across(was) && p.across(px) {
			return x + turn
		}
	}
	return x
}

func (p *painter) across(px float64) bool { return p.labels.area.x0 <= px && px <= p.labels.area.x1 }

// points returns the points of a feature that are on the map, in pixels.
func (p *painter) points(f *features.Feature) (shown [][2]float64) {
	for _, part := range f.Parts {
		x, y := p.Pixel(p.longitude(part[0].X, part[0].X), part[0].Y)
		if p.across(x) && y >= p.labels.area.y0 && y <= p.labels.area.y1 {
			shown = append(shown, [2]float64{x, y})
		}
	}
	return shown
}

// shape draws a place without its label.
func (p *painter) shape(f *features.Feature) {
	if f.Kind == features.Points {
		for _, at := range p.points(f) {
			p.point(at, f.Text(features.Role) == features.Gauge)
		}
		return
	}
	width, tint := lineWidth, figure.Ink
	switch f.Text(features.Role) {
	case features.Boundary:
		width, tint = sideWidth, sideTint
	case features.Structure:
		width, tint = barWidth, structure
	}
	for _, part := range p.parts(f) {
		p.Fig.Line(part, (width+casing)*p.Unit, figure.White)
		p.Fig.Line(part, width*p.Unit, tint)
		p.labels.takeLine(part, width*p.Unit)
		if f.Text(features.Role) == features.Structure {
			p.point(part[0], false)
			p.point(part[len(part)-1], false)
		}
	}
}

// point draws a circle for a gauge, and a square for a structure.
func (p *painter) point(at [2]float64, isGauge bool) {
	radius, corners, turn, tint := dot*p.Unit, 4, math.Pi/4, structure
	if isGauge {
		corners, turn, tint = 20, 0, figure.Ink
	}
	if p.many {
		radius /= 2
	}
	ring := func(r float64) (ring [][2]float64) {
		for k := range corners {
			sin, cos := math.Sincos(turn + 2*math.Pi*float64(k)/float64(corners))
			ring = append(ring, [2]float64{at[0] + r*cos, at[1] + r*sin})
		}
		return ring
	}
	p.Fig.FillPolygon(ring(radius+casing/2*p.Unit), figure.White)
	p.Fig.FillPolygon(ring(radius), tint)
	if isGauge {
		p.Fig.FillPolygon(ring(radius-1.7*p.Unit), figure.White)
	}
	p.labels.take(around(at, radius))
}

// label writes the name of a place where there is room.
func (p *painter) label(f *features.Feature) {
	name := f.Name()
	if name == "" || p.many && f.Kind == features.Points {
		return
	}
	anchors := p.points(f)
	if f.Kind == features.Lines {
		anchors = anchorsOf(p.parts(f))
	}
	size, gap := textSize*p.Unit, textGap*p.Unit
	width := figure.Measure(name, size) + 2*gap
	box, found := p.labels.find(anchors, width, size+gap, dot*p.Unit+gap)
	if !found {
		return
	}
	p.Fig.FillPolygon([][2]float64{{box.x0, box.y0}, {box.x1, box.y0}, {box.x1, box.y1}, {box.x0, box.y1}}, plate)
	p.Fig.Text(name, size, box.x0+gap, box.y1-gap/2-size*0.2, 0)
}
