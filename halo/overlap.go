package halo

// Box is a box of cells of a grid, Lo ≤ cell < Hi along each axis.
type Box struct{ Lo, Hi [3]int }

// Intersect returns the cells that two boxes have in common, and whether there are any.
func (b Box) Intersect(c Box) (Box, bool) {
	for a := range 3 {
		b.Lo[a], b.Hi[a] = max(b.Lo[a], c.Lo[a]), min(b.Hi[a], c.Hi[a])
		if b.Lo[a] >= b.Hi[a] {
			return b, false
		}
	}
	return b, true
}

// moved returns the box moved by some cells along each axis.
func (b Box) moved(by [3]int) Box {
	for a, n := range by {
		b.Lo[a] += n
		b.Hi[a] += n
	}
	return b
}

// overlaps computes which cells of each box others need.
type overlaps struct {
	*Boxes
	near         []int  // the ranks that may be peers; nil if all may be
	cells        [3]int // of the grid
	below, above [3]int // layers of ghosts that a box needs
	// Layers of ghosts beyond the grid, along axes that are not periodic, that count as cells of the boxes beside them.
	outerBelow, outerAbove [3]int
}

// box returns the box of a rank, with the cells beyond the grid that count as its own, and extended by what it needs.
func (o *overlaps) box(rank int) (own, wanted Box) {
	lo, n := o.Box(rank)
	for a := range 3 {
		own.Lo[a], own.Hi[a] = lo[a], lo[a]+n[a]
		wanted.Lo[a], wanted.Hi[a] = own.Lo[a]-o.below[a], own.Hi[a]+o.above[a]
		if o.Periodic[a] {
			continue
		}
		if own.Lo[a] == 0 {
			own.Lo[a] -= o.outerBelow[a]
		}
		if own.Hi[a] == o.cells[a] {
			own.Hi[a] += o.outerAbove[a]
		}
		wanted.Lo[a] = max(wanted.Lo[a], -o.outerBelow[a])
		wanted.Hi[a] = min(max(wanted.Hi[a], own.Hi[a]), o.cells[a]+o.outerAbove[a])
	}
	return own, wanted
}

// each calls f for each piece of what a rank needs from another, perhaps itself: a box of its ghosts, and by how much
// these are beyond the cells of the other, along periodic axes. Both ranks find the same pieces in the same order.
func (o *overlaps) each(to, from int, f func(ghosts Box, beyond [3]int)) {
	_, wanted := o.box(to)
	own, _ := o.box(from)
	var periods [3]int // how many times ghosts reach around the grid
	for a := range 3 {
		if n := max(o.below[a], o.above[a]); o.Periodic[a] && n > 0 {
			periods[a] = (n + o.cells[a] - 1) / o.cells[a]
		}
	}
	for z := -periods[2]; z <= periods[2]; z++ {
		for y := -periods[1]; y <= periods[1]; y++ {
			for x := -periods[0]; x <= periods[0]; x++ {
				beyond := [3]int{x * o.cells[0], y * o.cells[1], z * o.cells[2]}
				if from == to && beyond == [3]int{} {
					continue
				}
				if ghosts, any := wanted.Intersect(own.moved(beyond)); any {
					f(ghosts, beyond)
				}
			}
		}
	}
}

// frame is where the cells of a box are in an array.
type frame struct{ lo, ghost [3]int }

func (b *Boxes) frameOf(rank, ghost int) (f frame) {
	f.lo, _ = b.Box(rank)
	for a := range b.Dim {
		f.ghost[a] = ghost
	}
	return f
}

func (f *frame) region(b Box) (r Region) {
	for a := range 3 {
		r.Lo[a], r.N[a] = b.Lo[a]-f.lo[a]+f.ghost[a], b.Hi[a]-b.Lo[a]
	}
	return r
}

// exchange returns the phase in which a rank exchanges with all others at once.
func (o *overlaps) exchange(rank, ghost int) (result Phase) {
	own := o.frameOf(rank, ghost)
	near := o.near
	if near == nil {
		for other := range o.Ranks() {
			near = append(near, other)
		}
	}
	for _, other := range near {
		peer := BoxPeer{Rank: other}
		o.each(other, rank, func(ghosts Box, beyond [3]int) {
			peer.Send = append(peer.Send, own.region(ghosts.moved([3]int{-beyond[0], -beyond[1], -beyond[2]})))
		})
		o.each(rank, other, func(ghosts Box, _ [3]int) { peer.Recv = append(peer.Recv, own.region(ghosts)) })
		if len(peer.Send)+len(peer.Recv) > 0 {
			result.Peers = append(result.Peers, peer)
		}
	}
	return result
}

// Return describes how what a rank has gathered in its ghosts gets to the owners of their cells. Plan exchanges arrays
// that are longer than those of BoxPlan: behind them is room for what other ranks return. From and To are what then has
// to be combined: the element To[i] with From[i], which is one of these or, along a periodic axis, a ghost.
type Return struct {
	Plan     *Plan
	From, To []int32
}

// Ghosts returns how many elements arrays have behind those of BoxPlan.
func (r *Return) Ghosts() int {
	if r.Plan == nil {
		return 0
	}
	return r.Plan.Ghosts
}

// Return returns how to return the first layer of ghosts above a box, along each axis, at edges and corners too.
func (p *BoxPlan) Return() Return {
	o := &overlaps{Boxes: &p.boxes, near: p.near, cells: p.boxes.cells()}
	for a := range p.boxes.Dim {
		o.above[a] = 1
	}
	n := p.Shape[0] * p.Shape[1] * p.Shape[2]
	r := Return{Plan: &Plan{Rank: p.Rank, Owned: n}}
	for _, peer := range o.exchange(p.Rank, p.ghost).Peers { // which goes the other way
		ghosts, cells := runsOf(p.Shape, peer.Recv).indices(nil), runsOf(p.Shape, peer.Send).indices(nil)
		r.To = append(r.To, cells...)
		if peer.Rank == p.Rank {
			r.From = append(r.From, ghosts...)
			continue
		}
		first := int32(n + r.Plan.Ghosts)
		end := first + int32(len(cells))
		for i := first; i < end; i++ {
			r.From = append(r.From, i)
		}
		r.Plan.Ghosts += len(cells)
		r.Plan.Peers = append(r.Plan.Peers, Peer{Rank: peer.Rank, Send: ghosts, Lo: first, Hi: end})
	}
	return r
}
