package smooth

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
)

func cube(t testing.TB, n int, shift float64) *mesh.Solid {
	t.Helper()
	m, err := mesh.Cube(n, n, n, shift, 3)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var unitBox = Box{High: [3]float64{1, 1, 1}}

// twist is a discrete metric that turns and stretches.
func twist(t testing.TB) *SolidMetric {
	t.Helper()
	m, err := SolidDiscrete(unitBox, 8, func(x, y, z float64) Six {
		s, c := math.Sincos(3*x + 2*y - z)
		a, b := 1/(.2*.2), 1/((.1+.1*z)*(.1+.1*z))
		return Six{a*c*c + b*s*s, 0, (a - b) * s * c, 1 / (.1 * .1), 0, a*s*s + b*c*c}
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type solidJob = func(c dist.Comm, p *SolidPart, s Solver) error

// onSolid runs f on every rank.
func (s setting) onSolid(m *mesh.Solid, owner []int32, metric *SolidMetric, cfg Config, f solidJob) error {
	l, err := NewSolidLayout(m, s.layout)
	if err != nil {
		return err
	}
	if owner == nil {
		if owner, err = partition.Partition(s.cut, l.Graph(), m.X, m.Y, s.ranks, 11); err != nil {
			return err
		}
	}
	parts, err := l.Parts(owner, s.ranks)
	if err != nil {
		return err
	}
	comms, errs := local.New(s.ranks), make([]error, s.ranks)
	var wg sync.WaitGroup
	for r, p := range parts {
		wg.Go(func() {
			var dev backend.Device
			if s.device != nil {
				dev = s.device()
			} else {
				dev = cpu.New(s.threads)
			}
			defer dev.Close()
			solver, err := NewSolid(context.Background(), s.precision, cfg, p, metric, comms[r], dev)
			if err == nil {
				err = f(comms[r], p, solver)
				solver.Close()
			}
			errs[r] = errors.Join(err, comms[r].Close())
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// runSolid smooths and returns what came out, which must be the same on all ranks.
func (s setting) runSolid(t testing.TB, m *mesh.Solid, owner []int32, metric *SolidMetric, cfg Config,
	sweeps int) outcome {
	t.Helper()
	all := make([]outcome, s.ranks)
	err := s.onSolid(m, owner, metric, cfg, func(c dist.Comm, _ *SolidPart, solver Solver) error {
		o := &all[c.Rank()]
		var err error
		if o.moved, err = solver.Sweep(t.Context(), sweeps); err != nil {
			return err
		}
		if o.diagnostics, err = solver.Diagnose(t.Context()); err != nil {
			return err
		}
		o.hash, err = solver.Hash(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for r := range all {
		if all[r] != all[0] {
			t.Fatalf("rank %d ends with %+v, rank 0 with %+v", r, all[r], all[0])
		}
	}
	return all[0]
}

// TestSolidSameOnAnyRanks: for every smoother, guard and colouring the coordinates, the longest move and all
// diagnostics are the same to the last bit on any number of ranks, with any partition, local order, number of threads,
// and with one exchange a sweep or one a set.
func TestSolidSameOnAnyRanks(t *testing.T) {
	t.Parallel()
	m, metric := cube(t, 4, .1), twist(t)
	orders := []partition.Ordering{partition.Random, partition.Natural, partition.Hilbert}
	for k, smoother := range Smoothers {
		cfg := Config{Smoother: smoother, Guard: Guards[k%3], Gain: 1e-9, Rescale: k%2 == 0}
		if cfg.Cull = k%3 == 2; cfg.Cull {
			cfg.Settled = .02
		}
		s := plain()
		s.layout.Dedicated, s.layout.Colouring, s.layout.Spread = k%2 == 1, Colourings[(k+1)%3], cfg.Cull
		if k == 2 {
			s.precision = "float32"
		}
		want := s.runSolid(t, m, nil, metric, cfg, 2)
		if want.diagnostics.Moved < 60 || want.moved == 0 {
			t.Fatalf("%s: %+v: the case shows too little", smoother, want)
		}
		for _, ranks := range []int{1, 2, 3, 4, 7} {
			for _, cut := range []partition.Cut{partition.RandomCut, partition.RCB} {
				s := s
				s.ranks, s.cut, s.threads = ranks, cut, 1+ranks%3
				s.layout.Order = orders[ranks%3]
				s.layout.Deep = (cut == partition.RCB) == (ranks%2 == 1)
				s.layout.Spread = cfg.Cull || ranks > 2
				if got := s.runSolid(t, m, nil, metric, cfg, 2); got != want {
					t.Errorf("%s, %d ranks by %s:\n%+v, on one rank\n%+v", smoother, ranks, cut, got, want)
				}
			}
		}
	}
}

// TestSolidThreads: sets larger than what one goroutine takes at a time.
func TestSolidThreads(t *testing.T) {
	t.Parallel()
	m, metric := cube(t, 24, .1), twist(t)
	cfg := Config{Smoother: "pain-exact", Guard: "halve"}
	s := plain()
	want := s.runSolid(t, m, nil, metric, cfg, 1)
	s.threads = 4
	if got := s.runSolid(t, m, nil, metric, cfg, 1); got != want {
		t.Errorf("%+v on 4 threads, on one %+v", got, want)
	}
}

// TestSolidOddPartitions: ranks without vertices, with one vertex, and without a boundary.
func TestSolidOddPartitions(t *testing.T) {
	m, metric := cube(t, 5, .1), twist(t)
	cfg := Config{Smoother: "pain-exact", Guard: "halve"}
	want := plain().runSolid(t, m, nil, metric, cfg, 3)
	for name, give := range map[string]func(v int) int32{
		"ranks without vertices": func(int) int32 { return 1 },
		"one vertex":             func(v int) int32 { return int32(min(v, 100) / 100) },
		"no boundary": func(v int) int32 {
			x, y, z := m.X[v], m.Y[v], m.Z[v]
			if min(x, y, z, 1-x, 1-y, 1-z) > 0 {
				return 2
			}
			return 0
		},
		"vertices by turns": func(v int) int32 { return int32(v % 3) },
	} {
		for _, deep := range []bool{false, true} {
			s := plain()
			s.ranks, s.layout.Deep = 3, deep
			owner := make([]int32, len(m.X))
			for v := range owner {
				owner[v] = give(v)
			}
			if got := s.runSolid(t, m, owner, metric, cfg, 3); got != want {
				t.Errorf("%s, deep %v: %+v, on one rank %+v", name, deep, got, want)
			}
		}
	}
	l, err := NewSolidLayout(m, plain().layout)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Parts(make([]int32, 3), 1); err == nil {
		t.Error("owners of too few vertices are not refused")
	}
	if _, err := l.Parts(slices.Repeat([]int32{2}, len(m.X)), 2); err == nil {
		t.Error("an owner that does not exist is not refused")
	}
}

// TestSolidApart: the same bits on a device that has memory of its own.
func TestSolidApart(t *testing.T) {
	m, metric := cube(t, 5, .1), twist(t)
	for _, cfg := range []Config{{Smoother: "smart", Guard: "none"}, {Smoother: "hybrid", Guard: "none"},
		{Smoother: "pain-exact", Guard: "clip", Cull: true, Settled: .02}} {
		s := plain()
		want := s.runSolid(t, m, nil, metric, cfg, 3)
		mem := newMemory()
		s.device = func() backend.Device { return far{cpu.New(1), mem} }
		if got := s.runSolid(t, m, nil, metric, cfg, 3); got != want {
			t.Errorf("%s: %+v, on the host %+v", cfg.Smoother, got, want)
		}
		if len(mem.given) > 0 {
			t.Errorf("%s: %d arrays were not given back", cfg.Smoother, len(mem.given))
		}
	}
}

func TestSolidRefusals(t *testing.T) {
	good := twist(t)
	// A size that is 0 in the middle, between the ends that it is given at.
	zero, err := SolidSizes(unitBox, [3][]Ends{{{1, 1, 0, 0}}, {{1, 1, 0, 0}}, {{.125, .125, -.5, .5}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		spoil  func(m *mesh.Solid, cfg *Config, s *setting)
		metric *SolidMetric
		want   []string
	}{
		{"turned over", func(m *mesh.Solid, _ *Config, _ *setting) { c := &m.Cells[11]; c[0], c[1] = c[1], c[0] }, good,
			[]string{"tetrahedron 11 ", "turned over"}},
		{"flat in float32", func(m *mesh.Solid, _ *Config, s *setting) {
			s.precision = "float32"
			for v := range m.X {
				m.X[v] += 1 << 25
			}
		}, good, []string{"cell 0 at", "turned over or flat"}},
		{"metric", func(*mesh.Solid, *Config, *setting) {}, zero, []string{"vertex 50 ", "(0, 0, 0.5)", "positive definite"}},
		{"smoother", func(_ *mesh.Solid, c *Config, _ *setting) { c.Smoother = "x" }, good, []string{`"x"`,
			"laplacian, pain"}},
		{"tiles", func(_ *mesh.Solid, c *Config, _ *setting) { c.Sweep = "tiles" }, good, []string{`sweep = "tiles"`}},
		{"guard", func(_ *mesh.Solid, c *Config, _ *setting) { c.Guard = "x" }, good, []string{`guard "x"`}},
		{"precision", func(_ *mesh.Solid, _ *Config, s *setting) { s.precision = "half" }, good, []string{`"half"`}},
		{"boundary", func(_ *mesh.Solid, _ *Config, s *setting) { s.layout.Boundary = "x" }, good, []string{`boundary "x"`}},
		{"order", func(_ *mesh.Solid, _ *Config, s *setting) { s.layout.Order = "x" }, good, []string{`order "x"`}},
		{"colouring", func(_ *mesh.Solid, _ *Config, s *setting) { s.layout.Colouring = "x" }, good,
			[]string{`colouring "x"`}},
	} {
		m, cfg, s := cube(t, 4, 0), Config{Smoother: "pain", Guard: "none"}, plain()
		s.ranks = 2
		c.spoil(m, &cfg, &s)
		err := s.onSolid(m, nil, c.metric, cfg, func(_ dist.Comm, _ *SolidPart, s Solver) error {
			_, err := s.Sweep(t.Context(), 2)
			return err
		})
		if err == nil {
			t.Errorf("%s: not refused", c.name)
			continue
		}
		for _, w := range c.want {
			if strings.Count(err.Error(), w) == 0 {
				t.Errorf("%s: %q lacks %q", c.name, err, w)
			}
		}
	}
	at := func(m Six) func(x, y, z float64) Six { return func(x, y, z float64) Six { return m } }
	for name, f := range map[string]func() (*SolidMetric, error){
		"no box":            func() (*SolidMetric, error) { return SolidDiscrete(Box{}, 2, at(Six{1, 0, 0, 1, 0, 1})) },
		"no power":          func() (*SolidMetric, error) { return SolidDiscrete(unitBox, 3, at(Six{1, 0, 0, 1, 0, 1})) },
		"indefinite":        func() (*SolidMetric, error) { return SolidDiscrete(unitBox, 2, at(Six{1, 2, 0, 1, 0, 1})) },
		"indefinite by m23": func() (*SolidMetric, error) { return SolidDiscrete(unitBox, 2, at(Six{1, 0, 0, 1, 2, 1})) },
		"NaN": func() (*SolidMetric, error) {
			return SolidDiscrete(unitBox, 2,
				at(Six{1, 0, 0, 1, math.NaN(), 1}))
		},
		"no sizes": func() (*SolidMetric, error) { return SolidSizes(unitBox, [3][]Ends{}) },
		"a size of 0": func() (*SolidMetric, error) {
			return SolidSizes(unitBox, [3][]Ends{{{1, 1, 0, 0}}, {{0, 1, 0, 0}}, {{1, 1, 0, 0}}})
		},
	} {
		if _, err := f(); err == nil {
			t.Errorf("a metric of %s is not refused", name)
		}
	}
}

// TestSolidTooFar: a move that is longer, in the metric, than a number can be is an error on all ranks.
func TestSolidTooFar(t *testing.T) {
	m := cube(t, 3, .1)
	box := unitBox
	for v := range m.X {
		m.X[v], m.Y[v], m.Z[v] = 1e100*m.X[v], 1e100*m.Y[v], 1e100*m.Z[v]
	}
	box.High = [3]float64{1e100, 1e100, 1e100}
	metric, err := SolidDiscrete(box, 2, func(_, _, _ float64) Six { return Six{1e-150, 0, 0, 1, 0, 1e300} })
	if err != nil {
		t.Fatal(err)
	}
	s := plain()
	s.ranks = 2
	err = s.onSolid(m, nil, metric, Config{Smoother: "laplacian", Guard: "none"},
		func(_ dist.Comm, _ *SolidPart, s Solver) error {
			_, err := s.Sweep(t.Context(), 1)
			return err
		})
	if err == nil || strings.Count(err.Error(), "sweep 0: a vertex moved by more than can be said") != 2 {
		t.Errorf("%v", err)
	}
}

func TestSolidSweepAllocatesNothing(t *testing.T) {
	err := plain().onSolid(cube(t, 4, .1), nil, twist(t), Config{Smoother: "smart", Guard: "none"},
		func(_ dist.Comm, _ *SolidPart, s Solver) error {
			var err error
			n := testing.AllocsPerRun(3, func() {
				if _, e := s.Sweep(t.Context(), 2); e != nil {
					err = e
				}
			})
			if n != 0 {
				t.Errorf("%g allocations", n)
			}
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
}

func BenchmarkSolidSweep(b *testing.B) {
	m, metric := cube(b, 40, .1), twist(b)
	for _, smoother := range Smoothers {
		b.Run(smoother, func(b *testing.B) {
			err := plain().onSolid(m, nil, metric, Config{Smoother: smoother, Guard: "none"}, func(_ dist.Comm, p *SolidPart,
				s Solver) error {
				b.ResetTimer()
				_, err := s.Sweep(b.Context(), b.N)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Owned), "ns/vertex")
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
