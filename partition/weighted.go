package partition

import (
	"fmt"
	"math"
	"sort"
)

// Bins have the costs of the cells of a grid: those of cubes of Side cells along each axis, or less at upper ends, x
// fastest. Costs are not negative.
type Bins struct {
	Cells [3]int // of the grid
	Side  int
	N     [3]int // of bins along each axis
	Cost  []int64
}

// mostBins bounds the number of bins, which all ranks hold, for few ranks; for more it is binsPerRank each.
const (
	mostBins    = 1 << 18
	binsPerRank = 64
)

// NewBins returns bins with costs of 0 that are fine enough to divide a grid among ranks.
func NewBins(cells [3]int, ranks int) *Bins { return newBins(cells, max(mostBins, binsPerRank*ranks)) }

// NewCoarseBins is NewBins for costs that are summed over all ranks again and again.
func NewCoarseBins(cells [3]int, ranks int) *Bins {
	return newBins(cells, max(mostBins/8, binsPerRank*ranks))
}

func newBins(cells [3]int, most int) *Bins {
	b := &Bins{Cells: cells, Side: 1}
	for ; ; b.Side++ {
		total := 1
		for a, n := range cells {
			b.N[a] = (n + b.Side - 1) / b.Side
			total *= b.N[a]
		}
		if total <= most {
			b.Cost = make([]int64, total)
			return b
		}
	}
}

// Index returns the index of the bin of a cell in Cost.
func (b *Bins) Index(cell [3]int) int {
	return cell[0]/b.Side + b.N[0]*(cell[1]/b.Side+b.N[1]*(cell[2]/b.Side))
}

// At returns the cost of the bin of a cell, to be read and changed.
func (b *Bins) At(cell [3]int) *int64 { return &b.Cost[b.Index(cell)] }

// AddCells adds a cost for each cell.
func (b *Bins) AddCells(cost int64) { b.AddBox(cost, [3]int{}, b.Cells) }

// AddBox adds a cost for each cell of a box, lo ≤ cell < hi along each axis.
func (b *Bins) AddBox(cost int64, lo, hi [3]int) {
	var first, end [3]int // bins
	for a := range 3 {
		first[a], end[a] = lo[a]/b.Side, (hi[a]+b.Side-1)/b.Side
	}
	common := func(axis, bin int) int64 {
		return int64(min((bin+1)*b.Side, hi[axis]) - max(bin*b.Side, lo[axis]))
	}
	for k := first[2]; k < end[2]; k++ {
		for j := first[1]; j < end[1]; j++ {
			row := cost * common(2, k) * common(1, j)
			for i := first[0]; i < end[0]; i++ {
				b.Cost[i+b.N[0]*(j+b.N[1]*k)] += row * common(0, i)
			}
		}
	}
}

// Slabs returns the costs of the slabs of cells normal to each axis, for WeightedCuts.
func (b *Bins) Slabs() (slabs [3][]int64) {
	for a := range slabs {
		slabs[a] = b.along(a, [3]int{}, b.Cells)
	}
	return slabs
}

// along returns the costs of the slabs of cells normal to an axis, in a box. The cells of a bin share its cost.
func (b *Bins) along(axis int, lo, hi [3]int) []int64 {
	sums := make([]int64, hi[axis]-lo[axis])
	var n [3]int // the bin
	// cells returns how many cells along an axis the bin has, and the range of those in the box.
	cells := func(a int) (all, first, end int) {
		low, high := n[a]*b.Side, min((n[a]+1)*b.Side, b.Cells[a])
		return high - low, max(low, lo[a]), min(high, hi[a])
	}
	bins := func(a int) (first, end int) { return lo[a] / b.Side, (hi[a]-1)/b.Side + 1 }
	x0, x1 := bins(0)
	y0, y1 := bins(1)
	z0, z1 := bins(2)
	for n[2] = z0; n[2] < z1; n[2]++ {
		for n[1] = y0; n[1] < y1; n[1]++ {
			for n[0] = x0; n[0] < x1; n[0]++ {
				cost := b.Cost[n[0]+b.N[0]*(n[1]+b.N[1]*n[2])]
				if cost == 0 {
					continue
				}
				volume, inside := 1, 1 // cells of the bin, and those of a slab that are in the box
				for a := range 3 {
					all, first, end := cells(a)
					volume *= all
					if a != axis {
						inside *= end - first
					}
				}
				_, first, end := cells(axis)
				for i := first; i < end; i++ {
					sums[i-lo[axis]] += cost * int64(inside) / int64(volume)
				}
			}
		}
	}
	return sums
}

// In returns the cost of a box of cells. The cells of a bin share its cost.
func (b *Bins) In(lo, hi [3]int) (sum int64) {
	axis := 0
	for a := range 3 { // across the longest side, so that the fewest costs are rounded
		if hi[a]-lo[a] > hi[axis]-lo[axis] {
			axis = a
		}
	}
	for _, cost := range b.along(axis, lo, hi) {
		sum += cost
	}
	return sum
}

// Share is the box of cells of a rank, Lo ≤ cell < Hi along each axis.
type Share struct{ Lo, Hi [3]int }

// Bisect divides a grid into boxes of about equal cost, one a rank, by halving it again and again: recursive coordinate
// bisection (M. J. Berger and S. H. Bokhari, "A partitioning strategy for nonuniform problems on multiprocessors",
// IEEE Trans. Comput. 36, 1987). Along each axis a box has at least `least` cells, or all. Costs are integers, so that
// the boxes are the same on any processor. It returns an error if the grid has no room for so many boxes.
func Bisect(b *Bins, ranks, least int) ([]Share, error) {
	d := bisection{Bins: b, least: max(1, least)}
	if room := d.room([3]int{}, b.Cells, -1); ranks < 1 || ranks > room {
		return nil, fmt.Errorf("%v cells have room for %d boxes of %d cells along each axis, not for %d", b.Cells, room,
			d.least, ranks)
	}
	d.sums = newSums(b)
	d.divide([3]int{}, b.Cells, ranks)
	return d.shares, nil
}

type bisection struct {
	*Bins
	sums   *sums
	least  int // cells
	shares []Share
}

// divide divides a box of cells among ranks.
func (d *bisection) divide(lo, hi [3]int, ranks int) {
	if ranks == 1 {
		d.shares = append(d.shares, Share{lo, hi})
		return
	}
	best := d.best(lo, hi, ranks)
	below, above := hi, lo
	below[best.axis], above[best.axis] = best.at, best.at
	d.divide(lo, below, best.ranks)
	d.divide(above, hi, ranks-best.ranks)
}

// room returns how many boxes there is room for in a box, along all axes but one.
func (d *bisection) room(lo, hi [3]int, but int) int {
	n := 1
	for a := range 3 {
		if a != but {
			n *= max(1, (hi[a]-lo[a])/d.least)
		}
	}
	return n
}

// best returns the best division of a box, which has room for the ranks; little room may allow no half of them.
func (d *bisection) best(lo, hi [3]int, ranks int) (best split) {
	for lower := ranks / 2; best.ranks == 0; lower-- {
		for axis := 2; axis >= 0; axis-- { // across the last axis rows stay long
			if s := d.split(axis, lo, hi, lower, ranks); s.better(&best) {
				best = s
			}
		}
	}
	return best
}

// split is a division of a box in two.
type split struct {
	axis, at int
	ranks    int     // of the lower part
	off      float64 // by what share of the cost of the box the parts are not as they should be
	side     int     // of the box along the axis
}

// closeEnough is what split.off may be for a division across the longest side to be taken.
const closeEnough = 0.01

func (s *split) better(than *split) bool {
	switch {
	case s.ranks == 0:
		return false
	case than.ranks == 0:
		return true
	case s.off <= closeEnough && than.off <= closeEnough:
		return s.side > than.side
	}
	return s.off < than.off
}

// split returns the best division across an axis into a part for the first of the ranks and one for the others, with
// room for them; with ranks 0 if there is none.
func (d *bisection) split(axis int, lo, hi [3]int, lower, ranks int) (best split) {
	side, others := hi[axis]-lo[axis], d.room(lo, hi, axis)
	first, last := d.least*((lower+others-1)/others), side-d.least*((ranks-lower+others-1)/others)
	if first > last {
		return best
	}
	total := d.sums.in(lo, hi)
	wanted := total * float64(lower) / float64(ranks)
	below := func(width int) float64 { // the cost of a part that is so wide
		end := hi
		end[axis] = lo[axis] + width
		return d.sums.in(lo, end)
	}
	width := first + sort.Search(last-first, func(n int) bool { return below(first+n) >= wanted })
	for _, w := range []int{max(first, width-1), width} {
		off := math.Abs(below(w) - wanted)
		if total > 0 {
			off /= total
		}
		if best.ranks == 0 || off < best.off {
			best = split{axis: axis, at: lo[axis] + w, ranks: lower, off: off, side: side}
		}
	}
	return best
}

// sums are the costs of all boxes from the first cell of a grid to corners of bins (a summed-area table: F. C. Crow,
// "Summed-area tables for texture mapping", SIGGRAPH 1984), from which that of any box follows.
type sums struct {
	bins   *Bins
	stride [3]int
	to     []int64 // by corner, x fastest
}

func newSums(b *Bins) *sums {
	s := &sums{bins: b, stride: [3]int{1, b.N[0] + 1, (b.N[0] + 1) * (b.N[1] + 1)}}
	s.to = make([]int64, s.stride[2]*(b.N[2]+1))
	n := 0
	for k := range b.N[2] {
		for j := range b.N[1] {
			row := int64(0)
			for i := range b.N[0] {
				row += b.Cost[n]
				n++
				at := i + 1 + s.stride[1]*(j+1) + s.stride[2]*(k+1)
				s.to[at] = row + s.to[at-s.stride[1]] + s.to[at-s.stride[2]] - s.to[at-s.stride[1]-s.stride[2]]
			}
		}
	}
	return s
}

// corner returns the cost of the cells below a corner of cells. The cells of a bin share its cost, so that the sums
// between corners of bins are linear along each axis.
func (s *sums) corner(cell [3]int) (sum float64) {
	at := 0
	var part [3]float64 // of the bin along each axis
	for a, c := range cell {
		bin := c / s.bins.Side
		at += bin * s.stride[a]
		if rest := c - bin*s.bins.Side; rest > 0 {
			part[a] = float64(rest) / float64(min(s.bins.Side, s.bins.Cells[a]-bin*s.bins.Side))
		}
	}
	for k := range 8 {
		weight, i := 1.0, at
		for a, p := range part {
			if k>>a&1 == 0 {
				weight *= 1 - p
				continue
			}
			weight *= p
			i += s.stride[a]
		}
		if weight > 0 {
			sum += float64(weight * float64(s.to[i])) // rounded: ranks on other processors fuse no products either
		}
	}
	return sum
}

// in returns the cost of a box.
func (s *sums) in(lo, hi [3]int) (sum float64) {
	for k := range 8 {
		corner, sign := hi, 1.0
		for a := range 3 {
			if k>>a&1 == 1 {
				corner[a], sign = lo[a], -sign
			}
		}
		sum += float64(sign * s.corner(corner))
	}
	return sum
}
