package halo

import (
	"cmp"
	"slices"
)

// boxPlanner computes the regions that one rank exchanges along one axis after the other.
type boxPlanner struct {
	Boxes
	position, owned, ghost,
	width [3]int // position among the boxes, owned cells, ghost layers in arrays, ghost layers to fill
	filled      [3]bool // by an earlier phase: messages include these layers
	upperFaces  bool    // messages include the face beyond the last cell of the grid
	outerGhosts bool    // messages include ghosts beyond the grid
}

// phase returns the phase of exchanges along an axis. A direction is the one in which values travel. The order of
// directions is the same on both sides: what one rank sends in a direction, the other receives from the opposite one.
func (p *boxPlanner) phase(axis int) (result Phase) {
	for _, side := range []int{-1, 1} {
		if to, ok := p.neighbour(axis, side); ok {
			peer := result.peer(to)
			peer.Send = append(peer.Send, p.regions(axis, side, false)...)
		}
		if from, ok := p.neighbour(axis, -side); ok {
			peer := result.peer(from)
			peer.Recv = append(peer.Recv, p.regions(axis, -side, true)...)
		}
	}
	return result
}

// neighbour returns the rank of the next box on a side along an axis, if there is one.
func (p *boxPlanner) neighbour(axis, side int) (rank int, ok bool) {
	at, n := p.position, p.parts(axis)
	at[axis] += side
	if at[axis] < 0 || at[axis] >= n {
		if !p.Periodic[axis] {
			return 0, false
		}
		at[axis] = (at[axis] + n) % n
	}
	return at[0] + p.parts(0)*(at[1]+p.parts(1)*at[2]), true
}

// regions returns the cells on a side along an axis: the ghosts received from there, or the owned cells sent there.
// They are one region, but for a box that is its own neighbour along the axis and has fewer cells along it than layers
// are filled: the ghosts there repeat its cells several times, with a region for each time, the nearest first.
func (p *boxPlanner) regions(axis, side int, ghosts bool) (result []Region) {
	for _, along := range p.along(axis, side, ghosts) {
		var r Region
		for a := range 3 {
			if a != axis {
				along := p.beside(a)
				r.Lo[a], r.N[a] = along[0], along[1]-along[0]
			}
		}
		r.Lo[axis], r.N[axis] = along[0], along[1]-along[0]
		result = append(result, r)
	}
	return result
}

// beside returns the range of cells, first and end, along an axis in exchanges along another one.
func (p *boxPlanner) beside(axis int) [2]int {
	first, end := p.ghost[axis], p.ghost[axis]+p.owned[axis]
	if p.includes(axis, p.position[axis] > 0) {
		first -= p.width[axis]
	}
	if p.includes(axis, p.position[axis] < p.parts(axis)-1) {
		end += p.width[axis]
	}
	if p.upperFaces && !p.outerGhosts && axis < p.Dim && !p.Periodic[axis] && p.position[axis] == p.parts(axis)-1 {
		end++
	}
	return [2]int{first, end}
}

// along returns the ranges of cells, first and end, of regions on a side along the axis of an exchange.
func (p *boxPlanner) along(axis, side int, ghosts bool) (ranges [][2]int) {
	first, end := p.ghost[axis], p.ghost[axis]+p.owned[axis]
	width, cells := p.width[axis], p.owned[axis]
	for from := 0; from < width; from += cells {
		n := min(cells, width-from)
		switch {
		case side < 0 && ghosts:
			ranges = append(ranges, [2]int{first - from - n, first - from})
		case side < 0:
			ranges = append(ranges, [2]int{first, first + n})
		case ghosts:
			ranges = append(ranges, [2]int{end + from, end + from + n})
		default:
			ranges = append(ranges, [2]int{end - n, end})
		}
	}
	return ranges
}

// includes reports whether messages along other axes include the ghosts at an end of an axis, where there is another
// box or there is none.
func (p *boxPlanner) includes(axis int, another bool) bool {
	if p.Periodic[axis] || another {
		return p.filled[axis]
	}
	return p.outerGhosts && axis < p.Dim
}

// peer returns the entry for a rank, and adds it if there is none.
func (phase *Phase) peer(rank int) *BoxPeer {
	i, ok := slices.BinarySearchFunc(phase.Peers, rank, func(p BoxPeer, rank int) int { return cmp.Compare(p.Rank, rank) })
	if !ok {
		phase.Peers = slices.Insert(phase.Peers, i, BoxPeer{Rank: rank})
	}
	return &phase.Peers[i]
}
