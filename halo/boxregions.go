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
	filled      [3]bool // by an earlier phase: messages include these layers
	upperFaces  bool    // messages include the face beyond the last cell of the grid
	outerGhosts bool    // messages include ghosts beyond the grid
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
					peer.Send = append(peer.Send, p.regions(d, false)...)
				}
				back := [3]int{-dx, -dy, -dz}
				if from, ok := p.neighbour(back); ok {
					peer := result.peer(from)
					peer.Recv = append(peer.Recv, p.regions(back, true)...)
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

// regions returns the cells on the side of a direction: the ghosts received from there, or the owned cells sent
// there. They are one region, but for a box that is its own neighbour along an axis and has fewer cells along it than
// layers are filled: the ghosts there repeat its cells several times, with a region for each time, the nearest first.
func (p *boxPlanner) regions(d [3]int, ghosts bool) []Region {
	result := []Region{{}}
	for a := range 3 {
		var next []Region
		for _, along := range p.along(a, d[a], ghosts) {
			for _, r := range result {
				r.Lo[a], r.N[a] = along[0], along[1]-along[0]
				next = append(next, r)
			}
		}
		result = next
	}
	return result
}

// along returns the ranges of cells, first and end, that regions on a side have along an axis. The side is -1 or 1, or
// 0 for those that lie beside the box along another axis.
func (p *boxPlanner) along(axis, side int, ghosts bool) (ranges [][2]int) {
	first, end := p.ghost[axis], p.ghost[axis]+p.owned[axis]
	width, cells := p.width[axis], p.owned[axis]
	if side == 0 {
		if p.includes(axis, p.position[axis] > 0) {
			first -= width
		}
		if p.includes(axis, p.position[axis] < p.parts(axis)-1) {
			end += width
		}
		if p.upperFaces && !p.outerGhosts && axis < p.Dim && !p.Periodic[axis] && p.position[axis] == p.parts(axis)-1 {
			end++
		}
		return [][2]int{{first, end}}
	}
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
