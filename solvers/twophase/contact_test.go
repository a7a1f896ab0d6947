package twophase

import (
	"fmt"
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels"
)

// TestCurvatureAtContactLine: the curvature of caps in the cells at the wall, by the ghosts beyond it, is that of the
// circle or sphere. In space the ghosts follow the curve of the line of contact: planes along the wall lost up to half.
func TestCurvatureAtContactLine(t *testing.T) {
	const radius = 6.3 // in cells
	for _, c := range []struct {
		dim         int
		angle, most float64
	}{{2, 60, .03}, {2, 120, .03}, {2, 135, .08}, {2, 150, .07},
		{3, 60, .05}, {3, 120, .05}, {3, 135, .08}, {3, 150, .1}} {
		centre := -radius * math.Cos(c.angle*math.Pi/180)
		q := trial{dim: 2, hi: [3]float64{14, 14}, n: [3]int{14, 14, 1}, cfg: fluidsOf(1, 1, 0, 0, 1),
			body: fmt.Sprintf("circle(0, %g, %g)", centre, radius)}
		if c.dim == 3 {
			q.dim, q.hi, q.n = 3, [3]float64{14, 14, 14}, [3]int{14, 14, 14}
			q.body = fmt.Sprintf("sphere(0, 0, %g, %g)", centre, radius)
		}
		q.cfg.Sides[c.dim-1][0].Angle = c.angle
		s, _ := q.start(t)
		err := s.Do(t.Context(), func(p *engine.Program) {
			s.refreshFractions(p, s.f[0])
			s.extendFractions(p, s.f[0])
			s.findJump(p)
		})
		if err != nil {
			t.Fatal(err)
		}
		jump, err := s.jump.Host()
		if err != nil {
			t.Fatal(err)
		}
		f, err := s.f[0].Host()
		if err != nil {
			t.Fatal(err)
		}
		sum, total := 0., 0. // by f(1-f), as cells weigh little that are nearly pure
		for at := range s.block.OwnedIndices() {
			i, j, k := s.block.Cell(at)
			if weight := f[at] * (1 - f[at]); [3]int{i, j, k}[c.dim-1] == 0 && jump[at] != kernels.NoJump {
				sum, total = sum+weight*jump[at], total+weight
			}
		}
		if mean := sum / total * radius / float64(c.dim-1); !(math.Abs(mean-1) <= c.most) {
			t.Errorf("%d dimensions, %g degrees: the curvature is %g times the exact one", c.dim, c.angle, mean)
		}
	}
}
