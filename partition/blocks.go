package partition

import "fmt"

// Blocks chooses how many blocks to cut a grid of n cells into along each axis, one block a rank: the division with
// the fewest faces of cells between blocks. Where several have as few, the smallest largest block decides, then few
// cuts along x and then y, so that rows stay long. An entry of fixed that is not 0 is taken as it is. In 2D n[2] must
// be 1.
//
// It refuses more ranks than the cells can make blocks, and fixed counts that do not fit the cells or the ranks.
func Blocks(n [3]int, dim, ranks int, fixed [3]int) (parts [3]int, err error) {
	if err := checkBlocks(n, dim, ranks, fixed); err != nil {
		return parts, fmt.Errorf("blocks: %w", err)
	}
	parts, ok := leastFaces(n, ranks, fixed)
	if !ok {
		return parts, fmt.Errorf("blocks: %w", noBlocks(n, dim, ranks, fixed))
	}
	return parts, nil
}

// Box is a rank's block of a grid that is cut into parts along each axis: its first cell, and how many it has. Ranks
// count along x first. Where cells do not divide evenly, blocks differ by one along an axis.
func Box(n, parts [3]int, rank int) (lo, size [3]int) {
	for a := range 3 {
		at := rank % parts[a]
		rank /= parts[a]
		lo[a] = share(n[a], parts[a], at)
		size[a] = share(n[a], parts[a], at+1) - lo[a]
	}
	return lo, size
}

// BoxCuts lists where the blocks of a grid begin along each axis, and after them where the last one ends.
func BoxCuts(n, parts [3]int) (cuts [3][]int) {
	for a := range 3 {
		for k := range parts[a] + 1 {
			cuts[a] = append(cuts[a], share(n[a], parts[a], k))
		}
	}
	return cuts
}

// WeightedCuts is BoxCuts with the slabs of cells across each axis weighed: the cuts are where the sums of weights
// between them are most alike, but no block gets fewer than least cells along an axis that is cut, as far as there are
// as many. Weights are at least 0, one for each cell along an axis.
func WeightedCuts(weights [3][]int64, parts [3]int, least int) (cuts [3][]int) {
	for a, w := range weights {
		cuts[a] = balanced(w, parts[a], min(least, len(w)/parts[a]))
	}
	return cuts
}

// balanced cuts one axis.
func balanced(weights []int64, parts, least int) []int {
	total := int64(0)
	for _, w := range weights {
		total += w
	}
	cuts, sum, at := []int{0}, int64(0), 0
	for k := 1; k < parts; k++ {
		goal := float64(total) * float64(k) / float64(parts)
		// A slab goes to the side on which it brings the sum nearer to the goal.
		for at < len(weights) && float64(sum)+float64(weights[at])/2 <= goal {
			sum += weights[at]
			at++
		}
		cut := min(max(at, cuts[k-1]+least, cuts[k-1]+1), len(weights)-(parts-k)*max(1, least))
		for ; at < cut; at++ {
			sum += weights[at]
		}
		for ; at > cut; at-- {
			sum -= weights[at-1]
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
	room := maxBlockCells
	for a, cells := range n {
		if cells < 1 || cells > room || a >= dim && cells != 1 {
			return fmt.Errorf("a grid of %d×%d×%d cells in %d dimensions: give 1 or more along each axis, 1 along z in 2 "+
				"dimensions, and %d at most in all", n[0], n[1], n[2], dim, maxBlockCells)
		}
		room /= cells
		if fixed[a] < 0 || fixed[a] > cells {
			return fmt.Errorf("%d blocks along %s, which has %d cells: give 1 to %[3]d, or 0 to have it chosen",
				fixed[a], axisNames[a], cells)
		}
	}
	return nil
}

// leastFaces tries all divisions and takes the best, if there is any.
func leastFaces(n [3]int, ranks int, fixed [3]int) (best [3]int, found bool) {
	var lowest blockCost
	for px := 1; px <= min(n[0], ranks); px++ {
		if ranks%px != 0 || fixed[0] != 0 && px != fixed[0] {
			continue
		}
		rest := ranks / px
		for py := 1; py <= min(n[1], rest); py++ {
			pz := rest / py
			if rest%py != 0 || pz > n[2] || fixed[1] != 0 && py != fixed[1] || fixed[2] != 0 && pz != fixed[2] {
				continue
			}
			parts := [3]int{px, py, pz}
			if c := costOf(n, parts); !found || c.less(lowest) {
				best, lowest, found = parts, c, true
			}
		}
	}
	return best, found
}

// noBlocks says why there is no division, and what to do.
func noBlocks(n [3]int, dim, ranks int, fixed [3]int) error {
	if fixed != [3]int{} {
		return fmt.Errorf("%d ranks do not make %v blocks of %v cells: the counts along the axes (0: chosen) must "+
			"multiply to the number of ranks, with a cell at least for each", ranks, fixed[:dim], n[:dim])
	}
	fewer := min(ranks-1, n[0]*n[1]*n[2])
	for {
		if _, ok := leastFaces(n, fewer, fixed); ok { // one rank always does
			break
		}
		fewer--
	}
	return fmt.Errorf("%d ranks cannot share %v cells as a box of blocks, each with a cell at least: "+
		"take %d ranks, or more cells", ranks, n[:dim], fewer)
}

// blockCost orders divisions, by what matters most first.
type blockCost struct {
	faces, largest int
	cuts           [2]int // along x and y
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
