package dist_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
)

// TestBroadcast: all ranks get the array of rank 0, in several pieces, and an empty one, whatever they had.
func TestBroadcast(t *testing.T) {
	type pair struct {
		a int32
		b float64
	}
	long := make([]pair, 1_200_000)
	for i := range long {
		long[i] = pair{int32(i), float64(i) / 2}
	}
	var wait sync.WaitGroup
	for _, comm := range local.New(3) {
		wait.Go(func() {
			defer comm.Close()
			for _, want := range [][]pair{long, {}, long[:1]} {
				got := long[5:9]
				if comm.Rank() == 0 {
					got = want
				}
				if err := dist.Broadcast(t.Context(), comm, &got); err != nil {
					t.Error(err)
				} else if !slices.Equal(got, want) {
					t.Errorf("rank %d: %d elements, want %d", comm.Rank(), len(got), len(want))
				}
			}
		})
	}
	wait.Wait()
}
