package chart

import (
	"image"
	"image/color"
	"math"
	"runtime"
	"sync"
)

// samples is the number of sample points per pixel in each direction.
const samples = 2

// raster has the cell at each sample point of a picture, -1 for none.
type raster struct {
	width, height int // in samples
	cell          []int32
}

// viewport maps the plane to a picture. (x0, y1) is at its upper left corner.
type viewport struct {
	x0, y1        float64
	scale         float64 // pixels per unit of length along y
	across        float64 // the same along x
	width, height int     // pixels
}

// rasterise finds the cell at each sample point. A point on an edge belongs to the triangle below or to the right of
// it: both triangles compute the crossing of an edge and a row with the same arithmetic, so that no point is lost or
// counted twice.
func rasterise(v viewport, x, y []float64, cells [][3]int32) *raster {
	r := &raster{width: v.width * samples, height: v.height * samples}
	r.cell = make([]int32, r.width*r.height)
	for i := range r.cell {
		r.cell[i] = -1
	}
	scale, across := v.scale*samples, v.across*samples
	var p [3][2]float64
	for c, vertices := range cells {
		for k, i := range vertices {
			// Sample (i, j) is at (i, j) in these coordinates.
			p[k] = [2]float64{(x[i]-v.x0)*across - 0.5, (v.y1-y[i])*scale - 0.5}
		}
		r.triangle(int32(c), &p)
	}
	return r
}

func (r *raster) triangle(c int32, p *[3][2]float64) {
	low := math.Min(p[0][1], math.Min(p[1][1], p[2][1]))
	high := math.Max(p[0][1], math.Max(p[1][1], p[2][1]))
	first, end := clampCeil(low, r.height), clampCeil(high, r.height)
	for row := first; row < end; row++ {
		y := float64(row)
		left, right := math.Inf(1), math.Inf(-1)
		for k := range 3 {
			a, b := p[k], p[(k+1)%3]
			if a[1] > b[1] {
				a, b = b, a
			}
			if a[1] <= y && y < b[1] {
				x := a[0] + (y-a[1])*((b[0]-a[0])/(b[1]-a[1]))
				left, right = math.Min(left, x), math.Max(right, x)
			}
		}
		if left > right {
			continue
		}
		line := r.cell[row*r.width : (row+1)*r.width]
		for i, last := clampCeil(left, r.width), clampCeil(right, r.width); i < last; i++ {
			line[i] = c
		}
	}
}

// clampCeil returns the smallest integer that is at least v, bounded to 0 … n.
func clampCeil(v float64, n int) int {
	if !(v > 0) {
		return 0
	}
	if v >= float64(n) {
		return n
	}
	return int(math.Ceil(v))
}

// borders marks the samples within reach samples of a border between cells for which differ is true (-1 means no cell).
// It returns nil if the marks would cover most of the mesh.
func (r *raster) borders(reach int, differ func(a, b int32) bool) []bool {
	marked := make([]bool, len(r.cell))
	mark := func(i, j int) {
		for dj := -reach + 1; dj <= reach; dj++ {
			for di := -reach + 1; di <= reach; di++ {
				if x, y := i+di, j+dj; x >= 0 && x < r.width && y >= 0 && y < r.height {
					marked[y*r.width+x] = true
				}
			}
		}
	}
	for j := range r.height {
		for i := range r.width {
			index := j*r.width + i
			if i+1 < r.width && r.cell[index] != r.cell[index+1] && differ(r.cell[index], r.cell[index+1]) ||
				j+1 < r.height && r.cell[index] != r.cell[index+r.width] && differ(r.cell[index], r.cell[index+r.width]) {
				mark(i, j)
			}
		}
	}
	covered, hidden := 0, 0
	for i, c := range r.cell {
		if c >= 0 {
			covered++
			if marked[i] {
				hidden++
			}
		}
	}
	if 2*hidden > covered {
		return nil
	}
	return marked
}

// paint returns the picture: a pixel is the mean of its samples. colour returns the colour of a cell; samples in
// marked, if not nil, are blended with the colour line.
func (r *raster) paint(colour func(cell int32) color.RGBA, marked []bool, line color.RGBA) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, r.width/samples, r.height/samples))
	paintRows := func(from, to int) {
		for py := from; py < to; py++ {
			for px := range r.width / samples {
				var sum [3]int
				for s := range samples * samples {
					i := (py*samples+s/samples)*r.width + px*samples + s%samples
					c := white
					if r.cell[i] >= 0 {
						c = colour(r.cell[i])
					}
					if marked != nil && marked[i] {
						c = blend(c, line)
					}
					sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
				}
				const n = samples * samples
				mean := func(k int) uint8 { return uint8((sum[k] + n/2) / n) }
				img.SetRGBA(px, py, color.RGBA{mean(0), mean(1), mean(2), 255})
			}
		}
	}
	rows := r.height / samples
	n := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() { paintRows(k*rows/n, (k+1)*rows/n) })
	}
	wg.Wait()
	return img
}

// blend draws top, whose alpha is not premultiplied, over an opaque colour.
func blend(under, top color.RGBA) color.RGBA {
	mix := func(u, t uint8) uint8 { return uint8((int(u)*(255-int(top.A)) + int(t)*int(top.A) + 127) / 255) }
	return color.RGBA{mix(under.R, top.R), mix(under.G, top.G), mix(under.B, top.B), 255}
}
