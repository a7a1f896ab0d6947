package chart

import (
	"image/color"
	"math"
)

// lightDirection returns the direction towards the light: from the upper left, beside the viewer.
func lightDirection() (l [3]float64) {
	for k := range l {
		l[k] = 0.72*towardViewer[k] + 0.52*upward[k] - 0.46*rightward[k]
	}
	return l
}

// drawSmooth draws the triangles with interpolated normals.
func (v *View) drawSmooth(d *zBuffer, project func([3]float64) [3]float64) {
	normals := v.normals()
	light := lightDirection()
	for _, t := range v.Triangles {
		var p, n [3][3]float64
		for k, i := range t {
			p[k], n[k] = project(v.point(i)), normals[v.point(i)]
			if pointNormal, hasNormal := v.Normals[i]; hasNormal {
				n[k] = pointNormal
			}
		}
		ink, sign := outerColour, 1.0
		if cross2(p[0], p[1], p[2]) > 0 { // y is downwards in the picture
			ink, sign = innerColour, -1
		}
		d.triangle(&p, func(a, b, c float64) color.RGBA {
			var m [3]float64
			for k := range m {
				m[k] = sign * (a*n[0][k] + b*n[1][k] + c*n[2][k])
			}
			return shadeSmooth(ink, m, light)
		})
	}
}

// shadeSmooth shades a colour by the light that falls on it: ambient, diffuse and specular.
func shadeSmooth(ink color.RGBA, normal, light [3]float64) color.RGBA {
	diffuse := 0.0
	if l := dot(normal, normal) * dot(light, light); l > 0 {
		diffuse = max(0, dot(normal, light)/math.Sqrt(l))
	}
	specular := math.Pow(diffuse, 24) * 0.25
	diffuse = 0.42 + 0.62*diffuse
	shade := func(c uint8) uint8 { return uint8(min(255, float64(c)*diffuse+255*specular)) }
	return color.RGBA{shade(ink.R), shade(ink.G), shade(ink.B), 255}
}

// normals returns, for each position, the mean of the normals of the triangles around it, weighted by area. Points at
// the same position are merged, so that there are no seams between parts.
func (v *View) normals() map[[3]float64][3]float64 {
	sum := make(map[[3]float64][3]float64, len(v.Points)/3)
	for _, t := range v.Triangles {
		a, b, c := v.point(t[0]), v.point(t[1]), v.point(t[2])
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
