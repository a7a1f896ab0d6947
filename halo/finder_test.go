package halo

import (
	"math/rand/v2"
	"testing"
)

// TestFinder compares the rank of each cell with the boxes, for straight cuts and for random halvings of the grid.
func TestFinder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := [3]int{1 + rng.IntN(20), 1 + rng.IntN(20), 1 + rng.IntN(20)}
		b := Boxes{Dim: 3}
		for a := range 3 {
			b.Cuts[a] = []int{0}
			for i := 1; i < n[a]; i++ {
				if rng.IntN(5) == 0 {
					b.Cuts[a] = append(b.Cuts[a], i)
				}
			}
			b.Cuts[a] = append(b.Cuts[a], n[a])
		}
		checkFinder(t, &b, n)
		b.Parts = []Box{{Hi: n}}
		for range rng.IntN(40) {
			k, axis := rng.IntN(len(b.Parts)), rng.IntN(3)
			lower := b.Parts[k]
			if lower.Hi[axis]-lower.Lo[axis] < 2 {
				continue
			}
			upper, at := lower, lower.Lo[axis]+1+rng.IntN(lower.Hi[axis]-lower.Lo[axis]-1)
			lower.Hi[axis], upper.Lo[axis] = at, at
			b.Parts[k] = lower
			b.Parts = append(b.Parts, upper)
		}
		checkFinder(t, &b, n)
	}
}

func checkFinder(t *testing.T, b *Boxes, n [3]int) {
	t.Helper()
	f, cells := NewFinder(b), 0
	for rank := range b.Ranks() {
		lo, size := b.Box(rank)
		for k := range size[2] {
			for j := range size[1] {
				for i := range size[0] {
					cell := [3]int{lo[0] + i, lo[1] + j, lo[2] + k}
					if got := f.Rank(cell); got != rank {
						t.Fatalf("cell %v is in the box of rank %d, want %d", cell, got, rank)
					}
					cells++
				}
			}
		}
	}
	if cells != n[0]*n[1]*n[2] {
		t.Fatalf("boxes have %d cells, the grid %v", cells, n)
	}
	for a := range 3 {
		for _, i := range []int{-1, n[a]} {
			var cell [3]int
			if cell[a] = i; f.Rank(cell) != -1 {
				t.Errorf("cell %v is in the box of rank %d, want none", cell, f.Rank(cell))
			}
		}
	}
}
