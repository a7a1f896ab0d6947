package smooth

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// setting is a configuration in which a case is run.
type setting struct {
	ranks, threads int
	cut            partition.Method
	precision      string
	layout         layout.Options
	device         func() backend.Device // nil for the CPU with threads
	halo           string                // exchanger between devices
}

func defaultSetting() setting {
	return setting{ranks: 1, threads: 1, cut: partition.HilbertCut, precision: "float64",
		layout: layout.Options{Boundary: layout.Slide, Colouring: colouring.JonesPlassmann, Order: partition.Hilbert}}
}

// onEachRank runs f on every rank.
func (s setting) onEachRank(t testing.TB, m *mesh.Mesh, metric *sizing.Metric, cfg Config, f job) error {
	t.Helper()
	l, err := layout.New(m, s.layout)
	if err != nil {
		return err
	}
	owner, err := partition.Partition(s.cut, l.Graph(), [][]float64{m.X, m.Y},
		s.ranks, 11)
	if err != nil {
		return err
	}
	parts, err := l.Parts(owner, s.ranks)
	if err != nil {
		return err
	}
	return s.onParts(parts, metric, cfg, f)
}

func (s setting) onParts(parts []*layout.Part, metric *sizing.Metric, cfg Config, f job) error {
	return s.onRanks(len(parts), func(rank int, c dist.Comm, dev backend.Device) error {
		env := solvers.Env{Comm: c, Device: dev, Halo: s.halo}
		solver, err := New(context.Background(), env, s.precision, cfg, parts[rank], metric)
		if err != nil {
			return err
		}
		defer solver.Close()
		return f(c, parts[rank], solver)
	})
}

// onRanks runs f on a number of ranks, each with a device.
func (s setting) onRanks(ranks int, f func(rank int, c dist.Comm, dev backend.Device) error) error {
	comms, errs := local.New(ranks), make([]error, ranks)
	var wg sync.WaitGroup
	for r := range ranks {
		wg.Go(func() {
			var dev backend.Device
			if s.device != nil {
				dev = s.device()
			} else {
				dev = cpu.New(s.threads)
			}
			defer dev.Close()
			errs[r] = errors.Join(f(r, comms[r], dev), comms[r].Close())
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// outcome is the result of a run.
type outcome struct {
	hash        string
	longestMove float64
	diagnostics quality.Diagnostics
}

// job is a function that a rank runs with its solver.
type job = func(c dist.Comm, p *layout.Part, s *Solver) error

// run smooths and returns the result, which must be the same on all ranks.
func (s setting) run(t testing.TB, m *mesh.Mesh, metric *sizing.Metric, cfg Config, sweeps int) outcome {
	t.Helper()
	return s.sweep(t, sweeps, func(f func(dist.Comm, *Solver) error) error {
		return s.onEachRank(t, m, metric, cfg, func(c dist.Comm, _ *layout.Part, solver *Solver) error {
			return f(c, solver)
		})
	})
}

// sweep makes sweeps on all ranks: runOnRanks calls f on each with its solver. It returns the result, which must be
// the same on all ranks.
func (s setting) sweep(t testing.TB, sweeps int, runOnRanks func(f func(dist.Comm, *Solver) error) error) outcome {
	t.Helper()
	all := make([]outcome, s.ranks)
	err := runOnRanks(func(c dist.Comm, solver *Solver) error {
		o := &all[c.Rank()]
		var err error
		if o.longestMove, err = solver.Sweep(t.Context(), sweeps); err != nil {
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

var unit = sizing.Bounds{X0: 0, Y0: 0, X1: 1, Y1: 1}

// swirl is a metric, sampled on a grid, that rotates and stretches.
func swirl(t testing.TB) *sizing.Metric {
	t.Helper()
	m, err := sizing.Discrete(unit, 32, func(x, y float64) (float64, float64, float64) {
		s, c := math.Sincos(3*x + 2*y)
		a, b := 1/(.02*.02), 1/((.02+.1*x*y)*(.02+.1*x*y))
		return a*c*c + b*s*s, (a - b) * s * c, a*s*s + b*c*c
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSameOnAnyRanks proves that for every smoother and colouring, coordinates, longest move and diagnostics have the
// same bits on any number of ranks, with any partition, local order and number of threads, and with one exchange for
// each sweep or each set.
func TestSameOnAnyRanks(t *testing.T) {
	t.Parallel()
	m := smoothtest.Rectangle(t, 400, 9)
	metric := swirl(t)
	for k, smoother := range Smoothers {
		for _, colouring := range colouring.Kinds {
			s := defaultSetting()
			s.layout.Colouring = colouring
			s.layout.Dedicated = k%3 == 1
			cfg := Config{Smoother: smoother, Guard: "halve", Gain: 1e-6, Rescale: true}
			s.checkSameBits(t, m, metric, cfg)
		}
	}
}

// TestSameForAnyGuard is the same for guards, culled sweeps and float32.
func TestSameForAnyGuard(t *testing.T) {
	t.Parallel()
	m := smoothtest.Rectangle(t, 400, 9)
	metric := swirl(t)
	for _, smoother := range []string{"pain", "pain-exact", "smart"} {
		for k, guard := range Guards {
			s := defaultSetting()
			s.layout.Colouring = colouring.Kinds[k%2]
			if k == 2 {
				s.precision = "float32"
			}
			s.checkSameBits(t, m, metric, Config{Smoother: smoother, Guard: guard, Cull: k != 2, Settled: 1e-3, Rescale: true})
		}
	}
}

// checkSameBits runs a case in many configurations and requires the same result.
func (s setting) checkSameBits(t *testing.T, m *mesh.Mesh, metric *sizing.Metric, cfg Config) {
	t.Helper()
	want := s.run(t, m, metric, cfg, 3)
	if want.diagnostics.Moved < 150 || want.longestMove == 0 {
		t.Fatalf("%+v, %+v: %+v: the case is too simple", cfg, s.layout, want)
	}
	orders := []partition.Ordering{partition.Random, partition.Natural, partition.Hilbert}
	for _, ranks := range []int{1, 2, 3, 4, 7} {
		for k, cut := range []partition.Method{partition.RandomCut, partition.RCB} {
			s := s
			s.ranks, s.cut, s.threads = ranks, cut, 1+ranks%3
			s.layout.Order = orders[ranks%3]
			s.layout.Deep = (ranks+k)%2 == 0
			if got := s.run(t, m, metric, cfg, 3); got != want {
				t.Errorf("%+v, %d ranks by %s, %+v:\n%+v, on one rank\n%+v", cfg, ranks, cut, s.layout, got, want)
			}
		}
	}
}

// TestSameOnAnyThreads has sets larger than what one goroutine processes at a time.
func TestSameOnAnyThreads(t *testing.T) {
	t.Parallel()
	m := smoothtest.Rectangle(t, 30_000, 2)
	metric := swirl(t)
	for smoother, colouring := range map[string]colouring.Kind{"pain": colouring.FirstFit,
		"smart": colouring.JonesPlassmann} {
		cfg := Config{Smoother: smoother, Guard: "clip", Rescale: true}
		s := defaultSetting()
		s.layout.Colouring = colouring
		want := s.run(t, m, metric, cfg, 2)
		s.threads = 4
		if got := s.run(t, m, metric, cfg, 2); got != want {
			t.Errorf("%s, %s: %+v on 4 threads, on one %+v", smoother, colouring, got, want)
		}
	}
}

func ExampleConfig() {
	_, err := parameters[float64](Config{Smoother: "pain", Guard: "iron"})
	fmt.Println(err)
	// Output: guard "iron" is not known; choose one of none, halve, clip
}
