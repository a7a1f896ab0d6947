package smooth

import (
	"math"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// TestScales proves that on domains of size 1e-6 and 1e6, with a coordinate of exactly 0, and with triangles
// stretched 1e4 times, every smoother gives finite positions, keeps triangles upright with a guard, and keeps the
// area.
func TestScales(t *testing.T) {
	t.Parallel()
	for _, smoother := range Smoothers {
		for _, size := range []float64{1e-6, 1e6} {
			for _, precision := range []string{"float64", "float32"} {
				m := smoothtest.Rectangle(t, 400, 6)
				for v := range m.X {
					m.X[v], m.Y[v] = size*(m.X[v]-.5), size*(m.Y[v]-.5)/1e4
				}
				b := sizing.Bounds{X0: -size, Y0: -size / 1e4, X1: size, Y1: size / 1e4}
				metric, err := sizing.Discrete(b, 2, func(x, y float64) (float64, float64, float64) {
					return 1 / (size * size), 0, 1e8 / (size * size)
				})
				if err != nil {
					t.Fatal(err)
				}
				s := defaultSetting()
				s.precision = precision
				d := s.run(t, m, metric, Config{Smoother: smoother, Guard: "clip", Rescale: true}, 20).diagnostics
				drift := 1e-14
				if precision == "float32" {
					drift = 1e-6
				}
				if d.Inverted != 0 || math.Abs(d.AreaDrift) > drift || d.Moved < 150 || !(d.QualityMean > .8) {
					t.Errorf("%s at scale %g in %s: %+v", smoother, size, precision, d)
				}
			}
		}
	}
}

// TestScaleIsExact proves that scaling by powers of two changes only exponents.
func TestScaleIsExact(t *testing.T) {
	t.Parallel()
	for _, smoother := range Smoothers {
		var x [2][]float64
		for k, size := range []float64{1, 0x1p-20} {
			m := smoothtest.Rectangle(t, 400, 6)
			for v := range m.X {
				m.X[v], m.Y[v] = size*m.X[v], size*m.Y[v]
			}
			metric, err := sizing.Linear(sizing.Bounds{X0: 0, Y0: 0, X1: size, Y1: size}, size/4, size/32)
			if err != nil {
				t.Fatal(err)
			}
			err = defaultSetting().onEachRank(t, m, metric, Config{Smoother: smoother, Guard: "halve"},
				func(_ dist.Comm, _ *layout.Part, s *Solver) error {
					if _, err := s.Sweep(t.Context(), 10); err != nil {
						return err
					}
					var err error
					var at [][]float64
					at, err = s.Coordinates()
					x[k] = at[0]
					for i := range x[k] {
						x[k][i] /= size
					}
					return err
				})
			if err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(x[0], x[1]) {
			t.Errorf("%s: coordinates depend on the scale", smoother)
		}
	}
}

// TestDiagnostics compares with known numbers of a square of two triangles, and of a single triangle.
func TestDiagnostics(t *testing.T) {
	metric, err := sizing.Discrete(unit, 2, func(x, y float64) (float64, float64, float64) { return 1, 0, 1 })
	if err != nil {
		t.Fatal(err)
	}
	m := &mesh.Mesh{X: []float64{0, 1, 1, 0}, Y: []float64{0, 0, 1, 1}, Cells: [][3]int32{{0, 1, 2}, {0, 2, 3}}}
	s := defaultSetting()
	s.ranks = 3
	d := s.run(t, m, metric, Config{Smoother: "pain", Guard: "none"}, 3).diagnostics
	perimeter := 2 + math.Sqrt2
	g := 3 / perimeter * (2 - 3/perimeter)
	q := 12 * math.Sqrt(3) * .5 / (perimeter * perimeter) * g * g * g
	want := quality.Diagnostics{Sweeps: 3, QualityMin: q, QualityMean: q, QualityMax: q, Worst: 0, Best: 0,
		Histogram: [5]int64{4: 2}, EdgeMin: 1, EdgeMean: (4 + math.Sqrt2) / 5, EdgeMax: math.Sqrt2, EdgeInRange: 1,
		EdgeHistogram: [8]int64{4: 5}, Objective: 3, Area: 1, Perimeter: 4}
	for _, pair := range [][2]*float64{{&d.QualityMin, &want.QualityMin}, {&d.QualityMean, &want.QualityMean},
		{&d.QualityMax, &want.QualityMax}, {&d.EdgeMean, &want.EdgeMean}, {&d.Objective, &want.Objective}} {
		if math.Abs(*pair[0]-*pair[1]) < 1e-14 {
			*pair[0] = *pair[1]
		}
	}
	if d != want {
		t.Errorf("a square: %+v, want %+v", d, want)
	}
	// a vertex without cells too
	m = &mesh.Mesh{X: []float64{0, 1, 0, 9}, Y: []float64{0, 0, 1, 9}, Cells: [][3]int32{{0, 1, 2}}}
	d = defaultSetting().run(t, m, metric, Config{Smoother: "fjp", Guard: "none", Rescale: true}, 1).diagnostics
	if d.Moved != 0 || d.Area != .5 {
		t.Errorf("a triangle: %+v", d)
	}
}

// newSeparateMemory returns a device with separate memory.
func newSeparateMemory() *backendtest.FakeGPU { return backendtest.NewFakeGPU(cpu.New(1), 1<<30) }

// TestSweepAllocatesNothing covers one rank with every smoother except hybrid and barrier, which measure the whole
// mesh.
func TestSweepAllocatesNothing(t *testing.T) {
	m := smoothtest.Rectangle(t, 2000, 1)
	for _, smoother := range []string{"pain", "pain-exact", "smart", "fjp"} {
		cfg := Config{Smoother: smoother, Guard: "halve", Cull: true}
		err := defaultSetting().onEachRank(t, m, swirl(t), cfg, func(_ dist.Comm, _ *layout.Part, s *Solver) error {
			n := testing.AllocsPerRun(3, func() {
				if _, err := s.Sweep(t.Context(), 2); err != nil {
					t.Error(err)
				}
			})
			if n != 0 {
				t.Errorf("%s: %g allocations a sweep", smoother, n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestSeparateMemory proves that a device with separate memory gives the same results, on one rank and on several.
func TestSeparateMemory(t *testing.T) {
	m := smoothtest.Rectangle(t, 800, 3)
	for _, smoother := range []string{"pain", "hybrid"} {
		for _, deep := range []bool{false, true} {
			cfg := Config{Smoother: smoother, Guard: "halve", Cull: true, Settled: 1e-3, Rescale: true}
			s := defaultSetting()
			want := s.run(t, m, swirl(t), cfg, 5)
			s.layout.Deep = deep
			s.device = func() backend.Device { return newSeparateMemory() }
			for _, s.ranks = range []int{1, 3} {
				if got := s.run(t, m, swirl(t), cfg, 5); got != want {
					t.Errorf("%s on %d ranks: %+v, on the host\n%+v", smoother, s.ranks, got, want)
				}
			}
		}
	}
}
