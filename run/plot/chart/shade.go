package chart

import (
	"image/color"
	"math"
)

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
			if own, given := v.Normals[i]; given {
				n[k] = own
			}
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
