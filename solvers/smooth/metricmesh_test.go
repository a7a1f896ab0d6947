package smooth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// fieldOf samples a metric at the vertices of a mesh.
func fieldOf(t testing.TB, m *mesh.Mesh, at func(x, y float64) (m11, m12, m22 float64)) metric.Field {
	t.Helper()
	f, err := metric.Sample(metric.FromTriangles(m), func(x, y, _ float64) metric.Tensor {
		a, b, c := at(x, y)
		return metric.Tensor{a, b, c}
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// meshWithHole is an irregular mesh with a hole, thin cells at its bottom, and a notch, so that searches meet
// boundaries.
func meshWithHole(t testing.TB, cells int) *mesh.Mesh {
	t.Helper()
	m := smoothtest.Rectangle(t, cells, 9)
	kept := m.Cells[:0]
	for c, cell := range m.Cells {
		x, y := m.Centroid(c)
		if math.Hypot(x-.5, y-.5) < .2 || math.Abs(x-.3) < .1 && y > .8 {
			continue
		}
		kept = append(kept, cell)
	}
	m.Cells = kept
	for v := range m.Y {
		m.Y[v] *= m.Y[v] * m.Y[v]
	}
	if _, _, err := m.DropDangling(); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestOnMeshIsLinear proves that a linear tensor is reproduced anywhere in the mesh, exactly at its vertices,
// whatever boundaries a search meets.
func TestOnMeshIsLinear(t *testing.T) {
	linear := func(x, y float64) (m11, m12, m22 float64) { return 3 + x + y, x - y, 4 + y }
	m := meshWithHole(t, 3000)
	of, err := sizing.OnMesh(m, fieldOf(t, m, linear))
	if err != nil {
		t.Fatal(err)
	}
	same := func(x, y, within float64) {
		t.Helper()
		a, b, c := of.At(x, y)
		d, e, f := linear(x, y)
		if deviation := max(math.Abs(a-d), math.Abs(b-e), math.Abs(c-f)); !(deviation <= within) {
			t.Fatalf("(%g, %g): %g %g %g, want %g %g %g", x, y, a, b, c, d, e, f)
		}
	}
	for v := range m.X {
		same(m.X[v], m.Y[v], 1e-15*8)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		c := m.Cells[rng.IntN(len(m.Cells))]
		a, b := rng.Float64(), rng.Float64()
		if a+b > 1 {
			a, b = 1-a, 1-b
		}
		if rng.IntN(4) == 0 { // on an edge, up to round-off in most cases
			b = 0
		}
		x := m.X[c[0]] + a*(m.X[c[1]]-m.X[c[0]]) + b*(m.X[c[2]]-m.X[c[0]])
		y := m.Y[c[0]] + a*(m.Y[c[1]]-m.Y[c[0]]) + b*(m.Y[c[2]]-m.Y[c[0]])
		same(x, y, 1e-12)
		mx, my := of.Field.Gradient(x, y)
		for k, d := range []float64{mx.M11 - 1, mx.M12 - 1, mx.M22, my.M11 - 1, my.M12 + 1, my.M22 - 1} {
			if !(math.Abs(d) < 1e-6) { // cells are thin
				t.Fatalf("(%g, %g): slope %d is off by %g", x, y, k, d)
			}
		}
	}
}

// TestOnMeshOutside proves that a position outside has the metric of a boundary position nearby, and NaN some metric.
func TestOnMeshOutside(t *testing.T) {
	m := meshWithHole(t, 3000)
	of, err := sizing.OnMesh(m, fieldOf(t, m, func(x, y float64) (float64, float64, float64) { return 1 + x, 0, 1 + y }))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Float64Range(-3, 3).Draw(t, "x"), rapid.Float64Range(-3, 3).Draw(t, "y")
		a, b, c := of.At(x, y)
		if !sizing.Positive(a, b, c) || a > 2 || c > 2 || a < 1-1e-12 || c < 1-1e-12 {
			t.Fatalf("(%g, %g): %g %g %g", x, y, a, b, c)
		}
	})
	// Cells at the bottom are thin, and the boundary cell that is found need not be the nearest.
	for _, c := range []struct{ x, y, m11, m22 float64 }{{1 + 1e-9, .3, 2, 1.3}, {.4, -1e-9, 1.4, 1},
		{-1e-9, 1 + 1e-9, 1, 2}} {
		a, _, d := of.At(c.x, c.y)
		if math.Abs(a-c.m11) > 1e-5 || math.Abs(d-c.m22) > 1e-5 {
			t.Errorf("(%g, %g): %g %g, want %g %g", c.x, c.y, a, d, c.m11, c.m22)
		}
	}
	if a, b, c := of.At(math.NaN(), math.Inf(1)); !sizing.Positive(a, b, c) {
		t.Errorf("nowhere: %g %g %g", a, b, c)
	}
}

// TestOnMeshParallel proves that every smoother gives the same bits on any number of ranks and threads, with a metric
// on the mesh itself and on another, rescaled.
func TestOnMeshParallel(t *testing.T) {
	rotating := func(x, y float64) (m11, m12, m22 float64) {
		s, c := math.Sincos(2*x + y)
		h := .05 + .1*math.Abs(y-.4)
		return c*c/(h*h) + s*s*100, s * c * (1/(h*h) - 100), s*s/(h*h) + c*c*100
	}
	m, other := smoothtest.Rectangle(t, 300, 2), smoothtest.Rectangle(t, 600, 7)
	for name, background := range map[string]*mesh.Mesh{"itself": m, "another": other} {
		of, err := sizing.OnMesh(background, fieldOf(t, background, rotating))
		if err != nil {
			t.Fatal(err)
		}
		for _, smoother := range Smoothers {
			for _, precision := range []string{"float64", "float32"} {
				cfg := Config{Smoother: smoother, Guard: "halve", Rescale: true}
				s := defaultSetting()
				s.precision = precision
				want := s.run(t, m, of, cfg, 3)
				if d := want.diagnostics; d.Inverted != 0 || want.longestMove == 0 {
					t.Errorf("%s, %s: %+v", name, smoother, want)
				}
				s.ranks, s.threads, s.cut = 3, 2, partition.RandomCut
				if got := s.run(t, m, of, cfg, 3); got != want {
					t.Errorf("%s, %s, %s: got %+v, want %+v", name, smoother, precision, got, want)
				}
			}
		}
	}
}

func TestOnMeshRefuses(t *testing.T) {
	m := smoothtest.Rectangle(t, 200, 1)
	isotropic := func(_, _ float64) (float64, float64, float64) { return 1, 0, 1 }
	for want, change := range map[string]func(m *mesh.Mesh, f metric.Field) metric.Field{
		"vertex 5 at": func(_ *mesh.Mesh, f metric.Field) metric.Field {
			f[5] = metric.Tensor{1, 2, 1}
			return f
		},
		"is not finite": func(_ *mesh.Mesh, f metric.Field) metric.Field {
			f[7][1] = math.NaN()
			return f
		},
		"for a mesh of": func(_ *mesh.Mesh, f metric.Field) metric.Field { return f[1:] },
		"cell 3": func(m *mesh.Mesh, f metric.Field) metric.Field {
			m.Cells[3][0], m.Cells[3][1] = m.Cells[3][1], m.Cells[3][0]
			return f
		},
	} {
		bad := smoothtest.Rectangle(t, 200, 1)
		if _, err := sizing.OnMesh(bad, change(bad, fieldOf(t, m, isotropic))); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// BenchmarkOnMesh takes sweeps of pain on one thread, with the metric of BenchmarkSweep at the vertices of the mesh.
func BenchmarkOnMesh(b *testing.B) {
	linear, err := sizing.Linear(unit, 1, 5)
	if err != nil {
		b.Fatal(err)
	}
	for _, cells := range []int{5_000, 1_255_000} {
		b.Run(fmt.Sprintf("cells=%d", cells), func(b *testing.B) {
			m := smoothtest.Rectangle(b, cells, 1)
			of, err := sizing.OnMesh(m, fieldOf(b, m, linear.At))
			if err != nil {
				b.Fatal(err)
			}
			cfg := Config{Smoother: "pain", Guard: "none", Rescale: true}
			err = defaultSetting().onEachRank(b, m, of, cfg, func(_ dist.Comm, _ *layout.Part, solver *Solver) error {
				b.ResetTimer()
				_, err := solver.Sweep(b.Context(), b.N)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(m.X)), "ns/vertex")
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
