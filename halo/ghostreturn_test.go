package halo

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
)

// TestGhostReturn: every box writes to its own cells and to the first ghosts above them. After the exchange of a Return
// the owners have the same maxima as a single array, across edges, corners and periods too.
func TestGhostReturn(t *testing.T) {
	for _, dim := range []int{2, 3} {
		for _, periodic := range []bool{false, true} {
			for _, parts := range [][3]int{{1, 1, 1}, {2, 1, 1}, {2, 3, 1}, {2, 2, 2}, {1, 3, 3}} {
				if dim == 2 {
					parts[2] = 1
				}
				b := Boxes{Dim: dim}
				n := returned(dim)
				for a, count := range parts {
					b.Periodic[a] = periodic && a < dim
					for k := range count + 1 {
						b.Cuts[a] = append(b.Cuts[a], k*n[a]/count)
					}
				}
				checkGhostReturn(t, b)
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		b := Boxes{Dim: rapid.IntRange(2, 3).Draw(rt, "dimensions")}
		n := returned(b.Dim)
		for a := range b.Dim {
			b.Periodic[a] = rapid.Bool().Draw(rt, "periodic")
		}
		b.Cuts = [3][]int{{0, n[0]}, {0, n[1]}, {0, n[2]}}
		b.Parts = randomParts(rt, Box{Hi: n}, 8)
		checkGhostReturn(rt, b)
	})
}

// returned are the cells along each axis.
func returned(dim int) [3]int {
	if dim == 2 {
		return [3]int{7, 6, 1}
	}
	return [3]int{7, 6, 9}
}

func checkGhostReturn(t interface {
	Errorf(format string, args ...any)
	Fatal(args ...any)
}, b Boxes) {
	dim, n := b.Dim, b.cells()
	want := make([]int32, n[0]*n[1]*n[2])
	cellNumber := func(cell [3]int) (c int, inside bool) {
		for a := 2; a >= 0; a-- {
			x := cell[a]
			if b.Periodic[a] {
				x = (x + n[a]) % n[a]
			}
			if x >= n[a] {
				return 0, false
			}
			c = c*n[a] + x
		}
		return c, true
	}
	// Each cell contributes random values to itself and to the cells above it along each axis, across edges and
	// corners too.
	contributions := func(cell [3]int, f func(to [3]int, v int32)) {
		c, _ := cellNumber(cell)
		r := rand.New(rand.NewPCG(1, uint64(c)))
		for corner := range 1 << dim {
			to := cell
			for a := range 3 {
				to[a] += corner >> a & 1
			}
			f(to, r.Int32())
		}
	}
	forEachCell(n, func(cell [3]int) {
		contributions(cell, func(to [3]int, v int32) {
			if c, ok := cellNumber(to); ok {
				want[c] = max(want[c], v)
			}
		})
	})
	var mu sync.Mutex
	err := onAllRanks(local.New(b.Ranks()), func(comm dist.Comm) error {
		const ghost = 2
		plan, err := NewBoxPlan(b, comm.Rank(), ghost, [3]int{}, AllNeighbours)
		if err != nil {
			return err
		}
		lo, owned := b.Box(comm.Rank())
		back := plan.Return()
		if err := back.Plan.Check(comm.Size()); err != nil {
			return err
		}
		array := make([]int32, back.Plan.Owned+back.Plan.Ghosts)
		index := func(c [3]int) (i int) {
			for a := 2; a >= 0; a-- {
				x := c[a]
				if a < dim {
					x += ghost
				}
				i = i*plan.Shape[a] + x
			}
			return i
		}
		forEachCell(owned, func(c [3]int) {
			contributions([3]int{lo[0] + c[0], lo[1] + c[1], lo[2] + c[2]}, func(to [3]int, v int32) {
				i := index([3]int{to[0] - lo[0], to[1] - lo[1], to[2] - lo[2]})
				array[i] = max(array[i], v)
			})
		})
		if err := NewHostExchanger(back.Plan, comm, 5, 4).Exchange(context.Background(), FieldOf(array)); err != nil {
			return err
		}
		for i, to := range back.To {
			array[to] = max(array[to], array[back.From[i]])
		}
		mu.Lock()
		defer mu.Unlock()
		forEachCell(owned, func(c [3]int) {
			g, _ := cellNumber([3]int{lo[0] + c[0], lo[1] + c[1], lo[2] + c[2]})
			if array[index(c)] != want[g] {
				t.Errorf("%+v: cell %v of rank %d has %d, not %d", b, c, comm.Rank(), array[index(c)], want[g])
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func forEachCell(n [3]int, f func(c [3]int)) {
	for k := range n[2] {
		for j := range n[1] {
			for i := range n[0] {
				f([3]int{i, j, k})
			}
		}
	}
}
