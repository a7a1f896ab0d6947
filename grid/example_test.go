package grid_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/partition"
)

// Four ranks share a grid that is periodic along x. Each rank sets its owned cells to their global numbers; a halo
// exchange then sets the ghosts to the numbers of the neighbours' cells.
func Example() {
	const ranks, ghost = 4, 2
	g, err := grid.New(2, [3]int{8, 6, 1}, [3]float64{}, [3]float64{4, 3, 0}, [3]bool{true, false, false})
	if err != nil {
		log.Fatal(err)
	}
	parts, err := partition.Blocks(g.N, g.Dim, ranks, [3]int{})
	if err != nil {
		log.Fatal(err)
	}
	boxes := halo.Boxes{Dim: g.Dim, Cuts: partition.BoxCuts(g.N, parts), Periodic: g.Periodic}
	var wg sync.WaitGroup
	wrong := make([]int, ranks)
	for _, comm := range local.New(ranks) {
		wg.Go(func() {
			defer comm.Close()
			lo, n := partition.Box(g.N, parts, comm.Rank())
			b, err := g.Block(lo, n, ghost)
			if err != nil {
				log.Fatal(err)
			}
			plan, err := halo.NewBoxPlan(boxes, comm.Rank(), ghost, [3]int{ghost, ghost, ghost}, halo.AxisByAxis)
			if err != nil {
				log.Fatal(err)
			}
			x := halo.NewHostExchanger(plan, comm, 1, 8)
			number := make([]float64, b.Len())
			owned := make([]float64, b.Cells())
			for c := range owned {
				i, j := c%b.N[0], c/b.N[0]
				owned[c] = float64(b.Lo[0] + i + g.N[0]*(b.Lo[1]+j))
			}
			grid.SetOwned(b, number, owned)
			if err := x.Exchange(context.Background(), halo.FieldOf(number)); err != nil {
				log.Fatal(err)
			}
			for c, v := range number {
				gi, gj, _, inside := b.Global(b.Cell(c))
				if inside && v != float64(gi+g.N[0]*gj) {
					wrong[comm.Rank()]++
				}
			}
		})
	}
	wg.Wait()
	fmt.Println("blocks along x, y, z:", parts)
	fmt.Println("wrong ghosts of each rank:", wrong)
	// Output:
	// blocks along x, y, z: [2 2 1]
	// wrong ghosts of each rank: [0 0 0 0]
}
