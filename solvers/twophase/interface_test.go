package twophase

import (
	"fmt"
	"math"
	"testing"
)

// TestLevelIsMeasured: a level anywhere in cells, and on their faces, has its length, centre and energies.
func TestLevelIsMeasured(t *testing.T) {
	for _, height := range []float64{.5, .53, .5 + 1.0/16 - 1e-5} {
		q := trial{dim: 2, hi: [3]float64{1, 1}, n: [3]int{16, 16, 1}, body: fmt.Sprintf("box(-1, -1, 2, %v)", height),
			cfg: fluidsOf(1000, 1, 0, 0, 2)}
		q.cfg.Gravity[1] = -10
		s, _ := q.start(t)
		for name, want := range map[string]float64{"interface": 1, "surface_energy": 2, "centre_x": .5,
			"centre_y": height / 2, "potential_energy": 999 * 10 * height * height / 2} {
			if v := s.quantity(t, name); math.Abs(v-want) > 1e-12*want {
				t.Errorf("a level of %v: %s is %v, want %v", height, name, v, want)
			}
		}
	}
}

// TestLevelOnRingsIsMeasured: the same in axisymmetric flow, where the interface is a disk or a tube.
func TestLevelOnRingsIsMeasured(t *testing.T) {
	for _, c := range []struct {
		body                   string
		area, centre, fraction float64
	}{
		{"box(-1, -1, 2, 0.5)", math.Pi, .25, .5}, {"box(-1, -1, 2, 0.53)", math.Pi, .265, .53},
		{"box(-1, -1, 0.5, 2)", math.Pi, .5, .25}, {"box(-1, -1, 0.53, 2)", 2 * math.Pi * .53, .5, .53 * .53},
	} {
		q := trial{dim: 2, hi: [3]float64{1, 1}, n: [3]int{16, 16, 1}, body: c.body, cfg: fluidsOf(1000, 1, 0, 0, 2)}
		q.cfg.Rings = true
		s, _ := q.start(t)
		for name, want := range map[string]float64{"interface": c.area, "centre_y": c.centre} {
			if v := s.quantity(t, name); math.Abs(v-want) > 2e-3*want {
				t.Errorf("%s: %s is %v, want %v", c.body, name, v, want)
			}
		}
	}
}

// TestCurvatureIsWritten: of a disk, a ball, and a ball in axisymmetric flow.
func TestCurvatureIsWritten(t *testing.T) {
	for _, c := range []struct {
		dim   int
		rings bool
		body  string
		want  float64
	}{{2, false, "circle(0.5, 0.5, 0.3)", 1 / .3}, {3, false, "sphere(0.5, 0.5, 0.5, 0.3)", 2 / .3},
		{2, true, "circle(0, 0.5, 0.3)", 2 / .3}} {
		q := trial{dim: c.dim, hi: [3]float64{1, 1, 1}, n: [3]int{32, 32, 32}, body: c.body, cfg: fluidsOf(1, 1, 0, 0, 1)}
		if c.dim == 2 {
			q.hi[2], q.n[2] = 0, 1
		}
		q.cfg.Rings = c.rings
		s, _ := q.start(t)
		values, err := surface[float64]{s}.curvature(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for n, v := range values {
			if v == 0 || c.rings && n%32 < 2 { // the radius of a part of a ring at the axis
				continue
			}
			count++
			if math.Abs(v-c.want) > .1*c.want {
				t.Errorf("%s: curvature %v in cell %d, %v is exact", c.body, v, n, c.want)
			}
		}
		if count < 20 {
			t.Errorf("%s: %d cells have a curvature", c.body, count)
		}
	}
}
