package problem

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/medit"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// sized writes a mesh with vertex data, and a solution with sizes at its vertices.
func sized(t *testing.T) (file, solution string) {
	t.Helper()
	dir := t.TempDir()
	m, err := mesh.Rectangle(0, 0, 1, 1, 300, 5)
	if err != nil {
		t.Fatal(err)
	}
	bump := make([]float64, len(m.X))
	h := make([]float64, len(m.X))
	for v := range bump {
		bump[v] = m.X[v] * m.X[v] * m.Y[v]
		h[v] = 0.02 + 0.1*m.X[v]
	}
	m.VertexData = map[string][]float64{"bump": bump}
	file, solution = filepath.Join(dir, "m.vtu"), filepath.Join(dir, "m.sol")
	if err := meshio.Write(file, m); err != nil {
		t.Fatal(err)
	}
	s := &medit.Solution{Dim: 2, Vertices: len(h), Fields: []medit.SolutionField{{Kind: medit.Scalar, Values: h}}}
	if err := medit.WriteSolution(solution, s); err != nil {
		t.Fatal(err)
	}
	return file, solution
}

// TestSmoothToNodalMetrics proves that metrics at vertices give the same bits on any number of ranks, and improve the
// mean quality: on two ranks with a copy of the metric for each, and on five that share one.
func TestSmoothToNodalMetrics(t *testing.T) {
	file, solution := sized(t)
	defer func(least int64) { leastShared = least }(leastShared)
	for _, metric := range []string{
		fmt.Sprintf("{solution=%q}", solution), fmt.Sprintf("{solution=%q, background=%q, gradation=1.5}", solution, file),
		"{hessian={mesh='bump'}, hmin=0.01, hmax=0.5}", "{hessian='tanh(20*(x-0.5))', norm=4, aspect=20}",
		"{hessian='tanh(9*(x-0.5))', also={mesh='bump'}, aspect=20}",
		"{width='0.02+0.2*x', height='0.1', angle='10*y', samples=0, gradation=2}", "{field='implied'}",
	} {
		var want string
		for _, ranks := range []int{1, 2, 5} {
			leastShared = map[int]int64{1: 1, 2: 1 << 40, 5: 1}[ranks]
			s, err := runtest.Run(t, wavy, ranks, 1, runtest.Local, t.TempDir(),
				fmt.Sprintf("mesh={file=%q, partition='random'}", file), "metric="+metric)
			if err != nil {
				t.Fatal(metric, err)
			}
			if s.Metrics["quality_mean"] <= s.Metrics["quality_mean_before"] {
				t.Errorf("%s: mean quality from %g to %g", metric, s.Metrics["quality_mean_before"], s.Metrics["quality_mean"])
			}
			if want == "" {
				want = s.StateSHA256
			} else if s.StateSHA256 != want {
				t.Errorf("%s: another state on %d ranks", metric, ranks)
			}
		}
	}
}

// TestSmoothToTwoFields proves that the metric of two fields has no larger sizes than that of either, in any order.
func TestSmoothToTwoFields(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 300, 5)
	if err != nil {
		t.Fatal(err)
	}
	field := func(set string) *request.Nodal {
		c := runtest.Parse(t, wavy, "metric="+set)
		n, err := request.NewNodal(c, &c.Sections.(*Sections).Metric, planeMesh{Mesh: m}.nodes())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	one, other := field("{hessian='x^4'}"), field("{hessian='y^4+x*y'}")
	both, swapped := field("{hessian='x^4', also='y^4+x*y'}"), field("{hessian='y^4+x*y', also='x^4'}")
	for v := range both.Tensors {
		for k := range 12 {
			s, c := math.Sincos(math.Pi * float64(k) / 12)
			length := func(n *request.Nodal) float64 { a := n.Tensors[v]; return a[0]*c*c + 2*a[1]*s*c + a[2]*s*s }
			least := max(length(one), length(other))
			if got := length(both); !(got >= least*(1-1e-9)) || math.Abs(length(swapped)/got-1) > 1e-6 {
				t.Fatalf("vertex %d, direction %d: %g and %g, of one field %g", v, k, got, length(swapped), least)
			}
		}
	}
}

// TestSmoothBoundsOfMetrics proves that bounds and gradation change the mesh.
func TestSmoothBoundsOfMetrics(t *testing.T) {
	file, solution := sized(t)
	for _, metric := range []string{
		fmt.Sprintf("{solution=%q%%s}", solution), "{hessian={mesh='bump'}%s}",
		"{width='0.01+0.2*x', height='0.1', samples=0%s}",
		"{width='0.01+0.2*x', height='0.1'%s}",
	} {
		seen := map[string]string{}
		for _, limit := range []string{"", ", hmin=0.05", ", hmax=0.095", ", aspect=1.5", ", gradation=1.1"} {
			if strings.HasPrefix(limit, ", grad") && strings.HasSuffix(metric, "'0.1'%s}") ||
				strings.HasPrefix(limit, ", aspect") && strings.HasPrefix(metric, "{sol") {
				continue // gradation applies to metrics at vertices, and these sizes are isotropic
			}
			s, err := runtest.Run(t, wavy, 1, 1, runtest.Local, t.TempDir(), fmt.Sprintf("mesh={file=%q}", file),
				"metric="+fmt.Sprintf(metric, limit))
			if err != nil {
				t.Fatal(metric, limit, err)
			}
			if was, ok := seen[s.StateSHA256]; ok {
				t.Errorf("%s: %q and %q give the same mesh", metric, limit, was)
			}
			seen[s.StateSHA256] = limit
		}
	}
}

// TestTensorOfSizes proves that an edge of the width along the angle, and one of the height across it, have the
// length 1.
func TestTensorOfSizes(t *testing.T) {
	for _, angle := range []float64{0, 30, 90, -135} {
		v, err := request.TensorOfSizes(0.5, 2, angle)
		if err != nil {
			t.Fatal(err)
		}
		s, c := math.Sincos(angle * math.Pi / 180)
		length := func(x, y float64) float64 { return math.Sqrt(v[0]*x*x + 2*v[1]*x*y + v[2]*y*y) }
		if a, b := length(0.5*c, 0.5*s), length(-2*s, 2*c); math.Abs(a-1) > 1e-14 || math.Abs(b-1) > 1e-14 {
			t.Errorf("angle %g: lengths %g and %g", angle, a, b)
		}
	}
}

func TestSmoothRefusesNodalMetrics(t *testing.T) {
	file, solution := sized(t)
	for _, c := range []struct{ metric, want string }{
		{fmt.Sprintf("{solution=%q}", solution), "the solution has values for"},
		{"{solution='none.sol'}", "none.sol"},
		{"{hessian={mesh='bump'}}", `hessian: the mesh has no data "bump" of one number a vertex or cell; there are none`},
		{"{hessian='log(x)'}", "hessian: vertex 0: expression"},
		{"{width='x', height='1', samples=0}", "[metric] at (-1, 0): width = -1"},
		{fmt.Sprintf("{solution=%q, background='none.mesh'}", solution), "none.mesh"},
	} {
		_, err := runtest.Run(t, wavy, 3, 1, runtest.Local, t.TempDir(), "metric="+c.metric)
		var bad *solvers.BadInput
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v does not say %q", c.metric, err, c.want)
		}
	}
	_, err := runtest.Run(t, wavy, 3, 1, runtest.Local, t.TempDir(),
		"mesh={generate='rectangle', bounds=[-1, 0, 9, 1], cells=100}",
		fmt.Sprintf("metric={solution=%q, background=%q}", solution, file))
	if err == nil || !strings.Contains(err.Error(), "along x, and the mesh to be smoothed from -1 to 9") {
		t.Errorf("a background that is smaller than the mesh: error %v", err)
	}
	if _, err := solvers.Parse("c.toml", []byte(wavy), []string{"mesh.file=" + file}); err == nil {
		t.Error("a mesh with both a file and a generator was accepted")
	}
}

// TestImplied proves that a mesh that is finer in one region stays so with its implied sizes, with the same bits on
// any number of ranks.
func TestImplied(t *testing.T) {
	var want string
	for _, ranks := range []int{1, 3} {
		s, err := runtest.Run(t, bell, ranks, 1, runtest.Local, t.TempDir(), "metric={field='implied', gradation=2}",
			"mesh={generate='box', bounds=[0, 0, 0, 1, 1, 3], cells=400, partition='random'}")
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = s.StateSHA256
		}
		if m := s.Metrics; s.StateSHA256 != want || m["quality_mean"] < m["quality_mean_before"]+.01 {
			t.Errorf("%d ranks: state %s, on one %s, %v", ranks, s.StateSHA256, want, m)
		}
	}
}
