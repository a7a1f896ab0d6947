package partition

import "fmt"

// Blocks chooses the numbers of blocks along each axis of a grid of n cells, one block a rank. It takes the division
// with the fewest cell faces between blocks; among equals, the one whose largest block has the fewest cells; then the
// one with the fewest cuts along x, then along y, so that rows stay long. A nonzero entry of fixed prescribes the
// number of blocks along that axis. In 2D n[2] must be 1.
//
// It returns an error if there are more ranks than blocks of at least one cell, or if the fixed counts do not fit the
// cells or the ranks.
func Blocks(n [3]int, dim, ranks int, fixed [3]int) (parts [3]int, err error) {
	if err := checkBlocks(n, dim, ranks, fixed); err != nil {
		return parts, fmt.Errorf("blocks: %w", err)
	}
	parts, ok := leastFaces(n, ranks, fixed)
	if !ok {
		return parts, fmt.Errorf("blocks: %w", noDivisionError(n, dim, ranks, fixed))
	}
	return parts, nil
}

// Box returns the block of a rank, in a grid of n cells that is cut into parts[a] blocks along axis a: its first cell
// and its number of cells along each axis. Ranks are numbered along x first, then y, then z. Where cells do not divide
// evenly, the sizes of blocks differ by one along an axis.
func Box(n, parts [3]int, rank int) (lo, size [3]int) {
	for a := range 3 {
		index := rank % parts[a]
		rank /= parts[a]
		lo[a] = CellsBefore(n[a], parts[a], index)
		size[a] = CellsBefore(n[a], parts[a], index+1) - lo[a]
	}
	return lo, size
}

// BoxCuts lists, for each axis, the first cell of each block, and then the number of cells along the axis.
func BoxCuts(n, parts [3]int) (cuts [3][]int) {
	for a := range 3 {
		for k := range parts[a] + 1 {
			cuts[a] = append(cuts[a], CellsBefore(n[a], parts[a], k))
		}
	}
	return cuts
}

// AlignedCuts is like BoxCuts for grids of which groups of align[a] cells along axis a are not divided, from the first
// cell on: the last group may have fewer. There are at least as many groups as blocks.
func AlignedCuts(n, parts, align [3]int) (cuts [3][]int) {
	cuts = BoxCuts(Groups(n, align), parts)
	for a := range cuts {
		for k := range cuts[a] {
			cuts[a][k] = min(n[a], cuts[a][k]*align[a])
		}
	}
	return cuts
}

// Groups returns the number of groups of AlignedCuts along each axis.
func Groups(n, align [3]int) (groups [3]int) {
	for a := range groups {
		groups[a] = (n[a] + align[a] - 1) / align[a]
	}
	return groups
}

// WeightedCuts is like BoxCuts, but balances the sums of weights between cuts rather than the numbers of cells:
// weights[a][i] ≥ 0 is the weight of all cells with index i along axis a. A block has at least minCells cells along
// each axis, or, if the axis is shorter than parts[a]·minCells, the number of cells divided by parts[a], rounded
// down.
func WeightedCuts(weights [3][]int64, parts [3]int, minCells int) (cuts [3][]int) {
	for a, w := range weights {
		cuts[a] = balancedCuts(w, parts[a], min(minCells, len(w)/parts[a]))
	}
	return cuts
}

// balancedCuts is WeightedCuts for one axis.
func balancedCuts(weights []int64, parts, minCells int) []int {
	total := int64(0)
	for _, w := range weights {
		total += w
	}
	cuts, sum, next := []int{0}, int64(0), 0
	for k := 1; k < parts; k++ {
		target := float64(total) * float64(k) / float64(parts)
		// The cut goes to the side of a slab of cells where the sum before it is closer to the target.
		for next < len(weights) && float64(sum)+float64(weights[next])/2 <= target {
			sum += weights[next]
			next++
		}
		cut := min(max(next, cuts[k-1]+minCells, cuts[k-1]+1), len(weights)-(parts-k)*max(1, minCells))
		for ; next < cut; next++ {
			sum += weights[next]
		}
		for ; next > cut; next-- {
			sum -= weights[next-1]
		}
		cuts = append(cuts, cut)
	}
	return append(cuts, len(weights))
}

const (
	maxBlocks     = 1 << 24 // ranks of a run on a grid
	maxBlockCells = 1 << 50 // cells of the whole grid: counts of faces stay within 64 bits
)

var axisNames = [3]string{"x", "y", "z"}

func checkBlocks(n [3]int, dim, ranks int, fixed [3]int) error {
	if dim != 2 && dim != 3 {
		return fmt.Errorf("%d dimensions: give 2 or 3", dim)
	}
	if ranks < 1 || ranks > maxBlocks {
		return fmt.Errorf("%d ranks: give 1 to %d", ranks, maxBlocks)
	}
	available := maxBlockCells
	for a, cells := range n {
		if cells < 1 || cells > available || a >= dim && cells != 1 {
			return fmt.Errorf("a grid of %d×%d×%d cells in %d dimensions: give 1 or more along each axis, 1 along z in 2 "+
				"dimensions, and %d at most in all", n[0], n[1], n[2], dim, maxBlockCells)
		}
		available /= cells
		if fixed[a] < 0 || fixed[a] > cells {
			return fmt.Errorf("%d blocks along %s, which has %d cells: give 1 to %[3]d, or 0 to have it chosen",
				fixed[a], axisNames[a], cells)
		}
	}
	return nil
}

// leastFaces tries all divisions and returns that of least cost; found is false if none fits.
func leastFaces(n [3]int, ranks int, fixed [3]int) (best [3]int, found bool) {
	var lowestCost blockCost
	for px := 1; px <= min(n[0], ranks); px++ {
		if ranks%px != 0 || fixed[0] != 0 && px != fixed[0] {
			continue
		}
		remaining := ranks / px
		for py := 1; py <= min(n[1], remaining); py++ {
			pz := remaining / py
			if remaining%py != 0 || pz > n[2] || fixed[1] != 0 && py != fixed[1] || fixed[2] != 0 && pz != fixed[2] {
				continue
			}
			parts := [3]int{px, py, pz}
			if c := costOf(n, parts); !found || c.less(lowestCost) {
				best, lowestCost, found = parts, c, true
			}
		}
	}
	return best, found
}

// noDivisionError explains why there is no division, and suggests counts that have one.
func noDivisionError(n [3]int, dim, ranks int, fixed [3]int) error {
	if fixed != [3]int{} {
		return fmt.Errorf("%d ranks cannot have %v blocks of %v cells: the counts along the axes (0: chosen) must "+
			"multiply to the number of ranks, with at least one cell a block", ranks, fixed[:dim], n[:dim])
	}
	fewer := min(ranks-1, n[0]*n[1]*n[2])
	for {
		if _, ok := leastFaces(n, fewer, fixed); ok { // true for one rank at the latest
			break
		}
		fewer--
	}
	return fmt.Errorf("%v cells cannot be cut into %d blocks with at least one cell each: take %d ranks, or more cells",
		n[:dim], ranks, fewer)
}

// blockCost orders divisions lexicographically by its fields.
type blockCost struct {
	faces   int    // cell faces between blocks
	largest int    // cells of the largest block
	cuts    [2]int // blocks along x and along y
}

func costOf(n, parts [3]int) blockCost {
	c := blockCost{largest: 1, cuts: [2]int{parts[0], parts[1]}}
	for a := range 3 {
		c.faces += (parts[a] - 1) * n[(a+1)%3] * n[(a+2)%3]
		c.largest *= (n[a] + parts[a] - 1) / parts[a]
	}
	return c
}

func (c blockCost) less(d blockCost) bool {
	switch {
	case c.faces != d.faces:
		return c.faces < d.faces
	case c.largest != d.largest:
		return c.largest < d.largest
	case c.cuts[0] != d.cuts[0]:
		return c.cuts[0] < d.cuts[0]
	}
	return c.cuts[1] < d.cuts[1]
}
