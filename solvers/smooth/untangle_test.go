package smooth

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

// tangledMesh is a mesh in which a fraction of the interior vertices are displaced at random by up to `distance`
// edge lengths.
func tangledMesh(t testing.TB, cells int, seed uint64, share, distance float64) *mesh.Mesh {
	t.Helper()
	m := smoothtest.Rectangle(t, cells, seed)
	rings := smoothtest.Rings(t, m)
	r := rand.New(rand.NewPCG(seed, 5))
	x, y := m.X[1]-m.X[0], m.Y[1]-m.Y[0]
	h := max(x, -x, y, -y)
	for v := range m.X {
		if rings.Class[v] == mesh.Interior && r.Float64() < share {
			m.X[v] += distance * h * (2*r.Float64() - 1)
			m.Y[v] += distance * h * (2*r.Float64() - 1)
		}
	}
	return m
}

// untangle untangles a mesh, sweeps twice, and returns the result.
func (s setting) untangle(t testing.TB, m *mesh.Mesh, cfg Config) (Untangling, outcome) {
	t.Helper()
	cfg.Untangle, s.layout.Tangled = true, true
	sound := func(d *quality.Diagnostics) bool { return d.AreaDrift <= 1e-6 && d.AreaDrift >= -1e-6 }
	return checkUntangle(t, sound, func(f func(dist.Comm, *Solver) error) error {
		return s.onEachRank(t, m, swirl(t), cfg, func(c dist.Comm, _ *layout.Part, solver *Solver) error {
			return f(c,
				solver)
		})
	})
}

// checkUntangle untangles on all ranks, sweeps twice, and returns the result: runOnRanks calls f on each rank with
// its solver. The untangled mesh must satisfy valid.
func checkUntangle(t testing.TB, valid func(*quality.Diagnostics) bool, runOnRanks func(f func(dist.Comm,
	*Solver) error) error) (
	u Untangling, o outcome) {
	t.Helper()
	err := runOnRanks(func(c dist.Comm, solver *Solver) error {
		given, err := solver.Diagnose(t.Context())
		if err != nil {
			return err
		}
		done, err := solver.Untangle(t.Context())
		if err != nil {
			return err
		}
		if given.Inverted != done.Before {
			t.Errorf("%d cells are inverted, and %d were untangled", given.Inverted, done.Before)
		}
		now, err := solver.Diagnose(t.Context())
		if err != nil {
			return err
		}
		if now.Inverted != 0 || !valid(&now) {
			t.Errorf("after untangling %+v", now)
		}
		if again, err := solver.Untangle(t.Context()); err != nil || again != (Untangling{}) {
			t.Errorf("an untangled mesh: %+v, %v", again, err)
		}
		moved, err := solver.Sweep(t.Context(), 2)
		if err != nil {
			return err
		}
		end, err := solver.Diagnose(t.Context())
		if err != nil {
			return err
		}
		hash, err := solver.Hash(t.Context())
		if c.Rank() == 0 {
			u, o = done, outcome{hash, moved, end}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return u, o
}

// TestUntangle proves that meshes with any fraction of displaced vertices become valid.
func TestUntangle(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := tangledMesh(t, rapid.IntRange(8, 600).Draw(r, "cells"), rapid.Uint64().Draw(r, "seed"),
			rapid.Float64Range(0, 1).Draw(r, "share"), rapid.Float64Range(0, 6).Draw(r, "far"))
		if _, o := defaultSetting().untangle(t, m, Config{Smoother: "pain-exact",
			Guard: "halve"}); o.diagnostics.Inverted != 0 {
			r.Fatalf("%+v", o.diagnostics)
		}
	})
}

// TestUntangleSameBits proves that the result is the same on any number of ranks, with any partition, with one
// exchange for each sweep or each set, culled or not.
func TestUntangleSameBits(t *testing.T) {
	t.Parallel()
	for _, precision := range []string{"float64", "float32"} {
		m := tangledMesh(t, 600, 3, .9, 30)
		s := defaultSetting()
		s.precision = precision
		cfg := Config{Smoother: "smart", Guard: "none", Gain: 1e-6, Rescale: true}
		did, want := s.untangle(t, m, cfg)
		cfg.Cull = true
		_, culled := s.untangle(t, m, cfg)
		if did.Before < 100 || did.Sweeps <= untangleSweeps {
			t.Errorf("%+v: the case is too simple", did)
		}
		for _, ranks := range []int{1, 2, 3, 4, 7} {
			for _, deep := range []bool{false, true} {
				s.ranks, s.cut, s.layout.Deep, cfg.Cull = ranks, partition.RandomCut, deep, ranks%2 == 0
				s.device = nil
				if ranks == 3 {
					s.device = func() backend.Device { return newSeparateMemory() }
				}
				s.layout.Order = []partition.Ordering{partition.Random, partition.Hilbert}[ranks%2]
				want := want
				if cfg.Cull {
					want = culled
				}
				if u, got := s.untangle(t, m, cfg); u != did || got != want {
					t.Errorf("%s, %d ranks, deep %v: %+v and %+v, on one rank %+v and %+v", precision, ranks, deep, u, got, did, want)
				}
			}
		}
	}
}

// TestUntangleRefuses proves that inverted triangles with only boundary vertices are refused with their ids, the
// same on all ranks; and that a tangled mesh is refused unless it is to be untangled.
func TestUntangleRefuses(t *testing.T) {
	// A strip whose middle vertices are on the wrong sides.
	m := &mesh.Mesh{X: []float64{0, 1, 2, 0, 1, 2}, Y: []float64{0, 2, 0, 1, -2, 1},
		Cells: [][3]int32{{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}}}
	cfg := Config{Smoother: "pain", Guard: "none", Untangle: true}
	s := defaultSetting()
	s.ranks, s.layout.Tangled = 2, true
	err := s.onEachRank(t, m, swirl(t), cfg, func(_ dist.Comm, _ *layout.Part, solver *Solver) error {
		_, err := solver.Untangle(t.Context())
		return err
	})
	if err == nil {
		t.Fatal("a strip that crosses itself is untangled")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 2 || lines[0] != lines[1] || !strings.Contains(lines[0], "boundary: 2 triangles: ") ||
		!strings.Contains(lines[0], "cell 0 at (0, 0) of area -2, cell 3 at") {
		t.Error(err)
	}
	cfg.Untangle = false
	if err := s.onEachRank(t, m, swirl(t), cfg, func(dist.Comm, *layout.Part, *Solver) error { return nil }); err == nil ||
		!strings.Contains(err.Error(), "cell 0 at (0, 0) is inverted or flat") {
		t.Errorf("not to be untangled: %v", err)
	}
}
