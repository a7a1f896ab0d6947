package halo

import (
	"cmp"
	"slices"
)

// boxPlanner computes the regions that one rank exchanges.
type boxPlanner struct {
	Boxes
	position, owned, ghost,
	width [3]int // position among the boxes, owned cells, ghost layers in arrays, ghost layers to fill
	filled [3]bool // by an earlier phase: messages include these layers
}

// phase returns the phase of exchanges in all directions along the given axes. A direction is the one in which
// values travel. The order of directions is the same on both sides: what one rank sends in a direction, the other
// receives from the opposite one.
func (p *boxPlanner) phase(alongX, alongY, alongZ bool) Phase {
	steps := func(along bool) []int {
		if along {
			return []int{-1, 0, 1}
		}
		return []int{0}
	}
	var result Phase
	for _, dz := range steps(alongZ) {
		for _, dy := range steps(alongY) {
			for _, dx := range steps(alongX) {
				d := [3]int{dx, dy, dz}
				if d == [3]int{} {
					continue
				}
				if to, ok := p.neighbour(d); ok {
					peer := result.peer(to)
					peer.Send = append(peer.Send, p.region(d, false))
				}
				back := [3]int{-dx, -dy, -dz}
				if from, ok := p.neighbour(back); ok {
					peer := result.peer(from)
					peer.Recv = append(peer.Recv, p.region(back, true))
				}
			}
		}
	}
	return result
}

// neighbour returns the rank of the next box in a direction, if there is one.
func (p *boxPlanner) neighbour(d [3]int) (rank int, ok bool) {
	for a := 2; a >= 0; a-- {
		position, n := p.position[a]+d[a], p.parts(a)
		if position < 0 || position >= n {
			if !p.Periodic[a] {
				return 0, false
			}
			position = (position + n) % n
		}
		rank = rank*n + position
	}
	return rank, true
}

// region returns the cells on the side of a direction: the ghosts received from there, or the owned cells sent
// there.
func (p *boxPlanner) region(d [3]int, ghosts bool) (r Region) {
	for a := range 3 {
		first, end := p.ghost[a], p.ghost[a]+p.owned[a]
		switch {
		case d[a] < 0 && ghosts:
			first, end = first-p.width[a], first
		case d[a] < 0:
			end = first + p.width[a]
		case d[a] > 0 && ghosts:
			first, end = end, end+p.width[a]
		case d[a] > 0:
			first = end - p.width[a]
		case p.filled[a]:
			if p.Periodic[a] || p.position[a] > 0 {
				first -= p.width[a]
			}
			if p.Periodic[a] || p.position[a] < p.parts(a)-1 {
				end += p.width[a]
			}
		}
		r.Lo[a], r.N[a] = first, end-first
	}
	return r
}

// peer returns the entry for a rank, and adds it if there is none.
func (phase *Phase) peer(rank int) *BoxPeer {
	i, ok := slices.BinarySearchFunc(phase.Peers, rank, func(p BoxPeer, rank int) int { return cmp.Compare(p.Rank, rank) })
	if !ok {
		phase.Peers = slices.Insert(phase.Peers, i, BoxPeer{Rank: rank})
	}
	return &phase.Peers[i]
}
