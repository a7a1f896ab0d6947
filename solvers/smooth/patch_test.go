package smooth

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
)

// grouped is a mesh with groups of cells and of edges, and a vertex at which two fans touch.
func grouped(t testing.TB, cells int, seed uint64) *mesh.Mesh {
	m := rectangle(t, cells, seed)
	m.Groups = append(m.Groups, mesh.Group{Dim: 2, Tag: 70, Name: "left"}, mesh.Group{Dim: 2, Tag: 71, Name: "right"})
	for c := range m.Cells {
		group := int32(len(m.Groups) - 1)
		if x, _ := m.Centroid(c); x < .4 {
			group--
		}
		m.CellGroup = append(m.CellGroup, group)
	}
	n := int32(len(m.X))
	for v := range n {
		if m.X[v] == 1 && m.Y[v] == 1 {
			m.X, m.Y = append(m.X, 1.2, 1.2), append(m.Y, 1.1, 1.3)
			m.Cells, m.CellGroup = append(m.Cells, [3]int32{v, n, n + 1}), append(m.CellGroup, -1)
			break
		}
	}
	return m
}

// TestPatchesGiveTheBits: parts that ranks arrange themselves smooth a mesh as those cut from a layout of the whole do:
// the same state, the same diagnostics, and as many cells and edges; with empty ranks, and owners in disorder.
func TestPatchesGiveTheBits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := grouped(t, rapid.IntRange(8, 1500).Draw(r, "cells"), rapid.Uint64().Draw(r, "seed"))
		metric, err := Linear(Bounds{0, 0, 1.2, 1.3}, 1, 4)
		if err != nil {
			r.Fatal(err)
		}
		s := plain()
		s.layout.Colouring = rapid.SampledFrom([]Colouring{FirstFit, JonesPlassmann}).Draw(r, "colouring")
		s.layout.Dedicated = rapid.Bool().Draw(r, "dedicated")
		s.layout.Order = rapid.SampledFrom([]partition.Ordering{partition.Natural, partition.Hilbert,
			partition.Random}).Draw(r, "order")
		s.layout.Boundary = rapid.SampledFrom([]Boundary{Slide, Fixed}).Draw(r, "boundary")
		ranks := rapid.SampledFrom([]int{1, 2, 3, 5}).Draw(r, "ranks")
		salt := rapid.Int32().Draw(r, "salt")
		owner := make([]int32, len(m.X))
		for v := range owner {
			owner[v] = min(int32(v*(ranks+1)/len(owner)), int32(ranks-1))
			if hash(int32(v)^salt)%9 == 0 && ranks > 2 { // rank 1 may keep none
				owner[v] = 2
			}
		}
		cfg := Config{Smoother: "pain-exact", Guard: "halve", Rescale: true}
		finish := func(parts []*Part) (out outcome) {
			err := s.onParts(parts, metric, cfg, func(c dist.Comm, _ *Part, solver Solver) error {
				moved, err := solver.Sweep(t.Context(), 3)
				if err != nil {
					return err
				}
				now := outcome{moved: moved}
				if now.hash, err = solver.Hash(t.Context()); err != nil {
					return err
				}
				now.diagnostics, err = solver.Diagnose(t.Context())
				if c.Rank() == 0 {
					out = now
				}
				return err
			})
			if err != nil {
				r.Fatal(err)
			}
			return out
		}
		l, err := NewLayout(m, s.layout)
		if err != nil {
			r.Fatal(err)
		}
		whole, err := l.Parts(owner, ranks)
		if err != nil {
			r.Fatal(err)
		}
		parts, crowded := make([]*Part, ranks), make([]int, ranks)
		onPatches(t, m, owner, ranks, func(comm dist.Comm, p *Patch) {
			var err error
			if parts[comm.Rank()], crowded[comm.Rank()], err = p.Part(t.Context(), s.layout, comm, 3); err != nil {
				t.Error(err)
			}
		})
		if t.Failed() {
			return
		}
		for k, p := range parts {
			q := whole[k]
			if len(p.Edges) != len(q.Edges) || !slices.Equal(p.CellGlobal, q.CellGlobal) || p.Sets != q.Sets ||
				len(p.Global) != len(q.Global) || crowded[k] != l.Crowded() {
				r.Fatalf("rank %d of %d: %d edges, %d cells, %d sets; want %d, %d, %d", k, ranks, len(p.Edges), len(p.Cells),
					p.Sets, len(q.Edges), len(q.Cells), q.Sets)
			}
		}
		if got, want := finish(parts), finish(whole); got != want {
			r.Fatalf("%d ranks: %+v, want %+v", ranks, got, want)
		}
	})
}

// TestPatchRefuses: what is wrong on one rank ends all, which say why, and what needs the whole mesh is refused.
func TestPatchRefuses(t *testing.T) {
	m := rectangle(t, 200, 1)
	owner := make([]int32, len(m.X))
	for v := range owner {
		owner[v] = int32(v % 2)
	}
	for name, change := range map[string]func(o *LayoutOptions, rank int, p *Patch){
		"deep":      func(o *LayoutOptions, _ int, _ *Patch) { o.Deep = true },
		"colouring": func(o *LayoutOptions, _ int, _ *Patch) { o.Colouring = "grey" },
		"boundary":  func(o *LayoutOptions, _ int, _ *Patch) { o.Boundary = "soft" },
		"order":     func(o *LayoutOptions, _ int, _ *Patch) { o.Order = "rcm" },
		"cell": func(_ *LayoutOptions, rank int, p *Patch) {
			if rank == 1 {
				p.Cells[3][0] = int32(len(p.Global))
			}
		},
	} {
		onPatches(t, m, owner, 2, func(comm dist.Comm, p *Patch) {
			o := plain().layout
			change(&o, comm.Rank(), p)
			_, _, err := p.Part(t.Context(), o, comm, 3)
			if err == nil {
				t.Errorf("%s: rank %d accepts it", name, comm.Rank())
			} else if name == "cell" && !strings.Contains(err.Error(), "cell 3") {
				t.Errorf("rank %d does not tell of the cell: %v", comm.Rank(), err)
			}
		})
	}
	if _, err := NewPatches(m, owner[1:], 2); err == nil {
		t.Error("too few owners are accepted")
	}
	if _, err := NewPatches(m, owner, 1); err == nil {
		t.Error("an owner that is no rank is accepted")
	}
}
