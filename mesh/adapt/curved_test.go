package adapt

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// sector is a sixth of a ring between cylinders of radius 1 and 2, of n × n × n boxes.
func sector(t *testing.T, n int) *mesh.Solid {
	t.Helper()
	s, err := mesh.Cube(n, n, n, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for v := range s.X {
		sin, cos := math.Sincos(s.Y[v] * math.Pi / 3)
		s.Y[v], s.X[v] = (1+s.X[v])*sin, (1+s.X[v])*cos
	}
	if err := s.Check(); err != nil { // the map may turn the cells
		for c, v := range s.Cells {
			s.Cells[c] = [4]int32{v[0], v[1], v[3], v[2]}
		}
	}
	return s
}

// TestCurvedSurfaces adapts the sector to smaller and larger sizes. New vertices of the cylinders are on them, nearer
// than the faces of the input, volumes are kept accordingly, and cells are good.
func TestCurvedSurfaces(t *testing.T) {
	const boxes = 6
	sagitta := 2 * (1 - math.Cos(math.Pi/3/boxes/2)) // of the faces of the outer cylinder
	volume := math.Pi / 6 * (4 - 1)
	for _, h := range []float64{.11, .3} {
		in, err := mutable.FromTetrahedra(sector(t, boxes))
		if err != nil {
			t.Fatal(err)
		}
		e := newEngine(in, Options{Ridge: 45, Threads: 2, Hausdorff: 5e-3})
		m := 1 / (h * h)
		field := func(measure.Vector) measure.Tensor { return measure.Tensor{m, 0, m, 0, 0, m} }
		e.retarget(field)
		e.restart()
		before := mutable.StatisticsOf(e.Mesh)
		mustRun(t, e, field)
		after := mutable.StatisticsOf(e.Mesh)
		if after.QualityWorst < .4 || after.QualityLow < .55 || h < .2 && after.Vertices < 2*before.Vertices ||
			h > .2 && after.Vertices > before.Vertices*2/3 {
			t.Errorf("size %g: %+v", h, after)
		}
		if math.Abs(after.Volume-volume) > 2*math.Abs(before.Volume-volume) {
			t.Errorf("size %g: volume %g becomes %g; of the sector %g", h, before.Volume, after.Volume, volume)
		}
		e.check(t, "sector")
		worst, sum, n := 0.0, 0.0, 0.0
		for v, x := range e.X {
			if e.Freedom[v] != 2 || e.Degree(int32(v)) == 0 {
				continue
			}
			r := math.Hypot(x[0], x[1])
			if kind := mutable.KindAround(e.Mesh, int32(v)); e.Facets[kind].Groups[0] == 1 || e.Facets[kind].Groups[0] == 2 {
				off := min(math.Abs(r-1), math.Abs(r-2))
				worst, sum, n = max(worst, off), sum+off, n+1
			}
		}
		// The largest distances are at the ends of the cylinders, where normals are known from one side only.
		if !(worst < .6*sagitta) || !(sum/n < .1*sagitta) {
			t.Errorf("size %g: vertices up to %g, in the mean %g, from the cylinders, whose faces are up to %g away", h, worst,
				sum/n, sagitta)
		}
	}
}
