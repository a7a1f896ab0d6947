// Package halo exchanges ghost cells between ranks. A Plan (of a mesh) or BoxPlan (of a grid) says which cells each
// rank sends and receives. An Exchanger exchanges arrays of the host or of a device, in messages through the
// transport or between devices that are linked. An ItemExchanger exchanges a variable number of items, such as
// particles, between neighbours.
package halo

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

// Plan describes what one rank sends and receives in an exchange. Local cells are numbered owned first, then
// ghosts.
type Plan struct {
	Rank   int
	Owned  int // cells of this rank
	Ghosts int
	Peers  []Peer // in ascending order of rank
}

// Peer is a rank with which cells are exchanged, in one or both directions.
type Peer struct {
	Rank   int
	Send   []int32 // local ids of the owned cells that the peer holds as ghosts, in ascending global order
	Lo, Hi int32   // the peer's cells here are the ghosts [Lo, Hi), in ascending global order
}

// Plans returns the plan of every rank. owned[p] are the global ids of the cells of rank p, in local order;
// ghosts[p][q] those of its ghosts that rank q owns, in ascending order. A ghost that rank q does not own is an
// error.
func Plans(owned [][]int32, ghosts [][][]int32) ([]*Plan, error) {
	n := len(owned)
	plans := make([]*Plan, n)
	for p := range owned {
		plans[p] = &Plan{Rank: p, Owned: len(owned[p])}
	}
	if n == 1 && len(slices.Concat(ghosts[0]...)) == 0 {
		return plans, nil
	}
	cells := 0
	for p := range owned {
		for _, g := range owned[p] {
			cells = max(cells, int(g)+1)
		}
	}
	local := make([]int32, cells)
	owner := make([]int32, cells)
	for i := range owner {
		owner[i] = -1
	}
	for p, ids := range owned {
		for i, g := range ids {
			local[g], owner[g] = int32(i), int32(p)
		}
	}
	for p := range ghosts {
		next := int32(len(owned[p]))
		for q, ids := range ghosts[p] {
			if len(ids) == 0 {
				continue
			}
			send := make([]int32, len(ids))
			for i, g := range ids {
				if int(g) >= cells || owner[g] != int32(q) {
					return nil, fmt.Errorf("halo: rank %d wants cell %d from rank %d, which does not own it", p, g, q)
				}
				send[i] = local[g]
			}
			plans[p].peer(q).Lo = next
			next += int32(len(ids))
			plans[p].peer(q).Hi = next
			plans[q].peer(p).Send = send
		}
		plans[p].Ghosts = int(next) - len(owned[p])
	}
	return plans, nil
}

// Check returns an error if a plan has ranks or cells that do not exist, or if its ghosts are not ordered by peer
// without gaps.
func (p *Plan) Check(ranks int) error {
	if p.Rank < 0 || p.Rank >= ranks || p.Owned < 0 || p.Ghosts < 0 || p.Ghosts > math.MaxInt32-p.Owned {
		return fmt.Errorf("halo: a plan of rank %d of %d, with %d cells and %d ghosts; want a rank from 0 to %d and at most "+
			"%d cells and ghosts in all", p.Rank, ranks, p.Owned, p.Ghosts, ranks-1, math.MaxInt32)
	}
	last, next := -1, int32(p.Owned)
	for _, peer := range p.Peers {
		if peer.Rank <= last || peer.Rank >= ranks || peer.Rank == p.Rank {
			return fmt.Errorf("halo: rank %d of %d has rank %d for a peer, after rank %d; want other ranks in ascending order",
				p.Rank, ranks, peer.Rank, last)
		}
		last = peer.Rank
		switch {
		case peer.Lo < peer.Hi && peer.Lo == next:
			next = peer.Hi
		case peer.Lo != peer.Hi || peer.Lo < 0 || int(peer.Lo) > p.Owned+p.Ghosts:
			return fmt.Errorf("halo: ghosts [%d, %d) belong to rank %d, want a range that begins at %d", peer.Lo, peer.Hi,
				peer.Rank, next)
		}
		for _, cell := range peer.Send {
			if cell < 0 || int(cell) >= p.Owned {
				return fmt.Errorf("halo: cell %d of %d is to be sent to rank %d; want one of the rank's own cells, from 0 on", cell,
					p.Owned, peer.Rank)
			}
		}
	}
	if int(next) != p.Owned+p.Ghosts {
		return fmt.Errorf("halo: ghosts [%d, %d) belong to no peer", next, p.Owned+p.Ghosts)
	}
	return nil
}

// peer returns the entry for a rank, and adds it if there is none. A new entry has an empty range of ghosts.
func (p *Plan) peer(rank int) *Peer {
	i := sort.Search(len(p.Peers), func(i int) bool { return p.Peers[i].Rank >= rank })
	if i == len(p.Peers) || p.Peers[i].Rank != rank {
		p.Peers = append(p.Peers, Peer{})
		copy(p.Peers[i+1:], p.Peers[i:])
		p.Peers[i] = Peer{Rank: rank}
	}
	return &p.Peers[i]
}

// String returns the plan as text.
func (p *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rank %d: %d cells, %d ghosts\n", p.Rank, p.Owned, p.Ghosts)
	for _, peer := range p.Peers {
		fmt.Fprintf(&b, "  rank %d: send %v, receive [%d, %d)\n", peer.Rank, peer.Send, peer.Lo, peer.Hi)
	}
	return b.String()
}
