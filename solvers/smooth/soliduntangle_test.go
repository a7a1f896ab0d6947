package smooth

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

// tangledCube is a cube in which a fraction of the vertices, inside and on the boundary where they may move, are
// displaced at random by up to `distance` edge lengths.
func tangledCube(t testing.TB, n int, seed uint64, share, distance float64) *mesh.Solid {
	t.Helper()
	m := cube(t, n, .1)
	free, err := m.Freedoms()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 6))
	for v, f := range free {
		along := [][3]float64{{1}, {0, 1}, {0, 0, 1}}
		if f.Axes < 3 {
			along = f.T[:f.Axes]
		}
		if r.Float64() >= share {
			continue
		}
		for _, d := range along {
			by := distance / float64(n) * (2*r.Float64() - 1)
			m.X[v], m.Y[v], m.Z[v] = m.X[v]+by*d[0], m.Y[v]+by*d[1], m.Z[v]+by*d[2]
		}
	}
	return m
}

// untangleSolid untangles a cube, sweeps twice, and returns the result.
func (s setting) untangleSolid(t testing.TB, m *mesh.Solid, cfg Config) (Untangling, outcome) {
	t.Helper()
	cfg.Untangle, s.layout.Tangled = true, true
	tolerance := 1e-12
	if s.precision == "float32" {
		tolerance = 1e-5
	}
	sound := func(d *quality.Diagnostics) bool {
		return math.Abs(d.Area-1) <= tolerance && math.Abs(d.Perimeter-6) <= 6*tolerance
	}
	return checkUntangle(t, sound, func(f func(dist.Comm, *Solver) error) error {
		return s.onSolid(m, nil, twist(t), cfg, func(c dist.Comm, _ *layout.SolidPart, solver *Solver) error {
			return f(c,
				solver)
		})
	})
}

// TestUntangleSolid proves that cubes with any fraction of displaced vertices become valid, with the volume and the
// surface of the cube.
func TestUntangleSolid(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := tangledCube(t, rapid.IntRange(2, 5).Draw(r, "cells"), rapid.Uint64().Draw(r, "seed"),
			rapid.Float64Range(0, 1).Draw(r, "share"), rapid.Float64Range(0, 6).Draw(r, "far"))
		cfg := Config{Smoother: "pain-exact", Guard: "halve"}
		if _, o := defaultSetting().untangleSolid(t, m, cfg); o.diagnostics.Inverted != 0 {
			r.Fatalf("%+v", o.diagnostics)
		}
	})
}

// TestUntangleSolidSameBits proves that the result is the same on any number of ranks, with any partition, with one
// exchange for each sweep or each set, culled or not, and on a device with separate memory.
func TestUntangleSolidSameBits(t *testing.T) {
	t.Parallel()
	for _, precision := range []string{"float64", "float32"} {
		m := tangledCube(t, 5, 3, .9, 20)
		s := defaultSetting()
		s.precision = precision
		cfg := Config{Smoother: "smart", Guard: "none", Gain: 1e-6, Rescale: true}
		did, want := s.untangleSolid(t, m, cfg)
		cfg.Cull = true
		_, culled := s.untangleSolid(t, m, cfg)
		if did.Before < 100 || did.Sweeps <= untangleSweeps {
			t.Errorf("%+v: the case shows too little", did)
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
				if u, got := s.untangleSolid(t, m, cfg); u != did || got != want {
					t.Errorf("%s, %d ranks, deep %v: %+v and %+v, on one rank %+v and %+v", precision, ranks, deep, u, got, did, want)
				}
			}
		}
	}
}

// TestUntangleSolidRefuses proves that tetrahedra that remain inverted because the boundary crosses itself are
// refused with their ids, the same on all ranks; and that a tangled mesh is refused unless it is to be untangled.
func TestUntangleSolidRefuses(t *testing.T) {
	m := cube(t, 2, 0)
	corner := 0 // displaced beyond the opposite corner of the cube
	for v := range m.X {
		if m.X[v]+m.Y[v]+m.Z[v] == 0 {
			corner = v
		}
	}
	m.X[corner], m.Y[corner], m.Z[corner] = 1.5, 1.5, 1.5
	cfg := Config{Smoother: "pain", Guard: "none", Untangle: true}
	s := defaultSetting()
	s.ranks, s.layout.Tangled = 2, true
	err := s.onSolid(m, nil, twist(t), cfg, func(_ dist.Comm, _ *layout.SolidPart, solver *Solver) error {
		_, err := solver.Untangle(t.Context())
		return err
	})
	if err == nil {
		t.Fatal("a cube of which a corner is on the far side is untangled")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 2 || lines[0] != lines[1] || !strings.Contains(lines[0], "inverted or flat after ") ||
		!strings.Contains(lines[0], "cell 0 at (1.5, 1.5, 1.5) of volume -") {
		t.Error(err)
	}
	cfg.Untangle = false
	if err := s.onSolid(m, nil, twist(t), cfg, func(dist.Comm, *layout.SolidPart,
		*Solver) error {
		return nil
	}); err == nil ||
		!strings.Contains(err.Error(), "cell 0 at (1.5, 1.5, 1.5) is inverted or flat") {
		t.Errorf("not to be untangled: %v", err)
	}
}
