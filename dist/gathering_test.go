package dist_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
)

// TestGatherings proves that gatherings in the background of collectives get the messages of all ranks in their order,
// although ranks begin them in different orders.
func TestGatherings(t *testing.T) {
	const ranks, count = 3, 4
	var wait sync.WaitGroup
	for rank, comm := range local.New(ranks) {
		wait.Go(func() {
			var background sync.WaitGroup
			for k := range count {
				tag := (k + rank) % count // in another order on each rank
				background.Go(func() {
					g := dist.Gathering{Comm: comm, Tag: tag}
					for round := range 3 {
						own := fmt.Sprint(tag, round, rank, ";")
						all, err := g.Allgather(t.Context(), []byte(own))
						want := ""
						for r := range ranks {
							want += fmt.Sprint(tag, round, r, ";")
						}
						if err != nil || string(all) != want {
							t.Errorf("rank %d got %q, error %v; want %q", rank, all, err, want)
						}
						all, err = g.Gather(t.Context(), []byte(own))
						if rank > 0 {
							want = ""
						}
						if err != nil || string(all) != want {
							t.Errorf("rank %d gathered %q, error %v; want %q", rank, all, err, want)
						}
					}
				})
				if err := comm.Barrier(t.Context()); err != nil {
					t.Error(err)
				}
			}
			background.Wait()
			if err := comm.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}
