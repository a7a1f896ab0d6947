package smooth

import (
	"context"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
)

// patches cuts a graph.
func patches(t testing.TB, rings *mesh.Rings, class []int8, owner []int32, ranks int) []*Patch {
	t.Helper()
	owned, ghosts := make([][]int32, ranks), make([][][]int32, ranks)
	for r := range ghosts {
		ghosts[r] = make([][]int32, ranks)
	}
	for v := range int32(len(class)) {
		r := owner[v]
		owned[r] = append(owned[r], v)
		for _, u := range rings.Of(v) {
			if q := owner[u]; q != r {
				ghosts[r][q] = append(ghosts[r][q], u)
			}
		}
	}
	all := make([]*Patch, ranks)
	for r := range all {
		p := &Patch{Start: []int32{0}}
		p.Global = slices.Clone(owned[r])
		for q := range ghosts[r] {
			slices.Sort(ghosts[r][q])
			ghosts[r][q] = slices.Compact(ghosts[r][q])
			p.Global = append(p.Global, ghosts[r][q]...)
		}
		at := map[int32]int32{}
		for i, v := range p.Global {
			at[v] = int32(i)
		}
		for _, v := range owned[r] {
			p.Class = append(p.Class, class[v])
			for _, u := range rings.Of(v) {
				p.Adj = append(p.Adj, at[u])
			}
			p.Start = append(p.Start, int32(len(p.Adj)))
		}
		all[r] = p
	}
	plans, err := halo.Plans(owned, ghosts)
	if err != nil {
		t.Fatal(err)
	}
	for r, p := range all {
		p.Plan = plans[r]
	}
	return all
}

// TestColourRanks: ranks that know nothing but their own vertices and ghosts give all of them the colours of Colour,
// which are those of a serial loop: for any number of ranks, empty ones too, any owners and any classes.
func TestColourRanks(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := rectangle(t, rapid.IntRange(2, 3000).Draw(r, "cells"), rapid.Uint64().Draw(r, "seed"))
		rings := ringsOf(t, m)
		class, owner := make([]int8, len(m.X)), make([]int32, len(m.X))
		salt, random := rapid.Int32().Draw(r, "salt"), rapid.Bool().Draw(r, "random")
		ranks := rapid.SampledFrom([]int{1, 2, 3, 4, 7}).Draw(r, "ranks")
		for v := range class {
			class[v] = int8(hash(int32(v)^salt)%7)/2 - 1
			owner[v] = int32(v * ranks / len(owner))
			if random {
				owner[v] = int32(hash(int32(v)+salt) % uint64(ranks))
			}
		}
		for _, kind := range []Colouring{FirstFit, JonesPlassmann} {
			want, err := Colour(kind, rings, class, 1)
			if err != nil {
				r.Fatal(err)
			}
			parts, comms := patches(t, rings, class, owner, ranks), local.New(ranks)
			var wait sync.WaitGroup
			for k, comm := range comms {
				wait.Go(func() {
					defer comm.Close()
					got, err := ColourRanks(context.Background(), kind, parts[k], comm, 3)
					if err != nil {
						t.Error(err)
						return
					}
					for i, v := range parts[k].Global {
						if got[i] != want[v] {
							t.Errorf("%s, %d ranks: rank %d gives vertex %d colour %d, want %d", kind, ranks, k, v, got[i], want[v])
							return
						}
					}
				})
			}
			wait.Wait()
		}
	})
}

// TestColourRanksRefuses: a rank's fault ends all.
func TestColourRanksRefuses(t *testing.T) {
	var wait sync.WaitGroup
	for k, comm := range local.New(2) {
		wait.Go(func() {
			defer comm.Close()
			p := &Patch{Start: []int32{0}, Plan: &halo.Plan{Rank: k, Owned: k}}
			if _, err := ColourRanks(t.Context(), FirstFit, p, comm, 3); err == nil {
				t.Errorf("rank %d: a plan of another patch is accepted", k)
			}
			p.Plan = &halo.Plan{Rank: k}
			if _, err := ColourRanks(t.Context(), "grey", p, comm, 3); err == nil {
				t.Errorf("rank %d: an unknown colouring is accepted", k)
			}
		})
	}
	wait.Wait()
}
