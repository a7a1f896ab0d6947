package partition

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBlocksOfKnownGrids(t *testing.T) {
	for _, c := range []struct {
		n           [3]int
		dim, ranks  int
		fixed, want [3]int
	}{
		{[3]int{64, 64, 1}, 2, 1, [3]int{}, [3]int{1, 1, 1}},
		{[3]int{64, 64, 1}, 2, 2, [3]int{}, [3]int{1, 2, 1}}, // rows stay whole
		{[3]int{64, 64, 1}, 2, 4, [3]int{}, [3]int{2, 2, 1}},
		{[3]int{64, 64, 1}, 2, 6, [3]int{}, [3]int{2, 3, 1}},
		{[3]int{1000, 10, 1}, 2, 6, [3]int{}, [3]int{6, 1, 1}},
		{[3]int{32, 32, 32}, 3, 4, [3]int{}, [3]int{1, 2, 2}},
		{[3]int{32, 32, 32}, 3, 8, [3]int{}, [3]int{2, 2, 2}},
		{[3]int{128, 32, 32}, 3, 4, [3]int{}, [3]int{4, 1, 1}},
		{[3]int{5, 4, 1}, 2, 5, [3]int{}, [3]int{5, 1, 1}},                   // 5 cells give 5 blocks, 4 cannot
		{[3]int{64, 64, 1}, 2, 4, [3]int{4, 0, 0}, [3]int{4, 1, 1}},          // fixed, though it has more faces
		{[3]int{32, 32, 32}, 3, 8, [3]int{1, 0, 0}, [3]int{1, 2, 4}},         // one axis fixed
		{[3]int{32, 32, 32}, 3, 8, [3]int{2, 1, 4}, [3]int{2, 1, 4}},         // all axes fixed
		{[3]int{1 << 20, 1 << 20, 1}, 2, 7, [3]int{}, [3]int{1, 7, 1}},       // a prime number of ranks
		{[3]int{1 << 20, 1 << 20, 1 << 10}, 3, 4, [3]int{}, [3]int{2, 2, 1}}, // as many cells as a grid may have
	} {
		got, err := Blocks(c.n, c.dim, c.ranks, c.fixed)
		if err != nil || got != c.want {
			t.Errorf("%v cells, %d ranks, %v fixed: %v, %v, want %v", c.n, c.ranks, c.fixed, got, err, c.want)
		}
	}
}

func TestBlocksRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		n          [3]int
		dim, ranks int
		fixed      [3]int
		want       string
	}{
		"one dimension":            {[3]int{4, 1, 1}, 1, 1, [3]int{}, "give 2 or 3"},
		"no ranks":                 {[3]int{4, 4, 1}, 2, 0, [3]int{}, "give 1 to"},
		"too many ranks":           {[3]int{4, 4, 1}, 2, 1 << 40, [3]int{}, "give 1 to"},
		"no cells":                 {[3]int{4, 0, 1}, 2, 1, [3]int{}, "1 or more along each axis"},
		"layers in 2D":             {[3]int{4, 4, 3}, 2, 1, [3]int{}, "1 along z"},
		"too many cells":           {[3]int{1 << 20, 1 << 20, 1 << 20}, 3, 1, [3]int{}, "at most in all"},
		"more ranks than cells":    {[3]int{2, 3, 1}, 2, 7, [3]int{}, "take 6 ranks"},
		"prime number of ranks":    {[3]int{4, 4, 1}, 2, 11, [3]int{}, "take 9 ranks"},
		"too many along y":         {[3]int{4, 4, 1}, 2, 5, [3]int{0, 5, 0}, "5 blocks along y, which has 4 cells"},
		"negative":                 {[3]int{4, 4, 1}, 2, 5, [3]int{-1, 0, 0}, "-1 blocks along x"},
		"along z in 2D":            {[3]int{4, 4, 1}, 2, 2, [3]int{0, 0, 2}, "2 blocks along z"},
		"one fixed, wrong product": {[3]int{4, 4, 1}, 2, 4, [3]int{3, 0, 0}, "multiply to the number"},
		"all fixed, wrong product": {[3]int{4, 4, 4}, 3, 4, [3]int{2, 2, 2}, "multiply to the number"},
	} {
		_, err := Blocks(c.n, c.dim, c.ranks, c.fixed)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

// TestAlignedCuts: cuts are multiples of the groups, cover the grid, and are those of BoxCuts for groups of one cell.
func TestAlignedCuts(t *testing.T) {
	for _, c := range []struct {
		n, parts, align [3]int
		want            string
	}{
		{[3]int{10, 7, 1}, [3]int{2, 2, 1}, [3]int{4, 2, 1}, "[[0 4 10] [0 4 7] [0 1]]"},
		{[3]int{9, 8, 5}, [3]int{3, 1, 2}, [3]int{4, 4, 1}, "[[0 4 8 9] [0 8] [0 2 5]]"},
		{[3]int{7, 5, 1}, [3]int{3, 2, 1}, [3]int{1, 1, 1}, fmt.Sprint(BoxCuts([3]int{7, 5, 1}, [3]int{3, 2, 1}))},
	} {
		if got := fmt.Sprint(AlignedCuts(c.n, c.parts, c.align)); got != c.want {
			t.Errorf("%v: %s, want %s", c, got, c.want)
		}
	}
}

// For any grid and any number of ranks, every cell is in exactly one box, the sizes of boxes differ by at most one
// cell along an axis, BoxCuts agrees with Box, and no other division has fewer faces between boxes.
func TestBoxesTileTheGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(2, 3).Draw(t, "dimensions")
		n := [3]int{1, 1, 1}
		for a := range dim {
			n[a] = rapid.IntRange(1, 12).Draw(t, "cells")
		}
		ranks := rapid.IntRange(1, 24).Draw(t, "ranks")
		parts, err := Blocks(n, dim, ranks, [3]int{})
		if err != nil {
			for _, p := range allProducts(ranks) {
				if p[0] <= n[0] && p[1] <= n[1] && p[2] <= n[2] {
					t.Fatalf("error %v, want the division %v", err, p)
				}
			}
			return
		}
		if parts[0]*parts[1]*parts[2] != ranks {
			t.Fatalf("%v blocks for %d ranks", parts, ranks)
		}
		owner := make([]int, n[0]*n[1]*n[2])
		cuts := BoxCuts(n, parts)
		for r := range ranks {
			lo, size := Box(n, parts, r)
			index := [3]int{r % parts[0], r / parts[0] % parts[1], r / parts[0] / parts[1]}
			for a := range 3 {
				if least := n[a] / parts[a]; size[a] != least && size[a] != least+1 {
					t.Fatalf("box %d has %d cells along axis %d, of %d in %d parts", r, size[a], a, n[a], parts[a])
				}
				if cuts[a][index[a]] != lo[a] || cuts[a][index[a]+1] != lo[a]+size[a] {
					t.Fatalf("box %d has first cell %v and size %v, but the cuts are %v", r, lo, size, cuts)
				}
			}
			for k := range size[2] {
				for j := range size[1] {
					for i := range size[0] {
						c := lo[0] + i + n[0]*(lo[1]+j+n[1]*(lo[2]+k))
						if owner[c] != 0 {
							t.Fatalf("cell %d is in boxes %d and %d", c, owner[c]-1, r)
						}
						owner[c] = r + 1
					}
				}
			}
		}
		if slices.Contains(owner, 0) {
			t.Fatal("a cell is in no box")
		}
		faces := facesBetween(n, owner)
		for _, p := range allProducts(ranks) {
			if p[0] > n[0] || p[1] > n[1] || p[2] > n[2] {
				continue
			}
			other := (p[0]-1)*n[1]*n[2] + (p[1]-1)*n[0]*n[2] + (p[2]-1)*n[0]*n[1]
			if other < faces {
				t.Fatalf("%v has %d faces between boxes, %v only %d", parts, faces, p, other)
			}
		}
	})
}

// allProducts lists all triples of positive integers whose product is ranks.
func allProducts(ranks int) (products [][3]int) {
	for x := 1; x <= ranks; x++ {
		for y := 1; y <= ranks; y++ {
			if z := ranks / x / y; x*y*z == ranks {
				products = append(products, [3]int{x, y, z})
			}
		}
	}
	return products
}

// facesBetween counts the faces between cells of different owners.
func facesBetween(n [3]int, owner []int) int {
	faces := 0
	for c, o := range owner {
		index := [3]int{c % n[0], c / n[0] % n[1], c / n[0] / n[1]}
		stride := 1
		for a := range 3 {
			if index[a]+1 < n[a] && owner[c+stride] != o {
				faces++
			}
			stride *= n[a]
		}
	}
	return faces
}

// Cuts balance the weights of blocks, but each block has at least the given number of cells.
func TestWeightedCuts(t *testing.T) {
	for _, c := range []struct {
		weights []int64
		parts   int
		least   int
		want    []int
	}{
		{[]int64{1, 1, 1, 1, 1, 1}, 3, 1, []int{0, 2, 4, 6}},
		{[]int64{9, 1, 1, 1, 1, 1}, 2, 1, []int{0, 1, 6}},
		{[]int64{9, 1, 1, 1, 1, 1}, 2, 2, []int{0, 2, 6}},
		{[]int64{1, 1, 1, 1, 1, 9}, 3, 2, []int{0, 2, 4, 6}},
		{[]int64{0, 0, 0, 0, 8, 8}, 2, 1, []int{0, 5, 6}},
		{[]int64{0, 0, 0, 0}, 4, 3, []int{0, 1, 2, 3, 4}},
		{[]int64{5}, 1, 4, []int{0, 1}},
	} {
		got := WeightedCuts([3][]int64{c.weights, {1}, {1}}, [3]int{c.parts, 1, 1}, c.least)
		if !slices.Equal(got[0], c.want) {
			t.Errorf("%v in %d, %d at least: %v, want %v", c.weights, c.parts, c.least, got[0], c.want)
		}
	}
}
