package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	vof "github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// TestCurvatureOfCircles: the curvature of circles and spheres converges: the mean error where heights exist at second
// order, and elsewhere, by polygons, below the values of a reference for the same fit.
func TestCurvatureOfCircles(t *testing.T) {
	for _, c := range []struct {
		dim                  int
		radius               float64 // in cells
		most, mostOfPolygons float64 // mean relative errors
	}{{2, 3.2, .06, .055}, {2, 6.4, .016, .012}, {2, 12.8, .004, .003}, {3, 3.2, .07, .075}, {3, 6.4, .014, .02}} {
		rng := rand.New(rand.NewPCG(5, 6))
		var all, polygons, worst float64
		cells, fitted := 0.0, 0.0
		for range map[int]int{2: 20, 3: 3}[c.dim] {
			q, box := circle(rng, c.dim, c.radius)
			NewFindJumpLoop(box, q).Range(0, box.Size())
			exact := float64(c.dim-1) / c.radius
			for k := range box.Hi[2] {
				for j := range box.Hi[1] {
					for i := range box.Hi[0] {
						at := q.at(i, j, k)
						if q.Jump[at] == NoJump {
							if q.mixed(at) && q.F[at] > .01 && q.F[at] < .99 {
								t.Fatalf("%+v: no curvature where the fraction is %g", c, q.F[at])
							}
							continue
						}
						e := math.Abs(q.Jump[at]/exact - 1)
						all, cells, worst = all+e, cells+1, max(worst, e)
						if q.mixed(at) {
							polygons += math.Abs(q.fromPolygons(at, i, q.normal(at))/exact - 1)
							fitted++
						}
					}
				}
			}
		}
		t.Logf("%dD, radius %g: mean error %.4f, largest %.4f, of polygons %.4f", c.dim, c.radius, all/cells, worst,
			polygons/fitted)
		if all/cells > c.most || polygons/fitted > c.mostOfPolygons {
			t.Errorf("%dD, radius %g: mean errors %g and, of polygons, %g", c.dim, c.radius, all/cells, polygons/fitted)
		}
	}
}

// circle is a circle or sphere with a random centre.
func circle(rng *rand.Rand, dim int, radius float64) (*Interface[float64], abi.Box) {
	side := int(2*radius) + 6
	n := [3]int{side, side, 1}
	if dim == 3 {
		n[2] = side
	}
	l, length := latticeFor(n)
	q := &Interface[float64]{Lattice: l, F: make([]float64, length), Tension: 1, Jump: make([]float64, length),
		Lines: make([]geom.Line[float64], length), Planes: make([]geom.Plane[float64], length)}
	var centre [3]float64
	for d := range dim {
		centre[d] = float64(side)/2 + rng.Float64() - .5
	}
	samples := map[int]int{2: 1000, 3: 16}[dim]
	for c := range length {
		x, y, z := c%int(l.SY)-ghost, c/int(l.SY)%int(l.SZ/l.SY)-ghost, 0
		if dim == 3 {
			z = c/int(l.SZ) - ghost
		}
		q.F[c] = part(radius, centre, [3]int{x, y, z}, dim, samples)
	}
	at := vof.Lattice{Origin: l.First, SY: l.SY, SZ: l.SZ}
	for c := int(l.SZ + l.SY + 1); c < length-int(l.SZ+l.SY+1); c++ {
		if dim == 3 && q.F[c] > 0 && q.F[c] < 1 {
			q.Planes[c] = vof.PlaneOf3(q.F, c, at, vof.Mixed, 0)
		}
	}
	for c := int(l.SY + 1); dim == 2 && c < length-int(l.SY+1); c++ {
		if q.F[c] > 0 && q.F[c] < 1 {
			q.Lines[c] = vof.PlaneOf2(q.F, c, at, vof.Mixed, 0)
		}
	}
	return q, abi.Box{Hi: n}
}

// part is the part of a cell in a ball, by lines through it whose length is exact.
func part(radius float64, centre [3]float64, cell [3]int, dim, samples int) float64 {
	sum, layers := 0.0, 1
	if dim == 3 {
		layers = samples
	}
	for b := range layers {
		for a := range samples {
			y := float64(cell[1]) + (float64(a)+.5)/float64(samples) - centre[1]
			z := 0.0
			if dim == 3 {
				z = float64(cell[2]) + (float64(b)+.5)/float64(samples) - centre[2]
			}
			if half := radius*radius - y*y - z*z; half > 0 {
				lo, hi := centre[0]-math.Sqrt(half), centre[0]+math.Sqrt(half)
				sum += max(0, min(float64(cell[0]+1), hi)-max(float64(cell[0]), lo))
			}
		}
	}
	return sum / float64(samples*layers)
}
