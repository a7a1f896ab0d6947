package twophase

import "testing"

// TestDropKeepsItsMomentum: a dense drop of few cells moves on through a gas. Without the changes of package netforce
// one of 6.4 cells loses a quarter of its velocity, and one of 3.2 cells gains a tenth; in axisymmetric flow, too, the
// force along the axis is 0.
func TestDropKeepsItsMomentum(t *testing.T) {
	for _, rings := range []bool{false, true} {
		for _, n := range []int{8, 16} {
			q := trial{dim: 2, hi: [3]float64{1, 1}, n: [3]int{n, n, 1}, periodic: [3]bool{!rings, true},
				body: "circle(0.5, 0.5, 0.2)", cfg: fluidsOf(1, .001, .004, .00008, 2),
				inBody: func(_, _, _ float64, d int) (float64, error) { return float64(d), nil }}
			if rings {
				q.body, q.cfg.Rings = "circle(0, 0.5, 0.2)", true
			}
			s, e := q.start(t)
			advance(t, e, 1)
			v := s.quantity(t, "mean_v")
			t.Logf("axisymmetric %v, %d cells: velocity %.4f", rings, n, v)
			if v < .97 || v > 1.01 {
				t.Errorf("axisymmetric %v, %d cells: the velocity is %g", rings, n, v)
			}
		}
	}
}
