package chart

import (
	"image"
	"image/color"
	"math"
)

// zBuffer is an image with hidden surface removal: for each sample point, the depth of the nearest triangle so far, and
// its colour.
type zBuffer struct {
	width, height int // in samples
	depth         []float64
	colour        []color.RGBA
}

func newZBuffer(width, height int) *zBuffer {
	d := &zBuffer{width: width * samples, height: height * samples}
	d.depth, d.colour = make([]float64, d.width*d.height), make([]color.RGBA, d.width*d.height)
	for i := range d.depth {
		d.depth[i], d.colour[i] = math.Inf(-1), white
	}
	return d
}

// cross2 returns twice the signed area of a triangle in the picture.
func cross2(a, b, c [3]float64) float64 { return (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0]) }

// triangle draws a triangle: x and y of its corners are in pixels, and larger z is nearer to the viewer. shade returns
// the colour at barycentric coordinates a, b, c.
func (buffer *zBuffer) triangle(p *[3][3]float64, shade func(a, b, c float64) color.RGBA) {
	q := *p
	for k := range q {
		q[k][0], q[k][1] = q[k][0]*samples-0.5, q[k][1]*samples-0.5 // in these coordinates, sample (i, j) is at (i, j)
	}
	area := cross2(q[0], q[1], q[2])
	if area == 0 {
		return
	}
	left, right := min(q[0][0], q[1][0], q[2][0]), max(q[0][0], q[1][0], q[2][0])
	top, bottom := min(q[0][1], q[1][1], q[2][1]), max(q[0][1], q[1][1], q[2][1])
	for j := clampCeil(top, buffer.height); j < buffer.height && float64(j) <= bottom; j++ {
		for i := clampCeil(left, buffer.width); i < buffer.width && float64(i) <= right; i++ {
			point := [3]float64{float64(i), float64(j)}
			a, b, c := cross2(point, q[1], q[2])/area, cross2(point, q[2], q[0])/area, cross2(point, q[0], q[1])/area
			if a < 0 || b < 0 || c < 0 {
				continue
			}
			z := a*q[0][2] + b*q[1][2] + c*q[2][2]
			if n := j*buffer.width + i; z > buffer.depth[n] {
				buffer.depth[n], buffer.colour[n] = z, shade(a, b, c)
			}
		}
	}
}

// paint writes the pixels of an image of the same size: each is the mean of its samples.
func (buffer *zBuffer) paint(img *image.RGBA) {
	const n = samples * samples
	for y := range buffer.height / samples {
		for x := range buffer.width / samples {
			var sum [3]int
			for s := range n {
				c := buffer.colour[(y*samples+s/samples)*buffer.width+x*samples+s%samples]
				sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
			}
			mean := func(k int) uint8 { return uint8((sum[k] + n/2) / n) }
			img.SetRGBA(x, y, color.RGBA{mean(0), mean(1), mean(2), 255})
		}
	}
}
