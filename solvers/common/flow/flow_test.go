package flow

import (
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/grid"
)

var (
	plane = &grid.Grid{Dim: 2, N: [3]int{40, 30, 1}, Hi: [3]float64{1, 1, 0}}
	space = &grid.Grid{Dim: 3, N: [3]int{20, 15, 25}, Hi: [3]float64{1, 1, 1}}
)

// TestFlowsHaveNoDivergence proves that the discrete divergence is round-off, also in cells that are not cubes.
func TestFlowsHaveNoDivergence(t *testing.T) {
	for _, name := range Names {
		l := plane
		f, err := Named(name, l, 2)
		if err != nil {
			l = space
			if f, err = Named(name, l, 2); err != nil {
				t.Fatal(err)
			}
		}
		worst := 0.0
		for k := range l.N[2] {
			for j := range l.N[1] {
				for i := range l.N[0] {
					sum := 0.0
					for d := range l.Dim {
						to := [3]int{i, j, k}
						to[d]++
						sum += (f.Face(d, to[0], to[1], to[2]) - f.Face(d, i, j, k)) / l.Spacing(d)
					}
					worst = math.Max(worst, math.Abs(sum))
				}
			}
		}
		if worst > 2e-13 {
			t.Errorf("%s: the divergence is %g", name, worst)
		}
	}
}

// TestFlowsAreTheFormulae compares face velocities with the analytic velocities at the centres of faces. They differ by
// an error of second order, here at most 0.04, since a face velocity is an average over the face.
func TestFlowsAreTheFormulae(t *testing.T) {
	sin, cos, pi := math.Sin, math.Cos, math.Pi
	for name, of := range map[string]func(x, y, z float64) [3]float64{
		"rotation": func(x, y, _ float64) [3]float64 { return [3]float64{-pi * (y - .5), pi * (x - .5)} },
		"rider-kothe": func(x, y, _ float64) [3]float64 {
			return [3]float64{-square(sin(pi*x)) * sin(2*pi*y), sin(2*pi*x) * square(sin(pi*y))}
		},
		"deformation": func(x, y, _ float64) [3]float64 {
			return [3]float64{sin(4*pi*(x+.5)) * sin(4*pi*(y+.5)), cos(4*pi*(x+.5)) * cos(4*pi*(y+.5))}
		},
		"enright": func(x, y, z float64) [3]float64 {
			return [3]float64{2 * square(sin(pi*x)) * sin(2*pi*y) * sin(2*pi*z), -sin(2*pi*x) * square(sin(pi*y)) * sin(2*pi*z),
				-sin(2*pi*x) * sin(2*pi*y) * square(sin(pi*z))}
		},
		"shear": func(x, y, _ float64) [3]float64 {
			return [3]float64{square(sin(pi*x)) * sin(2*pi*y), -sin(2*pi*x) * square(sin(pi*y)),
				square(1 - 2*math.Hypot(x-.5, y-.5))}
		},
	} {
		l := plane
		if name == "enright" || name == "shear" {
			l = space
		}
		f, err := Named(name, l, 2)
		if err != nil {
			t.Fatal(err)
		}
		for axis := range l.Dim {
			for n := range 500 {
				at := [3]int{n * 7 % l.N[0], n * 11 % l.N[1], n * 13 % l.N[2]}
				var x [3]float64
				for d := range 3 {
					x[d] = (float64(at[d]) + .5) * l.Spacing(d)
					if d == axis {
						x[d] = float64(at[d]) * l.Spacing(d)
					}
				}
				if got, want := f.Face(axis, at[0], at[1], at[2]), of(x[0], x[1], x[2])[axis]; math.Abs(got-want) > .04 {
					t.Fatalf("%s: velocity %d at %v is %v, want %v", name, axis, x, got, want)
				}
			}
		}
	}
}

func TestRefusedFlows(t *testing.T) {
	for _, c := range []struct {
		name   string
		l      *grid.Grid
		period float64
		want   string
	}{
		{"whirl", plane, 1, "is not known"}, {"enright", plane, 1, "dimensions"}, {"rotation", space, 1, "dimensions"},
		{"rotation", plane, 0, "the time of one revolution"}, {"reversed-vortex", plane, 0, "needs a period"},
		{"rider-kothe", plane, -1, "period"}, {"rider-kothe", plane, math.NaN(), "period"},
	} {
		if _, err := Named(c.name, c.l, c.period); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", c.name, err, c.want)
		}
	}
	f, err := Named("reversed-vortex", plane, 8)
	if err != nil || f.FactorAt(0) != 1 || math.Abs(f.FactorAt(4)) > 1e-16 || f.FactorAt(8) != -1 ||
		Uniform(1, 2, 3).Face(1, 0, 0, 0) != 2 || Uniform(1, 2, 3).FactorAt(5) != 1 {
		t.Errorf("factors %v, %v, %v, error %v", f.FactorAt(0), f.FactorAt(4), f.FactorAt(8), err)
	}
}
