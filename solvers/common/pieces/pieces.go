// Package pieces finds the connected pieces of a region of a grid, such as drops, over all ranks: cells that share a
// face are connected. Pieces are numbered by their first cells, and sums over them are exact, so that nothing depends
// on the division of the grid.
package pieces

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/disjoint"
)

// Pieces are the pieces of a region.
type Pieces struct {
	Firsts []int64 // the number of the first cell of each piece in the grid, x fastest, ascending; the same on all ranks

	b    *grid.Block
	comm dist.Comm
	of   []int32 // the piece of each own cell, -1 outside of the region
}

// Find finds the pieces of the region of cells for whose indices in arrays a function returns true. It is asked for own
// cells, and for the ghosts beside them that are in the grid. All ranks call it.
func Find(ctx context.Context, comm dist.Comm, b *grid.Block, inside func(c int) bool) (*Pieces, error) {
	p := &Pieces{b: b, comm: comm, of: make([]int32, b.Cells())}
	p.grow(inside)
	roots, links, rim := p.ends(inside)
	first, err := p.join(ctx, roots, links, rim)
	if err != nil {
		return nil, err
	}
	own := p.of
	for n := range own { // roots come before the other cells of their trees
		switch {
		case own[n] < 0:
		case int(own[n]) == n:
			piece, _ := slices.BinarySearch(p.Firsts, first[b.Number(n)])
			own[n] = int32(-2 - piece)
		default:
			own[n] = own[own[n]]
		}
	}
	for n, v := range own {
		if v < -1 {
			own[n] = -2 - v
		}
	}
	return p, nil
}

// grow makes a tree of each piece of the block.
func (p *Pieces) grow(inside func(c int) bool) {
	own, b := disjoint.Sets(p.of), p.b
	for n := range own {
		i, j, k := p.cell(n)
		if own[n] = -1; !inside(b.Index(i, j, k)) {
			continue
		}
		own[n] = int32(n)
		stride := 1
		for d := range b.Grid.Dim {
			if at := [3]int{i, j, k}; at[d] > 0 && own[n-stride] >= 0 {
				own.Join(int32(n), int32(n-stride))
			}
			stride *= b.N[d]
		}
	}
}

// ends returns the first cells of the pieces of the block, and pairs of these with cells at which pieces of several
// blocks meet: links with the next one beyond a lower face of the block, rim with own ones at upper faces.
func (p *Pieces) ends(inside func(c int) bool) (roots, links, rim []int64) {
	own, b := disjoint.Sets(p.of), p.b
	for n := range own {
		if own[n] < 0 {
			continue
		}
		root := own.Root(int32(n))
		if int(root) == n {
			roots = append(roots, b.Number(n))
		}
		i, j, k := p.cell(n)
		for d := range b.Grid.Dim {
			at := [3]int{i, j, k}
			if at[d] == b.N[d]-1 {
				rim = append(rim, b.Number(int(root)), b.Number(n))
			}
			at[d]--
			if at[d] >= 0 {
				continue
			}
			if next, ok := p.number(at); ok && inside(b.Index(at[0], at[1], at[2])) {
				links = append(links, b.Number(int(root)), next)
			}
		}
	}
	return roots, links, rim
}

// cell returns the position of own cell n in the block.
func (p *Pieces) cell(n int) (i, j, k int) {
	return n % p.b.N[0], n / p.b.N[0] % p.b.N[1], n / (p.b.N[0] * p.b.N[1])
}

// number returns the number of a cell of the block or beside it in the grid; ok is false beyond the grid.
func (p *Pieces) number(at [3]int) (n int64, ok bool) {
	g := p.b.Grid
	i, j, k, inside := p.b.Global(at[0], at[1], at[2])
	return int64(i) + int64(g.N[0])*(int64(j)+int64(g.N[1])*int64(k)), inside
}

// join joins the pieces of all ranks, sets Firsts, and returns the first cell of the piece of each rank's piece, by the
// first cell of that.
func (p *Pieces) join(ctx context.Context, roots, links, rim []int64) (first map[int64]int64, err error) {
	message := packed(nil, int64(len(roots)), int64(len(links)))
	message = packed(packed(packed(message, roots...), links...), rim...)
	all, err := p.comm.Allgatherv(ctx, message)
	if err != nil {
		return nil, err
	}
	var everyRoot, everyLink []int64
	pieceAt := map[int64]int64{} // by cells of rims
	for _, m := range all {
		v := unpacked(m)
		n, l := v[0], v[1]
		everyRoot, everyLink = append(everyRoot, v[2:2+n]...), append(everyLink, v[2+n:2+n+l]...)
		for rest := v[2+n+l:]; len(rest) > 0; rest = rest[2:] {
			pieceAt[rest[1]] = rest[0]
		}
	}
	slices.Sort(everyRoot)
	trees := disjoint.New(len(everyRoot))
	place := func(root int64) int32 {
		n, _ := slices.BinarySearch(everyRoot, root)
		return int32(n)
	}
	for ; len(everyLink) > 0; everyLink = everyLink[2:] {
		other, ok := pieceAt[everyLink[1]]
		if !ok {
			return nil, fmt.Errorf("pieces: cell %d is in the region on one rank only", everyLink[1])
		}
		trees.Join(place(everyLink[0]), place(other))
	}
	first = map[int64]int64{}
	for n, root := range everyRoot {
		first[root] = everyRoot[trees.Root(int32(n))]
		if first[root] == root {
			p.Firsts = append(p.Firsts, root)
		}
	}
	return first, nil
}

// Of returns the piece of own cell n, -1 outside of the region.
func (p *Pieces) Of(n int) int { return int(p.of[n]) }

// Offset returns how far own cell n is from the first cell of its piece, in cells. Across a periodic axis it is that of
// the nearest of its images: pieces are taken to be shorter than half of the axis.
func (p *Pieces) Offset(n int) (d [3]float64) {
	g := p.b.Grid
	first, own := p.Firsts[p.of[n]], p.b.Number(n)
	for a := range g.Dim {
		size := int64(g.N[a])
		delta := own%size - first%size
		if g.Periodic[a] {
			if delta = (delta%size + size) % size; 2*delta >= size {
				delta -= size
			}
		}
		d[a] = float64(delta)
		own, first = own/size, first/size
	}
	return d
}

// First returns the position of the first cell of a piece in the grid.
func (p *Pieces) First(piece int) (at [3]int) {
	first := p.Firsts[piece]
	for a := range p.b.Grid.Dim {
		size := int64(p.b.Grid.N[a])
		at[a], first = int(first%size), first/size
	}
	return at
}

// Sums adds up numbers, as many of each own cell in the region as width, over pieces: exactly, then rounded once. A
// function sets those of a cell. The result, the sums of one piece after those of the other, is the same on all ranks,
// which all call it.
func (p *Pieces) Sums(ctx context.Context, width int, of func(n int, to []float64)) ([]float64, error) {
	parts, numbers := map[int32][]dist.Accumulator{}, make([]float64, width)
	for n, piece := range p.of {
		if piece < 0 {
			continue
		}
		sums := parts[piece]
		if sums == nil {
			sums = make([]dist.Accumulator, width)
			parts[piece] = sums
		}
		of(n, numbers)
		for k, v := range numbers {
			sums[k].Add(v)
		}
	}
	var message []byte
	for piece, sums := range parts {
		message = packed(message, int64(piece))
		for k := range sums {
			words := sums[k].Words()
			message = packed(message, words[:]...)
		}
	}
	all, err := p.comm.Gatherv(ctx, 0, message)
	if err != nil {
		return nil, err
	}
	result := make([]byte, 8*width*len(p.Firsts))
	if p.comm.Rank() == 0 {
		total := make([]dist.Accumulator, width*len(p.Firsts))
		for _, m := range all {
			for v := unpacked(m); len(v) > 0; {
				sums := total[int(v[0])*width:][:width]
				v = v[1:]
				for k := range sums {
					words := sums[k].Words()
					v = v[copy(words[:], v):]
					sums[k].AddWords(&words)
				}
			}
		}
		for k := range total {
			binary.LittleEndian.PutUint64(result[8*k:], math.Float64bits(total[k].Float64()))
		}
	}
	if err := p.comm.Bcast(ctx, 0, result); err != nil {
		return nil, err
	}
	sums := make([]float64, width*len(p.Firsts))
	for k, v := range unpacked(result) {
		sums[k] = math.Float64frombits(uint64(v))
	}
	return sums, nil
}

func packed(to []byte, numbers ...int64) []byte {
	for _, v := range numbers {
		to = binary.LittleEndian.AppendUint64(to, uint64(v))
	}
	return to
}

func unpacked(from []byte) []int64 {
	numbers := make([]int64, len(from)/8)
	for k := range numbers {
		numbers[k] = int64(binary.LittleEndian.Uint64(from[8*k:]))
	}
	return numbers
}
