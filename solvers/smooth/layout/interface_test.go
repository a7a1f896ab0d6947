package layout

import (
	"context"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
)

// onLocalMeshes runs f on all ranks, each with its local mesh.
func onLocalMeshes(t testing.TB, m *mesh.Mesh, owner []int32, ranks int, f func(comm dist.Comm, p *LocalMesh)) {
	t.Helper()
	locals, err := NewLocalMeshes(m, owner, ranks)
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

// TestColourRanks proves that ranks that know only their own vertices and ghosts compute the colours of Colour, for
// any number of ranks, including empty ones, any owners and any classes.
func TestColourRanks(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := smoothtest.Rectangle(t, rapid.IntRange(2, 3000).Draw(r, "cells"), rapid.Uint64().Draw(r, "seed"))
		rings := smoothtest.Rings(t, m)
		class, owner := make([]int8, len(m.X)), make([]int32, len(m.X))
		salt, random := rapid.Int32().Draw(r, "salt"), rapid.Bool().Draw(r, "random")
		ranks := rapid.SampledFrom([]int{1, 2, 3, 4, 7}).Draw(r, "ranks")
		for v := range class {
			class[v] = int8(colouring.Hash(int32(v)^salt)%7)/2 - 1
			owner[v] = int32(v * ranks / len(owner))
			if random {
				owner[v] = int32(colouring.Hash(int32(v)+salt) % uint64(ranks))
			}
		}
		for _, kind := range []colouring.Kind{colouring.FirstFit, colouring.JonesPlassmann} {
			want, err := colouring.Colour(kind, rings, class, 1)
			if err != nil {
				r.Fatal(err)
			}
			onLocalMeshes(t, m, owner, ranks, func(comm dist.Comm, p *LocalMesh) {
				l := &Layout{rings: &mesh.Rings{Start: []int32{0}}}
				if len(p.Global) > 0 {
					l.rings = smoothtest.Rings(t, &mesh.Mesh{X: p.X, Y: p.Y, Cells: p.Cells})
				}
				for _, v := range p.Global {
					l.Class = append(l.Class, class[v])
				}
				got, err := colouring.OverRanks(context.Background(), kind, newInterfaceExchange(&p.LocalVertices, len(p.Cells),
					p.cell, comm, 3).graph(l.rings, p.Global, l.Class), comm)
				if err != nil {
					t.Error(err)
					return
				}
				for i, v := range p.Global {
					if got[i] != want[v] {
						t.Errorf("%s, %d ranks: rank %d gives vertex %d colour %d, want %d", kind, ranks, comm.Rank(), v, got[i],
							want[v])
						return
					}
				}
			})
		}
	})
}
