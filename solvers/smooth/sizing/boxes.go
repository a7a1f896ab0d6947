package sizing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// cellBoxes is a grid of boxes over the mesh of a metric, in the plane or in space: each lists the cells that touch
// it, and one of these from which a search for a position begins.
type cellBoxes struct {
	dim      int
	n        [3]int32   // along each axis: 1 along z in the plane
	low, per [3]float64 // lowest corner, and boxes per unit of length
	cells    int
	kind     string // name of cells in messages
	// touched calls found with each box that a cell touches, within boxMargin.
	touched func(cell int, found func(box int32))
	centre  func(cell int) [3]float64

	starts, lists, listed []int32 // as in the fields of kernels
}

// boxMargin is the distance from a box, in sides of a box, up to which a cell counts as touching it, since kernels
// may compute in float32.
const boxMargin = 1e-5

// build lists the cells of each box in ascending order, and chooses the cells from which searches begin.
func (b *cellBoxes) build() error {
	count := make([]int64, int(b.n[0])*int(b.n[1])*int(b.n[2])+1)
	for c := range b.cells {
		b.touched(c, func(box int32) { count[box+1]++ })
	}
	// A box without cells gets one from a neighbouring box.
	empty := make([]bool, len(count)-1)
	for box := range empty {
		empty[box] = count[box+1] == 0
		count[box+1] = max(1, count[box+1]) + count[box]
	}
	if count[len(empty)] > math.MaxInt32 {
		return fmt.Errorf("the %s of the metric's mesh touch %d boxes, more than can be numbered", b.kind, count[len(empty)])
	}
	b.lists = make([]int32, len(count))
	for box := range b.lists {
		b.lists[box] = int32(count[box])
	}
	b.listed = make([]int32, count[len(empty)])
	next := slices.Clone(b.lists)
	for c := range b.cells {
		b.touched(c, func(box int32) {
			b.listed[next[box]] = int32(c)
			next[box]++
		})
	}
	b.fillEmpty(empty)
	b.chooseStarts()
	return nil
}

// fillEmpty gives each empty box the first cell of the nearest box that has cells, propagating from box to box.
func (b *cellBoxes) fillEmpty(empty []bool) {
	step := [3]int32{1, b.n[0], b.n[0] * b.n[1]}
	var front []int32
	for box, none := range empty {
		if !none {
			front = append(front, int32(box))
		}
	}
	for len(front) > 0 {
		var reached []int32
		for _, box := range front {
			for axis, n := range b.n {
				at := box / step[axis] % n
				for _, direction := range [2]int32{-1, 1} {
					other := box + direction*step[axis]
					if at+direction < 0 || at+direction >= n || !empty[other] {
						continue
					}
					empty[other] = false
					b.listed[b.lists[other]] = b.listed[b.lists[box]]
					reached = append(reached, other)
				}
			}
		}
		front = reached
	}
}

// chooseStarts chooses for each box the listed cell whose centre is nearest to the centre of the box.
func (b *cellBoxes) chooseStarts() {
	b.starts = make([]int32, len(b.lists)-1)
	for i := range b.starts {
		box := int32(i)
		at := [3]int32{box % b.n[0], box / b.n[0] % b.n[1], box / (b.n[0] * b.n[1])}
		distance := func(cell int32) (sum float64) {
			centre := b.centre(int(cell))
			for axis := range b.dim {
				d := centre[axis] - (b.low[axis] + (float64(at[axis])+.5)/b.per[axis])
				sum += d * d
			}
			return sum
		}
		b.starts[box] = slices.MinFunc(b.listed[b.lists[box]:b.lists[box+1]], func(one, other int32) int {
			return cmp.Or(cmp.Compare(distance(one), distance(other)), cmp.Compare(one, other))
		})
	}
}
