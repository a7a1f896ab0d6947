package problem

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// Vertex fields are interpolated to the positions to which vertices have moved: linear ones exactly, whole ids and
// fields at vertices that stay not at all.
func TestVertexFieldsFollowPositions(t *testing.T) {
	dir := t.TempDir()
	linear := func(x, y, z float64) float64 { return 3*x - 2*y + z + 1 }
	plane, err := mesh.Rectangle(0, 0, 2, 1, 300, 3)
	if err != nil {
		t.Fatal(err)
	}
	solid, err := mesh.Cube(5, 5, 5, .15, 3)
	if err != nil {
		t.Fatal(err)
	}
	fields := func(n int, at func(v int) [3]float64) map[string][]float64 {
		all := map[string][]float64{"T": make([]float64, n), "id": make([]float64, n), "some": make([]float64, n),
			"few": make([]float64, n)}
		for v := range n {
			p := at(v)
			all["T"][v], all["id"][v], all["some"][v] = linear(p[0], p[1], p[2]), float64(v), math.NaN()
			if all["few"][v] = 5; v%3 > 0 {
				all["few"][v] = math.NaN()
			}
		}
		return all
	}
	plane.VertexData = fields(len(plane.X), func(v int) [3]float64 { return [3]float64{plane.X[v], plane.Y[v]} })
	solid.VertexData = fields(len(solid.X), func(v int) [3]float64 { return solid.At(int32(v)) })
	in2, in3 := filepath.Join(dir, "2.vtu"), filepath.Join(dir, "3.msh")
	if err := meshio.Write(in2, plane); err != nil {
		t.Fatal(err)
	}
	if err := meshio.WriteSolid(in3, solid); err != nil {
		t.Fatal(err)
	}
	for in, text := range map[string]string{in2: wavy, in3: brick} {
		out := in + ".out.msh"
		if _, err := runtest.Run(t, text, 2, 1, runtest.Local, t.TempDir(), fmt.Sprintf("mesh={file=%q}", in),
			"metric={field='implied'}", "method={smoother='barrier', sweeps=30}", fmt.Sprintf("output.mesh=%q", out)); err !=
			nil {
			t.Fatal(err)
		}
		m, s, err := meshio.ReadAny(out)
		if err != nil {
			t.Fatal(err)
		}
		var data map[string][]float64
		at := func(v int) [3]float64 { return [3]float64{m.X[v], m.Y[v]} }
		if s != nil {
			data, at = s.VertexData, func(v int) [3]float64 { return s.At(int32(v)) }
		} else {
			data = m.VertexData
		}
		for v, x := range data["T"] {
			p := at(v)
			if math.Abs(x-linear(p[0], p[1], p[2])) > 1e-12 || data["id"][v] != float64(v) || !math.IsNaN(data["some"][v]) {
				t.Fatalf("%s: vertex %d at %v: T = %g, id %g, some %g", in, v, p, x, data["id"][v], data["some"][v])
			}
			if few := data["few"][v]; v%3 > 0 && !math.IsNaN(few) || v%3 == 0 && !(math.Abs(few-5) < 1e-12) {
				t.Fatalf("%s: vertex %d has the value %g of few, want 5 at each third vertex, NaN at others", in, v, few)
			}
		}
	}
}

// The report says what became of fields: interpolated, kept by number, and without values.
func TestReportOfFields(t *testing.T) {
	nan := math.NaN()
	m, err := mesh.Rectangle(0, 0, 1, 1, 100, 3)
	if err != nil {
		t.Fatal(err)
	}
	few, id, kind := make([]float64, len(m.X)), make([]float64, len(m.X)), make([]float64, len(m.Cells))
	for v := range few {
		if few[v], id[v] = nan, float64(v); v < 9 {
			few[v] = 1 + float64(v)/8
		}
	}
	m.VertexData, m.CellData = map[string][]float64{"few": few, "id": id}, map[string][]float64{"kind": kind}
	in := filepath.Join(t.TempDir(), "in.msh")
	if err := meshio.Write(in, m); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sweeps int
		want   []string
	}{
		{20, []string{"few at the vertices: interpolated", fmt.Sprintf("few has no value at %d of %d vertices", len(few)-9,
			len(few)), "id at the vertices: kept by number",
			"kind of the triangles: kept by number, so these are values of the old triangles"}},
		{0, []string{"few at the vertices: interpolated"}},
	} {
		report := smoothedByDefault(t, in, fmt.Sprintf("method.sweeps=%d", c.sweeps)).Text()
		for _, want := range c.want {
			if !strings.Contains(report, want) {
				t.Errorf("%d sweeps: no %q in\n%s", c.sweeps, want, report)
			}
		}
		if c.sweeps == 0 && strings.Contains(report, "by number") {
			t.Errorf("nothing moved:\n%s", report)
		}
	}
}

// The metric of second derivatives takes fields of cells, and refuses fields without numbers.
func TestHessianOfCellField(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 400, 3)
	if err != nil {
		t.Fatal(err)
	}
	h, bad := make([]float64, len(m.Cells)), make([]float64, len(m.X))
	for c := range h {
		x, y := m.Centroid(c)
		h[c] = 4*x*x + y
	}
	bad[7] = math.NaN()
	m.CellData, m.VertexData = map[string][]float64{"h": h}, map[string][]float64{"bad": bad}
	for name, want := range map[string]string{"h": "", "bad": `"bad" is NaN at vertex 7`, "q": "there are bad, h"} {
		c := runtest.Parse(t, wavy, "metric={hessian={mesh='"+name+"'}, aspect=20}")
		n, err := request.NewNodal(c, &c.Sections.(*Sections).Metric, planeMesh{Mesh: m}.nodes())
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for v, f := range n.Tensors { // h is curved along x; one-sided means at the boundary are not
			if x, y := m.X[v], m.Y[v]; min(x, y, 1-x, 1-y) > .2 && !(f[0] > 2*f[2]) {
				t.Fatalf("metric %v at (%g, %g)", f, x, y)
			}
		}
	}
}

// Positions in reports have the digits that tell cells apart.
func TestDigitsOfPositions(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      int
	}{{0, 1, 3}, {-1, 1, 3}, {-5e6, 5e6, 3}, {500000, 500100, 7}, {4649776, 4649776.008, 12}, {1e6, 1e6 + 1e3, 7},
		{0, 1e-9, 3}, {2, 2, 17}} {
		m := &metric.Mesh{Dim: 2, X: [3][]float64{{c.low, c.high}, {0, 1}}}
		if got := digitsOf(m); got != [3]int{c.want, 3} {
			t.Errorf("%g to %g: %d digits, want %d", c.low, c.high, got, c.want)
		}
	}
}
