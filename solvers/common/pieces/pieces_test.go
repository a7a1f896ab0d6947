package pieces

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
)

// TestPieces compares the pieces of random regions, with and without periodic axes, on 1 to 8 blocks with those that a
// search through the whole grid finds: the first cells, the piece of each cell, and the sums.
func TestPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 60 {
		g := &grid.Grid{Dim: 2 + trial%2, N: [3]int{9 + rng.IntN(5), 8, 1}, Hi: [3]float64{1, 1, 1}}
		if g.Dim == 3 {
			g.N[2] = 8
		}
		for d := range g.Dim {
			g.Periodic[d] = rng.IntN(2) == 0
		}
		region := make([]bool, g.Cells())
		for n := range region {
			region[n] = rng.Float64() < []float64{.4, .55, .7}[rng.IntN(3)]
		}
		want := search(g, region)
		for _, parts := range [][3]int{{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {1, 2, 1 + g.Dim%2}} {
			if err := compare(g, region, want, parts); err != nil {
				t.Fatalf("trial %d, %+v in %v blocks: %v", trial, g, parts, err)
			}
		}
	}
}

// search returns the first cell of the piece of each cell, -1 outside of the region.
func search(g *grid.Grid, region []bool) []int64 {
	first := make([]int64, len(region))
	for n := range first {
		first[n] = -1
	}
	for n := range region {
		if !region[n] || first[n] >= 0 {
			continue
		}
		for stack := []int{n}; len(stack) > 0; {
			c := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if first[c] >= 0 {
				continue
			}
			first[c] = int64(n)
			for d := range g.Dim {
				for _, step := range []int{-1, 1} {
					at := [3]int{c % g.N[0], c / g.N[0] % g.N[1], c / (g.N[0] * g.N[1])}
					var inside bool
					if at[d], inside = g.Wrap(d, at[d]+step); !inside {
						continue
					}
					if next := at[0] + g.N[0]*(at[1]+g.N[1]*at[2]); region[next] {
						stack = append(stack, next)
					}
				}
			}
		}
	}
	return first
}

func compare(g *grid.Grid, region []bool, want []int64, parts [3]int) error {
	firsts := slices.Compact(slices.Sorted(slices.Values(want)))
	firsts = slices.DeleteFunc(firsts, func(n int64) bool { return n < 0 })
	sums := make([]float64, 2*len(firsts))
	for n, first := range want {
		if first >= 0 {
			piece, _ := slices.BinarySearch(firsts, first)
			sums[2*piece]++
			sums[2*piece+1] += float64(n)
		}
	}
	var group errgroup.Group
	for rank, comm := range local.New(parts[0] * parts[1] * parts[2]) {
		group.Go(func() (err error) {
			defer func() { err = firstOf(err, comm.Close()) }()
			at := [3]int{rank % parts[0], rank / parts[0] % parts[1], rank / (parts[0] * parts[1])}
			var lo, n [3]int
			for d := range 3 {
				lo[d] = g.N[d] * at[d] / parts[d]
				n[d] = g.N[d]*(at[d]+1)/parts[d] - lo[d]
			}
			b, err := g.Block(lo, n, 2)
			if err != nil {
				return err
			}
			p, err := Find(context.Background(), comm, b, func(c int) bool {
				i, j, k, inside := b.Global(b.Cell(c))
				return inside && region[i+g.N[0]*(j+g.N[1]*k)]
			})
			if err != nil {
				return err
			}
			if !slices.Equal(p.Firsts, firsts) {
				return fmt.Errorf("pieces begin at %v, want %v", p.Firsts, firsts)
			}
			for cell := range b.Cells() {
				first := int64(-1)
				if piece := p.Of(cell); piece >= 0 {
					first = firsts[piece]
				}
				if want := want[b.Number(cell)]; first != want {
					return fmt.Errorf("cell %d is in the piece from %d on, want %d", b.Number(cell), first, want)
				}
			}
			got, err := p.Sums(context.Background(), 2, func(n int, to []float64) { to[0], to[1] = 1, float64(b.Number(n)) })
			if err == nil && !slices.Equal(got, sums) {
				err = fmt.Errorf("sums are %v, want %v", got, sums)
			}
			return err
		})
	}
	return group.Wait()
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
