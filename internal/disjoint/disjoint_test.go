package disjoint

import (
	"math/rand/v2"
	"testing"
)

// TestJoin: after any joins, numbers have the same root if they were joined, directly or through others, and the root
// is the least of them.
func TestJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		const n = 20
		s := New(n)
		least := make([]int32, n) // of the set of each number, by relabelling
		for i := range least {
			least[i] = int32(i)
		}
		for range r.IntN(n) {
			i, j := r.Int32N(n), r.Int32N(n)
			s.Join(i, j)
			low, high := min(least[i], least[j]), max(least[i], least[j])
			for k := range least {
				if least[k] == high {
					least[k] = low
				}
			}
		}
		for i := range int32(n) {
			if got := s.Root(i); got != least[i] {
				t.Fatalf("the root of %d is %d, want %d", i, got, least[i])
			}
		}
	}
}
