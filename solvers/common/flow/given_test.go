package flow

import (
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/grid"
)

// TestFlowsOfPotentials proves that flows from potentials have no discrete divergence, also in cells that are not
// cubes, and agree with the analytic velocity.
func TestFlowsOfPotentials(t *testing.T) {
	psi := func(x, y float64) float64 { return math.Exp(x) * math.Sin(3*y) }
	s, err := Stream(plane, psi)
	if err != nil {
		t.Fatal(err)
	}
	a := func(axis int, x, y, z float64) float64 {
		return [3]float64{math.Sin(y * z), x * x * z, math.Cos(x - 2*y)}[axis]
	}
	p, err := Potential(space, a)
	if err != nil {
		t.Fatal(err)
	}
	velocity := func(axis int, x, y, z float64) float64 {
		return [3]float64{2*math.Sin(x-2*y) - x*x, y*math.Cos(y*z) + math.Sin(x-2*y), 2*x*z - z*math.Cos(y*z)}[axis]
	}
	for name, c := range map[string]struct {
		g        *grid.Grid
		f        Flow
		velocity func(axis int, x, y, z float64) float64
	}{
		"stream": {plane, s, func(axis int, x, y, _ float64) float64 {
			return [2]float64{-3 * math.Exp(x) * math.Cos(3*y), math.Exp(x) * math.Sin(3*y)}[axis]
		}},
		"potential": {space, p, velocity},
	} {
		most, _, speed := Divergence(c.g, c.f)
		if most > 1e-12 || speed < 1 {
			t.Errorf("%s: the divergence is %g, the speed %g", name, most, speed)
		}
		sampled := Components(c.g, c.velocity)
		for axis := range c.g.Dim {
			for k := range c.g.N[2] {
				if got, want := c.f.Face(axis, 3, 7, k), sampled.Face(axis, 3, 7, k); math.Abs(got-want) > .01 {
					t.Errorf("%s, axis %d: velocity %v, want %v", name, axis, got, want)
				}
			}
		}
	}
	if _, err := Stream(space, psi); err == nil || !strings.Contains(err.Error(), "3 dimensions") {
		t.Errorf("a stream function in space: error %v", err)
	}
	if _, err := Potential(plane, a); err == nil || !strings.Contains(err.Error(), "2 dimensions") {
		t.Errorf("a vector potential in the plane: error %v", err)
	}
}

// TestDivergence proves that Divergence finds the cell with the largest divergence.
func TestDivergence(t *testing.T) {
	f := Components(plane, func(axis int, x, _, _ float64) float64 {
		if axis == 0 && x > .49 && x < .51 {
			return 2
		}
		return 0
	})
	if most, cell, speed := Divergence(plane, f); math.Abs(most-80) > 1e-12 || cell[0] != 19 || speed != 2 {
		t.Errorf("divergence %v in cell %v at speed %v, want 80 in cell 19", most, cell, speed)
	}
}
