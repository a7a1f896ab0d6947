package mpi

import (
	"testing"

	"pgregory.net/rapid"
)

// The steps of all ranks fit together, and add up every rank's part once on each rank.
func TestDoublingCombinesEveryPartOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 70).Draw(t, "size")
		type box struct{ from, to int }
		mail := map[box][][]int{}
		sums, at, begun := make([][]int, size), make([]int, size), make([]bool, size)
		steps := make([][]step, size)
		for r := range size {
			steps[r] = doubling(r, size)
			sums[r] = make([]int, size)
			sums[r][r] = 1
		}
		for moved := true; moved; {
			moved = false
			for r := range size {
				if at[r] == len(steps[r]) {
					continue
				}
				s := steps[r][at[r]]
				if s.to >= 0 && !begun[r] {
					mail[box{r, s.to}] = append(mail[box{r, s.to}], append([]int(nil), sums[r]...))
					begun[r], moved = true, true
				}
				if s.from >= 0 {
					queue := mail[box{s.from, r}]
					if len(queue) == 0 {
						continue
					}
					mail[box{s.from, r}] = queue[1:]
					for i, n := range queue[0] {
						if s.final {
							sums[r][i] = 0
						}
						sums[r][i] += n
					}
				}
				at[r]++
				begun[r], moved = false, true
			}
		}
		for r := range size {
			if at[r] < len(steps[r]) {
				t.Fatalf("%d ranks: rank %d waits for ever in step %d", size, r, at[r])
			}
			for i, n := range sums[r] {
				if n != 1 {
					t.Fatalf("%d ranks: rank %d has the part of rank %d %d times", size, r, i, n)
				}
			}
		}
		for b, left := range mail {
			if len(left) > 0 {
				t.Fatalf("%d ranks: rank %d sent rank %d what it never received", size, b.from, b.to)
			}
		}
	})
}
