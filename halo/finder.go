package halo

import (
	"math"
	"sort"
)

// Finder finds the rank whose box has a cell. Several goroutines may use it.
type Finder struct {
	boxes *Boxes
	// For boxes that no straight cuts divide: the grid is divided into bins, along each axis as many cells, of which each
	// has a list of the boxes that it overlaps. first are the beginnings of the lists in ranks.
	cells, bins  [3]int // of a bin, and in the grid
	first, ranks []int32
}

// NewFinder returns the Finder of boxes. It takes time and memory in proportion to their number.
func NewFinder(b *Boxes) *Finder {
	f := &Finder{boxes: b}
	if b.Parts == nil {
		return f
	}
	perAxis := int(math.Ceil(math.Pow(float64(len(b.Parts)), 1/float64(b.Dim))))
	for a, n := range b.cells() {
		f.cells[a] = max(1, n/perAxis)
		f.bins[a] = (n + f.cells[a] - 1) / f.cells[a]
	}
	f.first = make([]int32, f.bins[0]*f.bins[1]*f.bins[2]+1)
	f.eachBin(func(bin, _ int) { f.first[bin+1]++ })
	for bin := range len(f.first) - 1 {
		f.first[bin+1] += f.first[bin]
	}
	f.ranks = make([]int32, f.first[len(f.first)-1])
	next := append([]int32{}, f.first...)
	f.eachBin(func(bin, rank int) {
		f.ranks[next[bin]] = int32(rank)
		next[bin]++
	})
	return f
}

// eachBin calls visit for each bin that the box of each rank overlaps.
func (f *Finder) eachBin(visit func(bin, rank int)) {
	for rank := range f.boxes.Parts {
		p := &f.boxes.Parts[rank]
		lo, hi := f.binOf(p.Lo), f.binOf([3]int{p.Hi[0] - 1, p.Hi[1] - 1, p.Hi[2] - 1})
		for k := lo[2]; k <= hi[2]; k++ {
			for j := lo[1]; j <= hi[1]; j++ {
				for i := lo[0]; i <= hi[0]; i++ {
					visit(i+f.bins[0]*(j+f.bins[1]*k), rank)
				}
			}
		}
	}
}

func (f *Finder) binOf(cell [3]int) (bin [3]int) {
	for a, i := range cell {
		bin[a] = i / f.cells[a]
	}
	return bin
}

// Rank returns the rank whose box has a cell; -1 for a cell outside the grid.
func (f *Finder) Rank(cell [3]int) int {
	n := f.boxes.cells()
	for a, i := range cell {
		if i < 0 || i >= n[a] {
			return -1
		}
	}
	if f.boxes.Parts == nil {
		rank := 0
		for a := 2; a >= 0; a-- {
			cuts := f.boxes.Cuts[a]
			rank = rank*f.boxes.parts(a) + sort.SearchInts(cuts, cell[a]+1) - 1
		}
		return rank
	}
	b := f.binOf(cell)
	bin := b[0] + f.bins[0]*(b[1]+f.bins[1]*b[2])
	for _, rank := range f.ranks[f.first[bin]:f.first[bin+1]] {
		if p := &f.boxes.Parts[rank]; p.has(cell) {
			return int(rank)
		}
	}
	return -1
}

func (b *Box) has(cell [3]int) bool {
	for a, i := range cell {
		if i < b.Lo[a] || i >= b.Hi[a] {
			return false
		}
	}
	return true
}
