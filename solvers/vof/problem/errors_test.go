package problem

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

// diskAtRest is a case of a disk at rest.
const diskAtRest = `
solver = "vof"
grid = { bounds = [0, 0, 1, 1], cells = 32 }
initial = { shape = "circle(0.51, 0.52, 0.3)" }
velocity = { u = "0", v = "0" }
method = { normal = "lvira" }
time = { end = 1, max_steps = 1 }
output = { format = [], fields = ["f", "curvature_error"] }
`

// TestNormalsAndCurvatures proves that normals of fitted lines converge to first order and curvatures from heights to
// second, that normals of Youngs do not converge, and that errors do not depend on the number of ranks.
func TestNormalsAndCurvatures(t *testing.T) {
	measure := func(text string, ranks int) map[string]float64 {
		s, err := runtest.Run(t, text, ranks, 1, runtest.Local, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return s.Metrics
	}
	finer := strings.Replace(diskAtRest, "cells = 32", "cells = 128", 1)
	coarse, fine := measure(diskAtRest, 1), measure(finer, 1)
	for name, order := range map[string]float64{"normal_error": 1, "normal_max_error": 1, "curvature_error": 2} {
		if got := math.Log2(coarse[name]/fine[name]) / 2; !(math.Abs(got-order) < .15) {
			t.Errorf("%s: %g and %g, of order %g", name, coarse[name], fine[name], got)
		}
	}
	many := measure(finer, 3)
	for _, q := range vof.EndQuantities {
		if many[q.Name] != fine[q.Name] || fine[q.Name] == 0 {
			t.Errorf("%s is %g on three ranks, on one %g", q.Name, many[q.Name], fine[q.Name])
		}
	}
	youngs := func(text string) float64 {
		return measure(strings.Replace(text, "lvira", "youngs", 1), 1)["normal_error"]
	}
	if c, f := youngs(diskAtRest), youngs(finer); !(c < 1.2*f && f < 1.2*c) {
		t.Errorf("errors of Youngs' normals are %g, on finer cells %g, want about the same", c, f)
	}
	without := strings.Replace(diskAtRest, "curvature_error", "normal", 1)
	if _, measured := measure(without, 1)["curvature_error"]; measured {
		t.Error("curvature errors are measured although no output needs them")
	}
}

// TestCurvatureIsOfSecondOrder proves that curvatures from heights converge with second order where the curvature
// changes along the interface.
func TestCurvatureIsOfSecondOrder(t *testing.T) {
	for _, shape := range []string{
		"ellipse(0.51, 0.52, 0.35, 0.25)", "ellipse(0.49, 0.5, 0.2, 0.3)",
		"((x-0.51)+(y-0.5))^2/0.16 + ((x-0.51)-(y-0.5))^2/0.25 - 1",
		"(x-0.5)^2/0.09 + (y-0.5)^2/0.12 + 3*(x-0.5)*(y-0.5) - 1",
		"(x-0.5)^2 + (y-0.5)^2*(1 + 0.3*x) - 0.08", "sqrt((x-0.5)^2 + (y-0.49)^2) - 0.3 - 0.03*cos(3*atan2(y-0.49, x-0.5))"} {
		measure := func(cells string) float64 {
			s, err := runtest.Run(t, diskAtRest, 1, 1, runtest.Local, t.TempDir(), "initial.shape='"+shape+"'",
				"grid.cells="+cells)
			if err != nil {
				t.Fatal(err)
			}
			return s.Metrics["curvature_error"]
		}
		coarse, fine := measure("64"), measure("256")
		if got := math.Log2(coarse/fine) / 2; !(got > 1.8) {
			t.Errorf("%s: %g and %g, of order %g", shape, coarse, fine, got)
		}
	}
}

// TestNormalsInSpace checks normals and curvature 2/r of a ball.
func TestNormalsInSpace(t *testing.T) {
	text := strings.NewReplacer("[0, 0, 1, 1], cells = 32", "[0, 0, 0, 1, 1, 1], cells = 24", "circle(0.51, 0.52, 0.3)",
		"sphere(0.51, 0.52, 0.5, 0.3)", `v = "0"`, `v = "0", w = "0"`, "lvira", "myc").Replace(diskAtRest)
	s, err := runtest.Run(t, text, 2, 1, runtest.Local, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if n, k := s.Metrics["normal_error"], s.Metrics["curvature_error"]; !(n > 0 && n < .02 && k > 0 && k < .02*2/.3) {
		t.Errorf("normals are off by %g, curvatures by %g 1/m", n, k)
	}
}

// TestNormalsOfCarriedDisk proves a statement of docs/volume-of-fluid.md: if a disk is carried along and keeps its
// shape, MYC has the least error of all normals, and LVIRA a larger one than ELVIRA and heights.
func TestNormalsOfCarriedDisk(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "carried.toml"))
	if err != nil {
		t.Fatal(err)
	}
	errorOf := func(normal string) float64 {
		s, err := runtest.Run(t, string(text), 1, 1, runtest.Local, t.TempDir(), "grid.cells=32", "method.normal="+normal)
		if err != nil {
			t.Fatal(err)
		}
		return s.Metrics["l1_error"]
	}
	myc, height, elvira, lvira := errorOf("myc"), errorOf("height"), errorOf("elvira"), errorOf("lvira")
	if !(0 < myc && myc < height && height < elvira && elvira < lvira) {
		t.Errorf("errors of myc %g, height %g, elvira %g, lvira %g are not in this order", myc, height, elvira, lvira)
	}
}
