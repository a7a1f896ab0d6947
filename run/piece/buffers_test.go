package piece

import (
	"slices"
	"sync"
	"testing"
)

// TestBuffers proves that frames in progress share no array, and that later ones use the arrays of those that have
// ended.
func TestBuffers(t *testing.T) {
	var b Buffers
	const frames, arrays = 3, 20
	made := map[*float64]bool{}
	for round := range 4 {
		leases := [frames]*Lease{}
		taken := make(chan *float64, frames*arrays)
		var wait sync.WaitGroup
		for k := range leases {
			leases[k] = b.Lease()
			wait.Go(func() {
				for n := range arrays {
					a := leases[k].Array(n + 1)
					if len(a) != n+1 {
						t.Errorf("an array of %d numbers, want %d", len(a), n+1)
					}
					taken <- &a[0]
				}
			})
		}
		wait.Wait()
		close(taken)
		var used []*float64
		for a := range taken {
			if slices.Contains(used, a) {
				t.Fatal("two frames in progress have the same array")
			}
			used = append(used, a)
			if made[a] = true; round > 0 && len(made) > frames*arrays {
				t.Fatalf("round %d: a new array instead of one that is free", round)
			}
		}
		for _, lease := range leases {
			lease.End()
		}
	}
}
