package smooth

import (
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// TestSolidSameOnAnyRanks proves that for every smoother, guard and colouring, coordinates, longest move and
// diagnostics have the same bits on any number of ranks, with any partition, local order and number of threads, and
// with one exchange for each sweep or each set.
func TestSolidSameOnAnyRanks(t *testing.T) {
	t.Parallel()
	m, metric := cube(t, 4, .1), twist(t)
	orders := []partition.Ordering{partition.Random, partition.Natural, partition.Hilbert}
	for k, smoother := range Smoothers {
		cfg := Config{Smoother: smoother, Guard: Guards[k%3], Gain: 1e-9, Rescale: k%2 == 0}
		if cfg.Cull = k%3 == 2 && smoother != "barrier"; cfg.Cull {
			cfg.Settled = .02
		}
		s := defaultSetting()
		s.layout.Dedicated, s.layout.Colouring = k%2 == 1, colouring.Kinds[(k+1)%2]
		if k == 2 {
			s.precision = "float32"
		}
		want := s.runSolid(t, m, nil, metric, cfg, 2)
		if want.diagnostics.Moved < 60 || want.longestMove == 0 {
			t.Fatalf("%s: %+v: the case shows too little", smoother, want)
		}
		for _, ranks := range []int{1, 2, 3, 4, 7} {
			for _, cut := range []partition.Method{partition.RandomCut, partition.RCB} {
				s := s
				s.ranks, s.cut, s.threads = ranks, cut, 1+ranks%3
				s.layout.Order = orders[ranks%3]
				s.layout.Deep = (cut == partition.RCB) == (ranks%2 == 1)
				if got := s.runSolid(t, m, nil, metric, cfg, 2); got != want {
					t.Errorf("%s, %d ranks by %s:\n%+v, on one rank\n%+v", smoother, ranks, cut, got, want)
				}
			}
		}
	}
}

// TestSolidThreads has sets larger than what one goroutine processes at a time.
func TestSolidThreads(t *testing.T) {
	t.Parallel()
	m, metric := cube(t, 24, .1), twist(t)
	cfg := Config{Smoother: "pain-exact", Guard: "halve"}
	s := defaultSetting()
	want := s.runSolid(t, m, nil, metric, cfg, 1)
	s.threads = 4
	if got := s.runSolid(t, m, nil, metric, cfg, 1); got != want {
		t.Errorf("%+v on 4 threads, on one %+v", got, want)
	}
}

// TestSolidOddPartitions covers ranks without vertices, with one vertex, and without a boundary.
func TestSolidOddPartitions(t *testing.T) {
	m, metric := cube(t, 5, .1), twist(t)
	cfg := Config{Smoother: "pain-exact", Guard: "halve"}
	want := defaultSetting().runSolid(t, m, nil, metric, cfg, 3)
	for name, owner := range map[string]func(v int) int32{
		"ranks without vertices": func(int) int32 { return 1 },
		"one vertex":             func(v int) int32 { return int32(min(v, 100) / 100) },
		"no boundary": func(v int) int32 {
			x, y, z := m.X[v], m.Y[v], m.Z[v]
			if min(x, y, z, 1-x, 1-y, 1-z) > 0 {
				return 2
			}
			return 0
		},
		"ranks alternate": func(v int) int32 { return int32(v % 3) },
	} {
		for _, deep := range []bool{false, true} {
			s := defaultSetting()
			s.ranks, s.layout.Deep = 3, deep
			owners := make([]int32, len(m.X))
			for v := range owners {
				owners[v] = owner(v)
			}
			if got := s.runSolid(t, m, owners, metric, cfg, 3); got != want {
				t.Errorf("%s, deep %v: %+v, on one rank %+v", name, deep, got, want)
			}
		}
	}
	l, err := layout.NewSolid(m, defaultSetting().layout)
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

// TestSolidSeparateMemory proves that a device with separate memory gives the same bits.
func TestSolidSeparateMemory(t *testing.T) {
	m, metric := cube(t, 5, .1), twist(t)
	for _, cfg := range []Config{{Smoother: "smart", Guard: "none"}, {Smoother: "hybrid", Guard: "none"},
		{Smoother: "pain-exact", Guard: "clip", Cull: true, Settled: .02}} {
		s := defaultSetting()
		want := s.runSolid(t, m, nil, metric, cfg, 3)
		mem := newSeparateMemory()
		s.device = func() backend.Device { return mem }
		if got := s.runSolid(t, m, nil, metric, cfg, 3); got != want {
			t.Errorf("%s: %+v, on the host %+v", cfg.Smoother, got, want)
		}
		if len(mem.Allocations) > 0 {
			t.Errorf("%s: %d arrays were not freed", cfg.Smoother, len(mem.Allocations))
		}
	}
}
