package smooth

import (
	"fmt"
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/barrier"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
	"github.com/atoll-hpc/atoll/solvers/smooth/testmeshes"
)

// runBarrier smooths with barrier to its end, a few sweeps at a time: runOnRanks calls f on each rank with its
// solver. It returns the results at the start and the end.
func runBarrier(t testing.TB, s setting, runOnRanks func(f func(dist.Comm, *Solver) error) error) (before,
	after outcome) {
	t.Helper()
	ends := make([]outcome, s.ranks)
	err := runOnRanks(func(c dist.Comm, solver *Solver) (err error) {
		o := &ends[c.Rank()]
		first, err := solver.Diagnose(t.Context())
		for err == nil && !solver.Ended() {
			_, err = solver.Sweep(t.Context(), 1+s.ranks)
		}
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			before.diagnostics = first
		}
		if o.diagnostics, err = solver.Diagnose(t.Context()); err == nil {
			o.hash, err = solver.Hash(t.Context())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for r := range ends {
		if ends[r] != ends[0] {
			t.Fatalf("rank %d ends with %+v, rank 0 with %+v", r, ends[r], ends[0])
		}
	}
	return before, ends[0]
}

// meshCount is the number of meshes in these tests; atoll verify smooth --only harm takes 200.
func meshCount(t testing.TB) int {
	if testing.Short() || smoothtest.RaceDetector {
		return 10
	}
	return 24
}

// meshWithSlivers is a mesh with slivers of about the given quality.
func meshWithSlivers(t testing.TB, cells int, seed uint64, worst float64) *mesh.Mesh {
	t.Helper()
	m, err := testmeshes.Triangles(cells, seed, worst)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// testMetric is metric n of package testmeshes.
func testMetric(t testing.TB, n int) *sizing.Metric {
	t.Helper()
	m, err := sizing.Discrete(unit, 64, testmeshes.Metric(n))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// testCase is mesh n of package testmeshes, with its metric, precision and colouring.
func testCase(t testing.TB, n int) (*mesh.Mesh, *sizing.Metric, setting) {
	t.Helper()
	m, err := testmeshes.Plane(n)
	if err != nil {
		t.Fatal(err)
	}
	s := defaultSetting()
	s.layout.Colouring = colouring.Kinds[n%2]
	if testmeshes.Single(n) {
		s.precision = "float32"
	}
	return m, testMetric(t, n), s
}

// TestBarrierDoesNoHarm proves that on random meshes, also with slivers of qualities down to 1e-9, neither the mean
// nor the worst quality is lower at the end, that no triangle is inverted, and that five ranks give the bits of one.
// Bad meshes must improve much.
func TestBarrierDoesNoHarm(t *testing.T) {
	t.Parallel()
	better, meshes := 0, meshCount(t)
	for n := range meshes {
		m, metric, s := testCase(t, n)
		cfg := Config{Smoother: "barrier", Guard: "none", Rescale: true}
		run := func(s setting) (outcome, outcome) {
			return runBarrier(t, s, func(f func(dist.Comm, *Solver) error) error {
				return s.onEachRank(t, m, metric, cfg, func(c dist.Comm, _ *layout.Part, solver *Solver) error {
					return f(c,
						solver)
				})
			})
		}
		before, after := run(s)
		b, a := before.diagnostics, after.diagnostics
		if !(a.QualityMean >= b.QualityMean) || !(a.QualityMin >= b.QualityMin) || a.Inverted > 0 {
			t.Errorf("mesh %d: mean %g to %g, worst %g to %g, %d inverted", n, b.QualityMean, a.QualityMean, b.QualityMin,
				a.QualityMin, a.Inverted)
		}
		if a.QualityMean > b.QualityMean+.02 && a.QualityMin > 2*b.QualityMin {
			better++
		}
		s.ranks, s.cut, s.layout.Deep = 5, partition.RandomCut, n%2 == 0
		if _, other := run(s); other != after {
			t.Errorf("mesh %d: %+v on 5 ranks, on one %+v", n, other, after)
		}
	}
	if better < meshes*9/10 {
		t.Errorf("%d of %d meshes became much better", better, meshes)
	}
}

// TestBarrierSolid is the same for tetrahedra.
func TestBarrierSolid(t *testing.T) {
	t.Parallel()
	for n := range meshCount(t) {
		m, metric, s := testSolidCase(t, n)
		run := func(s setting) (outcome, outcome) { return s.runBarrierSolid(t, m, metric) }
		before, after := run(s)
		b, a := before.diagnostics, after.diagnostics
		if !(a.QualityMean >= b.QualityMean) || !(a.QualityMin >= b.QualityMin) || a.Inverted > 0 ||
			a.QualityMean+a.QualityMin < b.QualityMean+b.QualityMin+.01 {
			t.Errorf("mesh %d: mean %g to %g, worst %g to %g, %d inverted", n, b.QualityMean, a.QualityMean, b.QualityMin,
				a.QualityMin, a.Inverted)
		}
		s.ranks, s.cut, s.threads, s.layout.Deep = 2+n%4, partition.RandomCut, 2, n%2 == 0
		if _, other := run(s); other != after {
			t.Errorf("mesh %d: %+v on %d ranks, on one %+v", n, other, s.ranks, after)
		}
		s.device = func() backend.Device { return newSeparateMemory() }
		if _, other := run(s); other != after {
			t.Errorf("mesh %d: %+v on devices with separate memory, on the host %+v", n, other, after)
		}
	}
}

// TestBarrierSeparateMemory proves that devices with separate memory give the host's bits, on one rank and on
// three.
func TestBarrierSeparateMemory(t *testing.T) {
	t.Parallel()
	m := meshWithSlivers(t, 300, 3, 1e-4)
	for _, precision := range []string{"float64", "float32"} {
		s := defaultSetting()
		s.precision = precision
		run := func(s setting) outcome {
			_, after := runBarrier(t, s, func(f func(dist.Comm, *Solver) error) error {
				return s.onEachRank(t, m, swirl(t), Config{Smoother: "barrier", Guard: "halve", Rescale: true},
					func(c dist.Comm, _ *layout.Part, solver *Solver) error { return f(c, solver) })
			})
			return after
		}
		want := run(s)
		for _, ranks := range []int{1, 3} {
			for _, deep := range []bool{false, true} {
				s.ranks, s.layout.Deep = ranks, deep
				s.device = func() backend.Device { return newSeparateMemory() }
				if got := run(s); got != want {
					t.Errorf("%s, %d ranks, deep %v: %+v, on the host\n%+v", precision, ranks, deep, got, want)
				}
			}
		}
	}
}

// TestBarrierFinishes proves that wherever barrier is interrupted, neither the mean nor the worst quality is below
// that of the start after Finish, and that nothing moves afterwards.
func TestBarrierFinishes(t *testing.T) {
	t.Parallel()
	m := meshWithSlivers(t, 300, 5, 1e-3)
	for _, sweeps := range []int{0, 1, 7, 10, 25, 60, 70, 90} {
		err := defaultSetting().onEachRank(t, m, testMetric(t, 3), Config{Smoother: "barrier", Guard: "none", Rescale: true},
			func(_ dist.Comm, _ *layout.Part, s *Solver) error {
				before, err := s.Diagnose(t.Context())
				if err != nil {
					return err
				}
				if _, err = s.Sweep(t.Context(), sweeps); err != nil {
					return err
				}
				if err = s.Finish(t.Context()); err != nil {
					return err
				}
				after, err := s.Diagnose(t.Context())
				if err != nil {
					return err
				}
				if !(after.QualityMean >= before.QualityMean) || !(after.QualityMin >= before.QualityMin) {
					t.Errorf("%d sweeps: mean %g to %g, worst %g to %g", sweeps, before.QualityMean, after.QualityMean,
						before.QualityMin, after.QualityMin)
				}
				if sweeps == 0 {
					return nil
				}
				if move, err := s.Sweep(t.Context(), 5); move != 0 || err != nil || s.Sweeps() > sweeps {
					t.Errorf("%d sweeps: then %d, by %g, %v", sweeps, s.Sweeps(), move, err)
				}
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestBarrierRestoresVertices proves that if the first stage would lower the mean quality, as for a mesh that was
// optimized for the mean before, vertices return to their positions and the stage `cautious` follows, so that
// neither quality falls.
func TestBarrierRestoresVertices(t *testing.T) {
	t.Parallel()
	restored := 0
	for n := range 10 {
		m := smoothtest.Rectangle(t, 60, uint64(n))
		metric, err := sizing.Discrete(unit, 32, func(x, y float64) (float64, float64, float64) {
			h := .002 + .5*math.Abs(x-.5)
			return 1 / (h * h), 0, 1 / (h * h)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, first := range []barrier.Stage{barrier.Cautious, barrier.Opening} {
			cfg := Config{Smoother: "barrier", Guard: "none"}
			err = defaultSetting().onEachRank(t, m, metric, cfg, func(_ dist.Comm, p *layout.Part, s *Solver) error {
				inner := s.smoother.(*solver[float64])
				before, err := s.Diagnose(t.Context())
				if err == nil {
					err = inner.beginStages(t.Context())
				}
				if err == nil {
					err = inner.beginStage(first, inner.stages.startLevel, true)
				}
				for back := false; err == nil && !s.Ended(); _, err = s.Sweep(t.Context(), 10) {
					if !back && first == barrier.Opening && inner.stages.current == barrier.Cautious {
						back = true
						restored++
					}
				}
				if err != nil {
					return err
				}
				after, err := s.Diagnose(t.Context())
				if err != nil {
					return err
				}
				if !(after.QualityMean >= before.QualityMean) || !(after.QualityMin >= before.QualityMin) {
					t.Errorf("mesh %d: mean %g to %g, worst %g to %g", n, before.QualityMean, after.QualityMean,
						before.QualityMin, after.QualityMin)
				}
				at, err := s.Coordinates()
				if err != nil {
					return err
				}
				for i, v := range p.Global {
					m.X[v], m.Y[v] = at[0][i], at[1][i]
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if restored == 0 {
		t.Error("no mesh returned: the case is too simple")
	}
}

func ExampleConfig_barrier() {
	_, err := parameters[float64](Config{Smoother: "barrier", Guard: "none", Cull: true})
	fmt.Println(err)
	// Output: the smoother barrier needs cull = false: its objective changes between stages
}
