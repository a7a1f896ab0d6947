package chart

import (
	"image/color"
	"math"
)

// drawFlat draws the triangles that face the viewer in one colour each. If v.Edges is set, their edges are drawn half a
// layout pixel wide on each side.
func (v *View) drawFlat(d *zBuffer, project func([3]float64) [3]float64, unit float64,
	colour func(triangle int) color.RGBA,
) {
	light := lightDirection()
	for i, t := range v.Triangles {
		var p [3][3]float64
		for k, vertex := range t {
			p[k] = project(v.point(vertex))
		}
		doubleArea := math.Abs(cross2(p[0], p[1], p[2]))
		if doubleArea == 0 || cross2(p[0], p[1], p[2]) > 0 { // facing away; y is downwards in the picture
			continue
		}
		a, b, c := v.point(t[0]), v.point(t[1]), v.point(t[2])
		var normal, height [3]float64
		for k := range 3 {
			e, g := (k+1)%3, (k+2)%3
			normal[k] = (b[e]-a[e])*(c[g]-a[g]) - (b[g]-a[g])*(c[e]-a[e])
			height[k] = doubleArea / math.Hypot(p[e][0]-p[g][0], p[e][1]-p[g][1])
		}
		ink := shadeFlat(colour(i), normal, light)
		line := color.RGBA{ink.R / 2, ink.G / 2, ink.B / 2, 255}
		d.triangle(&p, func(a, b, c float64) color.RGBA {
			if v.Edges && min(a*height[0], b*height[1], c*height[2]) < 0.5*unit {
				return line
			}
			return ink
		})
	}
}

// shadeFlat shades a colour slightly by the light that falls on it: most of the light is ambient, so that colours stay
// comparable.
func shadeFlat(ink color.RGBA, normal, light [3]float64) color.RGBA {
	brightness := 0.0
	if l := dot(normal, normal) * dot(light, light); l > 0 {
		brightness = max(0, dot(normal, light)/math.Sqrt(l))
	}
	brightness = 0.82 + 0.18*brightness
	shade := func(c uint8) uint8 { return uint8(float64(c) * brightness) }
	return color.RGBA{shade(ink.R), shade(ink.G), shade(ink.B), 255}
}
