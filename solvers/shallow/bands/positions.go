package bands

import "slices"

// positions hands out positions in an array: those freed are taken again before new ones, the last freed first.
type positions struct {
	base int32 // position in the whole array of the band's position 0
	used int32 // number of different positions
	free []int32
}

func (p *positions) take() int32 {
	if n := len(p.free); n > 0 {
		at := p.free[n-1]
		p.free = p.free[:n-1]
		return at
	}
	p.used++
	return p.used - 1
}

// assignPositions chooses the positions, within the band, of the slopes and fluxes that band k computes. They are
// reused after their last use if that is in the first list: the runs of other lists or bands may come at any time after
// it.
func (b *bandBuilder) assignPositions(all *Bands, k int) {
	slopeUses := make([]int8, b.hi-b.lo)            // remaining reads of each cell's slopes
	fluxUses := make([]int8, b.endEdge-b.firstEdge) // remaining reads of each edge's flux
	for i := range slopeUses {
		slopeUses[i] = 4 // its three edges, and its update
	}
	for e := range fluxUses {
		if fluxUses[e] = 2; b.edges[b.firstEdge+e].Right < 0 {
			fluxUses[e] = 1
		}
	}
	useSlopes := func(cell int32) {
		if i := int(cell) - b.lo; b.order == 2 && i >= 0 && i < len(slopeUses) {
			if slopeUses[i]--; slopeUses[i] == 0 {
				b.slopes.free = append(b.slopes.free, all.SlopesAt[cell])
			}
		}
	}
	for _, r := range all.Early[k] {
		b.takePositions(all, r)
		switch r.Kernel {
		case Flux:
			for _, e := range b.edges[r.Lo:r.Hi] {
				if useSlopes(e.Left); e.Right >= 0 {
					useSlopes(e.Right)
				}
			}
		case Update:
			for i := r.Lo; i < r.Hi; i++ {
				useSlopes(int32(i))
				for _, link := range b.core[i].Edge {
					e, _ := Side(link)
					if fluxUses[int(e)-b.firstEdge]--; fluxUses[int(e)-b.firstEdge] == 0 {
						b.fluxes.free = append(b.fluxes.free, all.FluxAt[e])
					}
				}
			}
		}
	}
	for _, runs := range [][]Run{all.Late[k], all.Fluxes[k]} {
		for _, r := range runs {
			b.takePositions(all, r)
		}
	}
}

// takePositions takes positions for what a run writes.
func (b *bandBuilder) takePositions(all *Bands, r Run) {
	for i := r.Lo; i < r.Hi; i++ {
		switch r.Kernel {
		case Slopes:
			all.SlopesAt[i] = b.slopes.take()
		case Flux:
			all.FluxAt[i] = b.fluxes.take()
		}
	}
}

// shift makes positions within the band positions in the whole array.
func (b *bandBuilder) shift(all *Bands) {
	if b.order == 2 {
		for i := b.lo; i < b.hi; i++ {
			all.SlopesAt[i] += b.slopes.base
		}
	}
	for e := b.firstEdge; e < b.endEdge; e++ {
		all.FluxAt[e] += b.fluxes.base
	}
}

// Side returns the edge of a cell's link, and 0 if the cell is the edge's left, 1 if the right.
func Side(link int32) (edge, side int32) { return link ^ link>>31, -(link >> 31) }

// Extend returns n positions: the first ones given, of as many items, and for other items their own indices.
func Extend(first []int32, n int) []int32 {
	at := slices.Grow(first, n-len(first))
	for i := len(first); i < n; i++ {
		at = append(at, int32(i))
	}
	return at
}
