package ground

import (
	"math"

	"github.com/atoll-hpc/atoll/solvers/common/raster"
)

// mostPieces bounds the pieces into which an edge is divided.
const mostPieces = 64

// Samples calls f with the positions at which a raster with cells of the given size is sampled for a triangle: the
// centroids of n² equal triangles, whose edges are not much longer than the cells. The mean of a linear function at
// these positions is its value at the centroid. With n = 1 there is no position but the centroid: f is not called.
func Samples(t *Triangle, size float64, f func(x, y float64)) (n int) {
	longest := 0.0
	for k := range t {
		a, b := t[k], t[(k+1)%3]
		longest = max(longest, math.Hypot(b[0]-a[0], b[1]-a[1]))
	}
	n = max(1, min(mostPieces, int(math.Round(longest/size))))
	if n == 1 {
		return n
	}
	at := func(u, v float64) {
		u, v = u/float64(n), v/float64(n)
		f(t[0][0]+u*(t[1][0]-t[0][0])+v*(t[2][0]-t[0][0]), t[0][1]+u*(t[1][1]-t[0][1])+v*(t[2][1]-t[0][1]))
	}
	for j := range n {
		for i := range n - j {
			at(float64(i)+1./3, float64(j)+1./3)
			if i+j < n-1 {
				at(float64(i)+2./3, float64(j)+2./3)
			}
		}
	}
	return n
}

// Mean returns the mean of rasters over a triangle whose centroid is at (x, y): that of the positions of Samples that
// have data. A raster with cells that are not smaller than the triangle is interpolated at the centroid. It is an error
// if the centroid has no data.
func Mean(s raster.Stack, t *Triangle, x, y float64) (float64, error) {
	centre, err := s.At(x, y)
	if err != nil {
		return 0, err
	}
	sum, count := 0.0, 0
	n := Samples(t, s.CellSize(x, y), func(x, y float64) {
		if v, err := s.At(x, y); err == nil {
			sum += v
			count++
		}
	})
	if n == 1 || count == 0 {
		return centre, nil
	}
	return sum / float64(count), nil
}
