package smooth

import (
	"math"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// TestScales: on domains of size 1e-6 and 1e6, with a coordinate that is exactly 0, and with triangles stretched 1e4
// times, every smoother gives finite places, keeps triangles upright where it has a guard, and keeps the area.
func TestScales(t *testing.T) {
	t.Parallel()
	for _, smoother := range Smoothers {
		for _, size := range []float64{1e-6, 1e6} {
			for _, precision := range []string{"float64", "float32"} {
				m := rectangle(t, 400, 6)
				for v := range m.X {
					m.X[v], m.Y[v] = size*(m.X[v]-.5), size*(m.Y[v]-.5)/1e4
				}
				b := Bounds{-size, -size / 1e4, size, size / 1e4}
				metric, err := Discrete(b, 2, func(x, y float64) (float64, float64, float64) {
					return 1 / (size * size), 0, 1e8 / (size * size)
				})
				if err != nil {
					t.Fatal(err)
				}
				s := plain()
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

// TestScaleIsExact: powers of two change no bit but the exponent.
func TestScaleIsExact(t *testing.T) {
	t.Parallel()
	for _, smoother := range Smoothers {
		var x [2][]float64
		for k, size := range []float64{1, 0x1p-20} {
			m := rectangle(t, 400, 6)
			for v := range m.X {
				m.X[v], m.Y[v] = size*m.X[v], size*m.Y[v]
			}
			metric, err := Linear(Bounds{0, 0, size, size}, size/4, size/32)
			if err != nil {
				t.Fatal(err)
			}
			err = plain().on(t, m, metric, Config{Smoother: smoother, Guard: "halve"},
				func(_ dist.Comm, _ *Part, s Solver) error {
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

// TestDiagnostics: known numbers of a square of two triangles, and of a mesh of one.
func TestDiagnostics(t *testing.T) {
	metric, err := Discrete(unit, 2, func(x, y float64) (float64, float64, float64) { return 1, 0, 1 })
	if err != nil {
		t.Fatal(err)
	}
	m := &mesh.Mesh{X: []float64{0, 1, 1, 0}, Y: []float64{0, 0, 1, 1}, Cells: [][3]int32{{0, 1, 2}, {0, 2, 3}}}
	s := plain()
	s.ranks = 3
	d := s.run(t, m, metric, Config{Smoother: "pain", Guard: "none"}, 3).diagnostics
	per := 2 + math.Sqrt2
	g := 3 / per * (2 - 3/per)
	q := 12 * math.Sqrt(3) * .5 / (per * per) * g * g * g
	want := Diagnostics{Sweeps: 3, QualityMin: q, QualityMean: q, QualityMax: q, Worst: 0, Best: 0,
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
	// a vertex of nothing too
	m = &mesh.Mesh{X: []float64{0, 1, 0, 9}, Y: []float64{0, 0, 1, 9}, Cells: [][3]int32{{0, 1, 2}}}
	d = plain().run(t, m, metric, Config{Smoother: "fjp", Guard: "none", Rescale: true}, 1).diagnostics
	if d.Moved != 0 || d.Area != .5 {
		t.Errorf("a triangle: %+v", d)
	}
}

// TestFixed: corners, ends of physical groups, lines and borders of groups inside the mesh, and vertices with too many
// neighbours stay where they are; others move.
func TestFixed(t *testing.T) {
	m := rectangle(t, 800, 6)
	n := 20 // boxes a side
	at := func(i, j int) int32 { return int32(j*(n+1) + i) }
	m.Groups = append(m.Groups, mesh.Group{Dim: 1, Tag: 9, Name: "line"}, mesh.Group{Dim: 2, Tag: 1, Name: "a"},
		mesh.Group{Dim: 2, Tag: 2, Name: "b"})
	line := []int32{at(5, 5), at(5, 6), at(5, 7)}
	ring := ringsOf(t, m)
	for k := range 2 {
		if !slices.Contains(ring.Of(line[k]), line[k+1]) {
			t.Fatal("no edge")
		}
		m.Tagged = append(m.Tagged, mesh.TaggedEdge{A: line[k], B: line[k+1], Group: 4})
	}
	m.CellGroup = make([]int32, len(m.Cells))
	for c := range m.CellGroup {
		m.CellGroup[c] = 5 + int32(c/(10*2*n)) // the border is row 10
	}
	for k := range m.Tagged { // the lower side changes its name half way
		if e := m.Tagged[k]; e.Group == 2 && e.A >= at(10, 0) {
			m.Tagged[k].Group = 4
		}
	}
	l, err := NewLayout(m, plain().layout)
	if err != nil {
		t.Fatal(err)
	}
	stay := append([]int32{at(0, 0), at(n, 0), at(0, n), at(n, n), at(10, 0), at(3, 10), at(0, 10)}, line...)
	for _, v := range stay {
		if l.class[v] != fixed {
			t.Errorf("vertex %d may move", v)
		}
	}
	for v, class := range map[int32]int8{at(9, 0): sliding, at(11, 0): sliding, at(0, 9): sliding, at(3, 9): free,
		at(6, 6): free} {
		if l.class[v] != class {
			t.Errorf("vertex %d is of class %d, want %d", v, l.class[v], class)
		}
	}
	if want := (n-1)*(n-1) - (n - 1) - 3 + 4*(n-1) - 3; l.Moving() != want {
		t.Errorf("%d vertices may move, want %d", l.Moving(), want)
	}
	hub := &mesh.Mesh{X: []float64{0}, Y: []float64{0}}
	for k := range kernels.MaxDegree + 1 {
		s, c := math.Sincos(2 * math.Pi * float64(k) / (kernels.MaxDegree + 1))
		hub.X, hub.Y = append(hub.X, c), append(hub.Y, s)
		hub.Cells = append(hub.Cells, [3]int32{0, int32(k + 1), int32((k+1)%(kernels.MaxDegree+1) + 1)})
	}
	if l, err = NewLayout(hub, plain().layout); err != nil || l.Crowded() != 1 || l.Moving() != 0 {
		t.Errorf("a hub: %v", err)
	}
}

// newFar is a device whose memory is its own.
func newFar() *runtest.Far { return runtest.NewFar(cpu.New(1), 1<<30) }

// TestSweepAllocatesNothing, on one rank, with every smoother but hybrid and barrier, which measure the whole mesh.
func TestSweepAllocatesNothing(t *testing.T) {
	m := rectangle(t, 2000, 1)
	for _, smoother := range []string{"pain", "pain-exact", "smart", "fjp"} {
		cfg := Config{Smoother: smoother, Guard: "halve", Cull: true}
		err := plain().on(t, m, swirl(t), cfg, func(_ dist.Comm, _ *Part, s Solver) error {
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

// TestApart: on a device with memory of its own the outcome is the same, on one rank and on several.
func TestApart(t *testing.T) {
	m := rectangle(t, 800, 3)
	for _, smoother := range []string{"pain", "hybrid"} {
		for _, deep := range []bool{false, true} {
			cfg := Config{Smoother: smoother, Guard: "halve", Cull: true, Settled: 1e-3, Rescale: true}
			s := plain()
			want := s.run(t, m, swirl(t), cfg, 5)
			s.ranks, s.layout.Deep = 3, deep
			s.device = func() backend.Device { return newFar() }
			if got := s.run(t, m, swirl(t), cfg, 5); got != want {
				t.Errorf("%s: %+v, on the host\n%+v", smoother, got, want)
			}
		}
	}
}
