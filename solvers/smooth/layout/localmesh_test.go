package layout

import (
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
)

// TestLocalMeshRefuses proves that an error on one rank is returned on all ranks with its cause, and that options
// that need the whole mesh are refused.
func TestLocalMeshRefuses(t *testing.T) {
	m := smoothtest.Rectangle(t, 200, 1)
	owner := make([]int32, len(m.X))
	for v := range owner {
		owner[v] = int32(v % 2)
	}
	for name, change := range map[string]func(o *Options, rank int, p *LocalMesh){
		"deep":      func(o *Options, _ int, _ *LocalMesh) { o.Deep = true },
		"colouring": func(o *Options, _ int, _ *LocalMesh) { o.Colouring = "grey" },
		"boundary":  func(o *Options, _ int, _ *LocalMesh) { o.Boundary = "soft" },
		"order":     func(o *Options, _ int, _ *LocalMesh) { o.Order = "rcm" },
		"cell": func(_ *Options, rank int, p *LocalMesh) {
			if rank == 1 {
				p.Cells[3][0] = int32(len(p.Global))
			}
		},
	} {
		onLocalMeshes(t, m, owner, 2, func(comm dist.Comm, p *LocalMesh) {
			o := plainOptions()
			change(&o, comm.Rank(), p)
			_, _, err := p.Part(t.Context(), o, comm, 3)
			if err == nil {
				t.Errorf("%s: rank %d accepts it", name, comm.Rank())
			} else if name == "cell" && !strings.Contains(err.Error(), "cell 3") {
				t.Errorf("rank %d does not name the cell: %v", comm.Rank(), err)
			}
		})
	}
	if _, err := NewLocalMeshes(m, owner[1:], 2); err == nil {
		t.Error("too few owners are accepted")
	}
	if _, err := NewLocalMeshes(m, owner, 1); err == nil {
		t.Error("an owner that is no rank is accepted")
	}
}

// TestLocalSolidRefuses: options that need more layers of the mesh are refused on all ranks, and so is a damaged part.
func TestLocalSolidRefuses(t *testing.T) {
	m, err := mesh.Cube(2, 2, 2, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(o *Options, rank int, p *LocalSolid){
		"deep":  func(o *Options, _ int, _ *LocalSolid) { o.Deep = true },
		"ridge": func(o *Options, _ int, _ *LocalSolid) { o.Ridge = 45 },
		"cells": func(_ *Options, rank int, p *LocalSolid) { p.CellGlobal = p.CellGlobal[rank:] },
	} {
		locals, err := NewLocalSolids(m, make([]int32, len(m.X)), 2)
		if err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for _, comm := range local.New(2) {
			o, p := plainOptions(), locals.Of(1-comm.Rank()) // rank 0 has no vertices
			change(&o, comm.Rank(), p)
			wait.Go(func() {
				defer comm.Close()
				if _, err := p.Part(t.Context(), o, comm, 3); err == nil {
					t.Errorf("%s: rank %d accepts it", name, comm.Rank())
				}
			})
		}
		wait.Wait()
	}
	if _, err := NewLocalSolids(m, nil, 2); err == nil {
		t.Error("too few owners are accepted")
	}
}
