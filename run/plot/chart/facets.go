package chart

import (
	"image/color"
	"math"
)

// facets draws the triangles that face the viewer flat, each in its own colour, where asked for with edges that are
// half a pixel of the layout wide on either side.
func (v *View) facets(d *depths, place func([3]float64) [3]float64, unit float64,
	colour func(triangle int) color.RGBA,
) {
	light := light()
	for i, t := range v.Triangles {
		var p [3][3]float64
		for k, vertex := range t {
			p[k] = place(v.at(vertex))
		}
		twice := math.Abs(cross2(p[0], p[1], p[2]))
		if twice == 0 || cross2(p[0], p[1], p[2]) > 0 { // seen from inside; y is downwards in the picture
			continue
		}
		a, b, c := v.at(t[0]), v.at(t[1]), v.at(t[2])
		var normal, height [3]float64
		for k := range 3 {
			e, g := (k+1)%3, (k+2)%3
			normal[k] = (b[e]-a[e])*(c[g]-a[g]) - (b[g]-a[g])*(c[e]-a[e])
			height[k] = twice / math.Hypot(p[e][0]-p[g][0], p[e][1]-p[g][1])
		}
		ink := matt(colour(i), normal, light)
		line := color.RGBA{ink.R / 2, ink.G / 2, ink.B / 2, 255}
		d.triangle(&p, func(a, b, c float64) color.RGBA {
			if v.Edges && min(a*height[0], b*height[1], c*height[2]) < 0.5*unit {
				return line
			}
			return ink
		})
	}
}

// matt is a colour by the light that falls on it, four fifths of it from all sides, so that colours can be compared.
func matt(ink color.RGBA, normal, light [3]float64) color.RGBA {
	bright := 0.0
	if l := dot(normal, normal) * dot(light, light); l > 0 {
		bright = max(0, dot(normal, light)/math.Sqrt(l))
	}
	bright = 0.82 + 0.18*bright
	shade := func(c uint8) uint8 { return uint8(float64(c) * bright) }
	return color.RGBA{shade(ink.R), shade(ink.G), shade(ink.B), 255}
}
