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
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// bell is a case with a metric from second derivatives.
const bell = `
solver = "smooth"
mesh = { generate = "delaunay", bounds = [0, 0, 1, 1], cells = 600 }
metric = { hessian = "exp(-50*((x-0.6)^2 + (y-0.4)^2))" }
output = { format = [] }
`

// TestRounds proves that several rounds leave no larger error than the first, with the same bits on any number of
// ranks, and that the sweeps of all rounds are counted.
func TestRounds(t *testing.T) {
	var want string
	remaining := map[int]float64{} // for each number of rounds, the interpolation error at the end over that before
	for _, ranks := range []int{1, 3} {
		for _, rounds := range []int{1, 3} {
			s, err := runtest.Run(t, bell, ranks, 1, runtest.Local, t.TempDir(), fmt.Sprintf("metric.rounds=%d", rounds),
				"mesh.partition=random")
			if err != nil {
				t.Fatal(err)
			}
			remaining[rounds] = s.Metrics["interpolation"]
			if rounds == 3 && want == "" {
				want = s.StateSHA256
			}
			if rounds == 3 && s.StateSHA256 != want || float64(s.Steps) != s.Metrics["sweeps"] ||
				s.Metrics["quality_mean"] < s.Metrics["quality_mean_before"] {
				t.Errorf("%d ranks, %d rounds: %d steps, state %s, on one rank %s, %v", ranks, rounds, s.Steps, s.StateSHA256,
					want, s.Metrics)
			}
		}
	}
	if !(remaining[1] < .6 && remaining[3] <= remaining[1] && remaining[3] > 0) {
		t.Errorf("remaining errors: %v", remaining)
	}
}

// TestInterpolationOfQuadratics proves that the measured error of an expression, and the estimated error of data, are
// exact for a quadratic up to a factor, in the plane and in space.
func TestInterpolationOfQuadratics(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 100, 2)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mesh.Cube(3, 3, 3, .1, 3)
	if err != nil {
		t.Fatal(err)
	}
	m.VertexData, s.VertexData = map[string][]float64{}, map[string][]float64{}
	for v := range m.X {
		m.VertexData["u"] = append(m.VertexData["u"], 3*m.X[v]*m.X[v]+m.X[v]*m.Y[v]+m.Y[v]*m.Y[v]+m.X[v])
	}
	for v := range s.X {
		s.VertexData["u"] = append(s.VertexData["u"], 3*s.X[v]*s.X[v]+s.X[v]*s.Y[v]+s.Y[v]*s.Y[v]+s.Z[v]*s.Z[v])
	}
	for _, c := range []struct {
		b    wholeMesh
		text string
	}{{planeMesh{Mesh: m}, "3*x*x + x*y + y*y + x"}, {solidMesh{Solid: s}, "3*x*x + x*y + y*y + z*z"}} {
		finer := c.b.nodes()
		coarser := finer
		stretched := *finer.Mesh
		for k := range stretched.Dim {
			stretched.X[k] = append([]float64{}, stretched.X[k]...)
			for v := range stretched.X[k] {
				stretched.X[k][v] *= 2
			}
		}
		coarser.Mesh = &stretched
		for _, metric := range []string{c.text, "{mesh='u'}"} {
			got := runtest.Parse(t, bell, fmt.Sprintf("metric.hessian=%s", metric)).Sections.(*Sections).Metric
			all, err := got.Interpolations(finer, coarser)
			if err != nil {
				t.Fatal(err)
			}
			// Edges twice as long give four times the error, and the norm grows with the root of the area or volume.
			times := 4 * math.Pow(2, float64(finer.Dim)/2)
			if len(all) != 1 || math.Abs(all[0].After/all[0].Before-times) > 1e-6*times {
				t.Errorf("%s: %+v, want %g times", metric, all, times)
			}
		}
	}
}

// TestMidpoints proves that there is one midpoint for each sub-cell with the orientation of the cell, whose edges
// are divided into four, and that its coordinates sum to 1.
func TestMidpoints(t *testing.T) {
	for n, count := range map[int]int{3: 10, 4: 20} {
		all := request.Midpoints(n)
		for _, share := range all {
			sum := 0.0
			for _, x := range share {
				sum += x
			}
			if math.Abs(sum-1) > 1e-15 || len(share) != n {
				t.Errorf("shares %v", share)
			}
		}
		if len(all) != count {
			t.Errorf("%d midpoints in a cell of %d corners, want %d", len(all), n, count)
		}
	}
}

// TestWorseIsRefused proves that a mesh that is worse in any measure is not written without force.
func TestWorseIsRefused(t *testing.T) {
	was := quality.Diagnostics{QualityMean: .5, QualityMin: .2, EdgeInRange: .7}
	for _, c := range []struct {
		spoil func(r *Report)
		want  string
	}{
		{func(*Report) {}, ""},
		{func(r *Report) { r.After.QualityMean = .4 }, "the average quality from 0.5 to 0.4; force"},
		{func(r *Report) { r.After.QualityMin = math.NaN() }, "the worst quality from 0.2 to NaN"},
		{func(r *Report) { r.After.EdgeInRange = .6 }, ""}, // quality includes sizes
		{func(r *Report) { r.Interpolations = []request.Interpolation{{Field: "x^2", Before: 1, After: 2}} },
			"the interpolation error of x^2 from 1 to 2"},
	} {
		r := &Report{Dim: 2, Before: was, After: was}
		c.spoil(r)
		err := r.Refused()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("refused as %v, want %q", err, c.want)
		}
		if r.Forced = true; r.Refused() != nil {
			t.Errorf("%v although it is forced", r.Refused())
		}
	}
	out := filepath.Join(t.TempDir(), "end.msh")
	sets := []string{"method={smoother='pain-exact', sweeps=60}", "metric={width='0.01+0.2*x', height=0.3}",
		fmt.Sprintf("output.mesh=%q", out)}
	if _, err := runtest.Run(t, bell, 2, 1, runtest.Local, t.TempDir(), sets...); err == nil ||
		!strings.Contains(err.Error(), "not written, because the mesh has become worse: the average quality from") {
		t.Error("not refused:", err)
	}
	if _, err := meshio.Read(out); err == nil {
		t.Error("it was written")
	}
}

// TestSolutionOfAnotherMesh proves that a solution with other counts is refused with advice.
func TestSolutionOfAnotherMesh(t *testing.T) {
	_, solution := sized(t)
	_, err := runtest.Run(t, bell, 1, 1, runtest.Local, t.TempDir(), fmt.Sprintf("metric={solution=%q}", solution))
	for _, want := range []string{"m.sol: the solution has values for", "vertices, and the mesh has", "--metric uniform"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
