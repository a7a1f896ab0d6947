package smooth

import (
	"math"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// oddPartitions are unusual partitions of a mesh of the unit square for four ranks.
func oddPartitions(m *mesh.Mesh) map[string]func(v int) int32 {
	return map[string]func(v int) int32{
		"ranks without vertices": func(int) int32 { return 1 },
		"one vertex":             func(v int) int32 { return int32(min(v, 60) / 60) },
		"no boundary": func(v int) int32 {
			if x, y := m.X[v], m.Y[v]; min(x, y, 1-x, 1-y) > .2 {
				return 1
			}
			return 2
		},
		"four ranks around a vertex": func(v int) int32 {
			r := int32(0)
			if m.X[v] > .5 {
				r++
			}
			if m.Y[v] > .5 {
				r += 2
			}
			return r
		},
		"every vertex by itself": func(v int) int32 { return int32(v % 4) },
	}
}

// TestOddPartitions covers ranks without vertices, without a boundary, with one vertex, and a vertex with neighbours
// on four ranks, for every smoother and colouring.
func TestOddPartitions(t *testing.T) {
	t.Parallel()
	m := smoothtest.Rectangle(t, 200, 4)
	metric := swirl(t)
	for k, smoother := range Smoothers {
		for j, colouring := range colouring.Kinds {
			s := defaultSetting()
			s.layout.Colouring, s.layout.Deep = colouring, (k+j)%2 == 1
			cfg := Config{Smoother: smoother, Guard: "halve", Rescale: true, Cull: k%2 == 1 && smoother != "barrier",
				Settled: 1e-3}
			want := s.run(t, m, metric, cfg, 3)
			for name, owner := range oddPartitions(m) {
				l, err := layout.New(m, s.layout)
				if err != nil {
					t.Fatal(err)
				}
				owners := make([]int32, len(m.X))
				for v := range owners {
					owners[v] = owner(v)
				}
				if name == "four ranks around a vertex" && maxRanks(smoothtest.Rings(t, m), owners) != 4 {
					t.Fatal("no vertex has neighbours on four ranks")
				}
				parts, err := l.Parts(owners, 4)
				if err != nil {
					t.Fatal(err)
				}
				err = s.onParts(parts, metric, cfg, func(c dist.Comm, _ *layout.Part, solver *Solver) error {
					moved, err := solver.Sweep(t.Context(), 3)
					if err != nil {
						return err
					}
					d, err := solver.Diagnose(t.Context())
					if err != nil {
						return err
					}
					hash, err := solver.Hash(t.Context())
					if got := (outcome{hash, moved, d}); got != want {
						t.Errorf("%s, %s, %+v, rank %d: %+v, on one rank %+v", name, smoother, s.layout, c.Rank(), got, want)
					}
					return err
				})
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	if _, err := (&layout.Layout{Class: make([]int8, 2)}).Parts([]int32{0}, 1); err == nil {
		t.Error("too few owners are accepted")
	}
}

// maxRanks returns the largest number of ranks that own neighbours of one vertex.
func maxRanks(rings *mesh.Rings, owner []int32) int {
	most := 0
	for v := range int32(len(owner)) {
		ranks := map[int32]bool{}
		for _, u := range rings.Of(v) {
			ranks[owner[u]] = true
		}
		most = max(most, len(ranks))
	}
	return most
}

// TestToZero proves that a vertex can move to a position with coordinates that are exactly 0.
func TestToZero(t *testing.T) {
	m := &mesh.Mesh{X: []float64{.25}, Y: []float64{-.125}}
	for k := range int32(4) { // a square rotated by 45°, so that all sums are exact
		m.X = append(m.X, []float64{1, 0, -1, 0}[k])
		m.Y = append(m.Y, []float64{0, 1, 0, -1}[k])
		m.Cells = append(m.Cells, [3]int32{0, k + 1, (k+1)%4 + 1})
	}
	metric, err := sizing.Discrete(sizing.Bounds{X0: -1, Y0: -1, X1: 1, Y1: 1}, 2, func(x, y float64) (m11, m12,
		m22 float64) {
		return 1, 0, 1
	})
	if err != nil {
		t.Fatal(err)
	}
	for smoother, tolerance := range map[string]float64{"pain-exact": 0, "pain": 1e-12, "smart": 0, "fjp": 1e-4,
		"hybrid": 1e-4} {
		cfg := Config{Smoother: smoother, Guard: "halve"}
		err := defaultSetting().onEachRank(t, m, metric, cfg, func(_ dist.Comm, p *layout.Part, s *Solver) error {
			if _, err := s.Sweep(t.Context(), 100); err != nil {
				return err
			}
			at, err := s.Coordinates()
			v := slices.Index(p.Global, 0)
			if err == nil && !(math.Hypot(at[0][v], at[1][v]) <= tolerance) {
				t.Errorf("%s comes to (%g, %g)", smoother, at[0][v], at[1][v])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
