package mpi

import (
	"testing"

	"pgregory.net/rapid"
)

// The steps of all ranks match, and combine every rank's part exactly once on each rank.
func TestDoublingCombinesEveryPartOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 70).Draw(t, "size")
		type route struct{ source, dest int }
		queues := map[route][][]int{}
		sums, next, begun := make([][]int, size), make([]int, size), make([]bool, size)
		steps := make([][]step, size)
		for r := range size {
			steps[r] = doubling(r, size)
			sums[r] = make([]int, size)
			sums[r][r] = 1
		}
		for moved := true; moved; {
			moved = false
			for r := range size {
				if next[r] == len(steps[r]) {
					continue
				}
				s := steps[r][next[r]]
				if s.dest >= 0 && !begun[r] {
					queues[route{r, s.dest}] = append(queues[route{r, s.dest}], append([]int(nil), sums[r]...))
					begun[r], moved = true, true
				}
				if s.source >= 0 {
					queue := queues[route{s.source, r}]
					if len(queue) == 0 {
						continue
					}
					queues[route{s.source, r}] = queue[1:]
					for i, n := range queue[0] {
						if s.final {
							sums[r][i] = 0
						}
						sums[r][i] += n
					}
				}
				next[r]++
				begun[r], moved = false, true
			}
		}
		for r := range size {
			if next[r] < len(steps[r]) {
				t.Fatalf("%d ranks: deadlock: rank %d waits in step %d", size, r, next[r])
			}
			for i, n := range sums[r] {
				if n != 1 {
					t.Fatalf("%d ranks: the result of rank %d has the part of rank %d %d times, want once", size, r, i, n)
				}
			}
		}
		for b, rest := range queues {
			if len(rest) > 0 {
				t.Fatalf("%d ranks: a message of rank %d to rank %d was never received", size, b.source, b.dest)
			}
		}
	})
}
