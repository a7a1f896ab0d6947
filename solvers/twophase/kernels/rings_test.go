package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	vof "github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// TestCurvatureOfRings: in axisymmetric flow the curvature of spheres on the axis and of tori around it, of drops and
// of bubbles, converges at second order by heights, and by lines with less than the error of those in the plane.
func TestCurvatureOfRings(t *testing.T) {
	for _, c := range []struct {
		radius, around       float64 // in cells; around the axis, of a torus
		most, mostOfPolygons float64 // mean errors relative to 2/radius
	}{{3.2, 0, .05, .06}, {6.4, 0, .014, .016}, {12.8, 0, .004, .004}, {6.4, 12, .014, .016}, {12.8, 24, .004, .004}} {
		rng := rand.New(rand.NewPCG(5, 6))
		var all, polygons, worst, worstPolygon float64
		cells, fitted := 0.0, 0.0
		for turn := range 40 {
			bubble := turn%2 == 1
			q, box, centre := ring(rng, c.radius, c.around, bubble)
			NewFitRingsLoop(abi.Box{Lo: [3]int{-1, -1}, Hi: [3]int{box.Hi[0] + 1, box.Hi[1] + 1, 1}}, &q.Lattice, q.F,
				q.Lines).Range(0, (box.Hi[0]+2)*(box.Hi[1]+2))
			NewFindJumpLoop(box, q).Range(0, box.Size())
			for j := range box.Hi[1] {
				for i := range box.Hi[0] {
					at := q.at(i, j, 0)
					if q.Jump[at] == NoJump {
						continue
					}
					n := q.normal(at)
					exact := 2 / c.radius
					if x, y := float64(i)+.5-centre[0], float64(j)+.5-centre[1]; c.around > 0 {
						across := x / math.Hypot(x, y)
						exact = 1/c.radius + across/(centre[0]+c.radius*across)
					}
					if bubble {
						exact = -exact
					}
					e := math.Abs(q.Jump[at]-exact) / (2 / c.radius)
					all, cells, worst = all+e, cells+1, max(worst, e)
					if q.mixed(at) {
						e = math.Abs(q.fromPolygons(at, i, n)-exact) / (2 / c.radius)
						polygons, fitted, worstPolygon = polygons+e, fitted+1, max(worstPolygon, e)
					}
				}
			}
		}
		t.Logf("radius %g around %g: mean error %.4f, largest %.4f; of polygons %.4f, %.4f", c.radius, c.around, all/cells,
			worst, polygons/fitted, worstPolygon)
		if all/cells > c.most || polygons/fitted > c.mostOfPolygons {
			t.Errorf("radius %g around %g: mean errors %g and, of polygons, %g", c.radius, c.around, all/cells, polygons/fitted)
		}
	}
}

// ring is a sphere on the axis, or a torus, at a random height: of the first fluid, or a bubble in it. It returns the
// centre, too.
func ring(rng *rand.Rand, radius, around float64, bubble bool) (q *Interface[float64], box abi.Box,
	centre [2]float64) {
	n := [3]int{int(around+radius) + 6, int(2*radius) + 8, 1}
	l, length := latticeFor(n)
	l.Rings = true
	q = &Interface[float64]{Lattice: l, F: make([]float64, length), Tension: 1, Jump: make([]float64, length),
		Lines: make([]geom.Line[float64], length)}
	if around > 0 {
		around += rng.Float64() - .5
	}
	middle := float64(n[1])/2 + rng.Float64() - .5
	const samples = 1000
	for c := range length {
		x, y := float64(c%int(l.SY)-ghost), float64(c/int(l.SY)-ghost)
		if x < 0 {
			x = -1 - x
		}
		sum := 0.0
		for a := range samples {
			z := y + (float64(a)+.5)/samples - middle
			if half := radius*radius - z*z; half > 0 {
				lo, hi := max(x, around-math.Sqrt(half)), min(x+1, around+math.Sqrt(half))
				if hi > lo {
					sum += (hi*hi - lo*lo) / 2
				}
			}
		}
		if q.F[c] = min(1, sum/samples/(x+.5)); q.F[c] > 1-1e-13 {
			q.F[c] = 1
		}
		if bubble {
			q.F[c] = 1 - q.F[c]
		}
	}
	at := vof.Lattice{Origin: l.First, SY: l.SY, SZ: l.SZ}
	for c := int(l.SY + 1); c < length-int(l.SY+1); c++ {
		if q.F[c] > 0 && q.F[c] < 1 {
			q.Lines[c] = vof.PlaneOf2(q.F, c, at, vof.Mixed, 0)
		}
	}
	return q, abi.Box{Hi: n}, [2]float64{around, middle}
}
