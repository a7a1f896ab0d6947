package partition

import (
	"testing"

	"pgregory.net/rapid"
)

// TestBisect: for random costs, the boxes cover the grid once, none is thinner than asked, and there is one for each
// rank if there is room for them.
func TestBisect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := [3]int{12, 12, 12}
		for a := range n {
			n[a] = rapid.IntRange(1, 20).Draw(t, "cells along an axis")
		}
		ranks := rapid.IntRange(1, 40).Draw(t, "ranks")
		b := NewBins(n, ranks)
		even := rapid.Bool().Draw(t, "even")
		for i := range b.Cost {
			b.Cost[i] = 100
			if !even {
				b.Cost[i] = rapid.Int64Range(0, 1000).Draw(t, "cost")
			}
		}
		least, room := rapid.IntRange(1, 4).Draw(t, "least"), 1
		for _, n := range n {
			room *= max(1, n/least)
		}
		shares, err := Bisect(b, ranks, least)
		if ranks > room && err != nil {
			return
		}
		if err != nil || ranks > room || len(shares) != ranks {
			t.Fatalf("%d shares of %d, room for %d: %v", len(shares), ranks, room, err)
		}
		for _, s := range shares {
			for a, n := range n {
				if side := s.Hi[a] - s.Lo[a]; side < least && side < n {
					t.Fatalf("%v has fewer than %d cells along axis %d", s, least, a)
				}
			}
		}
		covered := make([]int, n[0]*n[1]*n[2])
		for _, s := range shares {
			for k := s.Lo[2]; k < s.Hi[2]; k++ {
				for j := s.Lo[1]; j < s.Hi[1]; j++ {
					for i := s.Lo[0]; i < s.Hi[0]; i++ {
						covered[i+n[0]*(j+n[1]*k)]++
					}
				}
			}
		}
		for c, times := range covered {
			if times != 1 {
				t.Fatalf("cell %d is in %d boxes of %v", c, times, shares)
			}
		}
	})
}

// TestBisectBalances: a thin sheet in space, which straight cuts through the whole grid cannot balance, is divided
// evenly.
func TestBisectBalances(t *testing.T) {
	n := [3]int{64, 64, 64}
	b := NewBins(n, 64)
	cost := func(i, j, k int) int64 {
		if d := i + j/2 - k/3 - 30; d*d < 4 && j > 20 {
			return 300
		}
		return 1
	}
	for k := range n[2] {
		for j := range n[1] {
			for i := range n[0] {
				*b.At([3]int{i, j, k}) += cost(i, j, k)
			}
		}
	}
	shares, err := Bisect(b, 64, 2)
	if err != nil {
		t.Fatal(err)
	}
	total, most := int64(0), int64(0)
	for _, s := range shares {
		sum := int64(0)
		for k := s.Lo[2]; k < s.Hi[2]; k++ {
			for j := s.Lo[1]; j < s.Hi[1]; j++ {
				for i := s.Lo[0]; i < s.Hi[0]; i++ {
					sum += cost(i, j, k)
				}
			}
		}
		total, most = total+sum, max(most, sum)
	}
	if mean := float64(total) / 64; mean < .8*float64(most) {
		t.Errorf("mean over largest cost %.2f", mean/float64(most))
	}
}

// TestBins: bins cover the cells, and are not more than a rank may hold.
func TestBins(t *testing.T) {
	for _, n := range [][3]int{{1, 1, 1}, {64, 64, 64}, {65, 64, 64}, {4096, 4096, 1}, {1000, 999, 998}} {
		b := NewBins(n, 8)
		*b.At([3]int{n[0] - 1, n[1] - 1, n[2] - 1}) = 1
		if len(b.Cost) > mostBins || b.Cost[len(b.Cost)-1] != 1 {
			t.Errorf("%v cells: %d bins", n, len(b.Cost))
		}
		clear(b.Cost)
		b.AddCells(7)
		if slabs := b.Slabs(); len(slabs[0]) != n[0] || slabs[2][0] != 7*int64(n[0]*n[1]) {
			t.Errorf("%v cells: slabs of %d, the first of %d", n, len(slabs[0]), slabs[2][0])
		}
	}
	if _, err := Bisect(NewBins([3]int{2, 2, 1}, 5), 5, 1); err == nil {
		t.Error("5 ranks share 4 cells")
	}
}
