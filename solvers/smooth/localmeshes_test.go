package smooth

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// TestPartsOfLocalMeshes proves that parts that ranks make from local meshes give the same state and diagnostics as
// those made from a layout of the whole mesh; with empty ranks, and owners in random order.
func TestPartsOfLocalMeshes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := smoothtest.Grouped(t, rapid.IntRange(8, 1500).Draw(r, "cells"), rapid.Uint64().Draw(r, "seed"))
		metric, err := sizing.Linear(sizing.Bounds{X0: 0, Y0: 0, X1: 1.2, Y1: 1.3}, 1, 4)
		if err != nil {
			r.Fatal(err)
		}
		s := defaultSetting()
		s.layout.Colouring = rapid.SampledFrom([]colouring.Kind{colouring.FirstFit, colouring.JonesPlassmann}).Draw(r,
			"colouring")
		s.layout.Dedicated = rapid.Bool().Draw(r, "dedicated")
		s.layout.Order = rapid.SampledFrom([]partition.Ordering{partition.Natural, partition.Hilbert,
			partition.Random}).Draw(r, "order")
		s.layout.Boundary = rapid.SampledFrom([]layout.Boundary{layout.Slide, layout.Fixed}).Draw(r, "boundary")
		ranks := rapid.SampledFrom([]int{1, 2, 3, 5}).Draw(r, "ranks")
		salt := rapid.Int32().Draw(r, "salt")
		owner := make([]int32, len(m.X))
		for v := range owner {
			owner[v] = min(int32(v*(ranks+1)/len(owner)), int32(ranks-1))
			if colouring.Hash(int32(v)^salt)%9 == 0 && ranks > 2 { // rank 1 may own no vertex
				owner[v] = 2
			}
		}
		cfg := Config{Smoother: "pain-exact", Guard: "halve", Rescale: true}
		finish := func(parts []*layout.Part) (out outcome) {
			err := s.onParts(parts, metric, cfg, func(c dist.Comm, _ *layout.Part, solver *Solver) error {
				moved, err := solver.Sweep(t.Context(), 3)
				if err != nil {
					return err
				}
				now := outcome{longestMove: moved}
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
		l, err := layout.New(m, s.layout)
		if err != nil {
			r.Fatal(err)
		}
		whole, err := l.Parts(owner, ranks)
		if err != nil {
			r.Fatal(err)
		}
		parts, crowded := make([]*layout.Part, ranks), make([]int, ranks)
		onLocalMeshes(t, m, owner, ranks, func(comm dist.Comm, p *layout.LocalMesh) {
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

// onLocalMeshes runs f on all ranks, each with its local mesh.
func onLocalMeshes(t testing.TB, m *mesh.Mesh, owner []int32, ranks int, f func(comm dist.Comm, p *layout.LocalMesh)) {
	t.Helper()
	locals, err := layout.NewLocalMeshes(m, owner, ranks)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for _, comm := range local.New(ranks) {
		p := locals.Of(comm.Rank())
		wait.Go(func() {
			defer comm.Close()
			f(comm, p)
		})
	}
	wait.Wait()
}

// TestPartsOfLocalSolids is TestPartsOfLocalMeshes for tetrahedra, with groups of cells and faces, and marks.
func TestPartsOfLocalSolids(t *testing.T) {
	m, metric := cube(t, 5, .1), twist(t)
	skin, err := m.Skin()
	if err != nil {
		t.Fatal(err)
	}
	m.CellTag = make([]int32, len(m.Cells))
	for c := range m.CellTag {
		m.CellTag[c] = 1
		if at := m.Centroid(c); at[0] > .7 && at[1] > .5 {
			m.CellTag[c] = 2
		}
	}
	for i, f := range skin {
		m.Faces = append(m.Faces, mesh.TaggedFace{V: f.V, Tag: int32(1 + i*3/len(skin))})
	}
	m.Marks = &mesh.Marks{Vertices: []int32{50}, Lines: []mesh.MarkedEdge{{A: 100, B: 101, Tag: 1}}}
	rapid.Check(t, func(r *rapid.T) {
		s := defaultSetting()
		s.layout.Colouring = rapid.SampledFrom(colouring.Kinds).Draw(r, "colouring")
		s.layout.Dedicated = rapid.Bool().Draw(r, "dedicated")
		s.layout.Order = rapid.SampledFrom([]partition.Ordering{partition.Natural, partition.Hilbert}).Draw(r, "order")
		ranks, salt := rapid.SampledFrom([]int{1, 2, 3, 5}).Draw(r, "ranks"), rapid.Int32().Draw(r, "salt")
		s.ranks = ranks
		owner := make([]int32, len(m.X))
		for v := range owner {
			owner[v] = min(int32(v*(ranks+1)/len(owner)), int32(ranks-1))
			if colouring.Hash(int32(v)^salt)%9 == 0 && ranks > 2 { // rank 1 may own few vertices
				owner[v] = 2
			}
		}
		finish := func(parts []*layout.SolidPart) outcome {
			return s.sweep(t, 2, func(f func(dist.Comm, *Solver) error) error {
				return s.onSolidParts(parts, metric, Config{Smoother: "pain-exact", Guard: "halve"},
					func(c dist.Comm, _ *layout.SolidPart, solver *Solver) error { return f(c, solver) })
			})
		}
		l, err := layout.NewSolid(m, s.layout)
		if err != nil {
			r.Fatal(err)
		}
		whole, err := l.Parts(owner, ranks)
		if err != nil {
			r.Fatal(err)
		}
		locals, err := layout.NewLocalSolids(m, owner, ranks)
		if err != nil {
			r.Fatal(err)
		}
		parts := make([]*layout.SolidPart, ranks)
		var wait sync.WaitGroup
		for _, comm := range local.New(ranks) {
			p := locals.Of(comm.Rank())
			wait.Go(func() {
				defer comm.Close()
				var err error
				if parts[comm.Rank()], err = p.Part(t.Context(), s.layout, comm, 3); err != nil {
					t.Error(err)
				}
			})
		}
		if wait.Wait(); t.Failed() {
			return
		}
		for k, p := range parts {
			q := whole[k]
			if len(p.Edges) != len(q.Edges) || !slices.Equal(p.CellGlobal, q.CellGlobal) || p.Sets != q.Sets ||
				len(p.Global) != len(q.Global) || len(p.Frames) != len(q.Frames) ||
				len(p.BoundaryFaces) != len(q.BoundaryFaces) {
				r.Fatalf("rank %d of %d: %d edges, %d cells, %d sets, %d frames; want %d, %d, %d, %d", k, ranks, len(p.Edges),
					len(p.Cells), p.Sets, len(p.Frames), len(q.Edges), len(q.Cells), q.Sets, len(q.Frames))
			}
		}
		if got, want := finish(parts), finish(whole); got != want {
			r.Fatalf("%d ranks: %+v, want %+v", ranks, got, want)
		}
	})
}
