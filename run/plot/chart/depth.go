package chart

import (
	"image"
	"image/color"
	"math"
)

// depths is a picture in the making: of each sample, how near the nearest thing is that was drawn there, and its
// colour.
type depths struct {
	width, height int // in samples
	near          []float64
	ink           []color.RGBA
}

func newDepths(width, height int) *depths {
	d := &depths{width: width * samples, height: height * samples}
	d.near, d.ink = make([]float64, d.width*d.height), make([]color.RGBA, d.width*d.height)
	for i := range d.near {
		d.near[i], d.ink[i] = math.Inf(-1), white
	}
	return d
}

// cross2 is twice the area of a triangle in the picture.
func cross2(a, b, c [3]float64) float64 { return (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0]) }

// triangle draws a triangle: x and y of its corners are pixels, and a larger z is nearer. shade gives the colour at the
// point with these parts of the three corners, which add up to 1.
func (d *depths) triangle(p *[3][3]float64, shade func(a, b, c float64) color.RGBA) {
	q := *p
	for k := range q {
		q[k][0], q[k][1] = q[k][0]*samples-0.5, q[k][1]*samples-0.5 // sample (i, j) is at (i, j)
	}
	area := cross2(q[0], q[1], q[2])
	if area == 0 {
		return
	}
	left, right := min(q[0][0], q[1][0], q[2][0]), max(q[0][0], q[1][0], q[2][0])
	top, bottom := min(q[0][1], q[1][1], q[2][1]), max(q[0][1], q[1][1], q[2][1])
	for j := clampCeil(top, d.height); j < d.height && float64(j) <= bottom; j++ {
		for i := clampCeil(left, d.width); i < d.width && float64(i) <= right; i++ {
			at := [3]float64{float64(i), float64(j)}
			a, b, c := cross2(at, q[1], q[2])/area, cross2(at, q[2], q[0])/area, cross2(at, q[0], q[1])/area
			if a < 0 || b < 0 || c < 0 {
				continue
			}
			z := a*q[0][2] + b*q[1][2] + c*q[2][2]
			if n := j*d.width + i; z > d.near[n] {
				d.near[n], d.ink[n] = z, shade(a, b, c)
			}
		}
	}
}

// paint fills a picture of the same size: a pixel is the mean of its samples.
func (d *depths) paint(img *image.RGBA) {
	const n = samples * samples
	for y := range d.height / samples {
		for x := range d.width / samples {
			var sum [3]int
			for s := range n {
				c := d.ink[(y*samples+s/samples)*d.width+x*samples+s%samples]
				sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
			}
			mean := func(k int) uint8 { return uint8((sum[k] + n/2) / n) }
			img.SetRGBA(x, y, color.RGBA{mean(0), mean(1), mean(2), 255})
		}
	}
}
