package halo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// ItemPlan describes what one rank may send and receive in exchanges of a variable number of items: particles that
// move to another box, vertices that have moved. It bounds the memory of an exchange.
type ItemPlan struct {
	Rank  int
	Peers []ItemPeer // in ascending order of rank, without the rank itself
}

// ItemPeer is a rank with which items are exchanged. Send on one side equals Receive on the other.
type ItemPeer struct {
	Rank          int
	Send, Receive int // largest number of items per exchange, 0 for no messages in that direction
}

// Items returns the plan of exchanges between the same ranks, of at most limit(n) items where Plan sends n cells.
// All ranks must pass the same function.
func (p *Plan) Items(limit func(cells int) int) *ItemPlan {
	plan := &ItemPlan{Rank: p.Rank}
	for _, peer := range p.Peers {
		plan.add(peer.Rank, len(peer.Send), int(peer.Hi-peer.Lo), limit)
	}
	return plan
}

// Items returns the plan of exchanges with all neighbours of a box, also across edges and corners, of at most
// limit(n) items where BoxPlan exchanges n cells: an item that moves by at most width cells along each axis leaves
// the box from these cells. All ranks must pass the same function.
func (p *BoxPlan) Items(limit func(cells int) int) (*ItemPlan, error) {
	allNeighbours, err := p.WithSchedule(AllNeighbours)
	if err != nil {
		return nil, err
	}
	plan := &ItemPlan{Rank: p.Rank}
	for _, phase := range allNeighbours.Phases {
		for _, peer := range phase.Peers {
			if peer.Rank != p.Rank {
				plan.add(peer.Rank, countCells(peer.Send), countCells(peer.Recv), limit)
			}
		}
	}
	return plan, nil
}

func (p *ItemPlan) add(rank, send, receive int, limit func(cells int) int) {
	peer := ItemPeer{Rank: rank}
	if send > 0 {
		peer.Send = limit(send)
	}
	if receive > 0 {
		peer.Receive = limit(receive)
	}
	p.Peers = append(p.Peers, peer)
}

func countCells(regions []Region) int {
	n := 0
	for _, r := range regions {
		n += r.cells()
	}
	return n
}

// Index returns the index of a rank in Peers, and whether it is a peer.
func (p *ItemPlan) Index(rank int) (k int, ok bool) {
	return slices.BinarySearchFunc(p.Peers, rank, func(e ItemPeer, rank int) int { return cmp.Compare(e.Rank, rank) })
}

// String returns the plan as text.
func (p *ItemPlan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rank %d\n", p.Rank)
	for _, peer := range p.Peers {
		fmt.Fprintf(&b, "  rank %d: send up to %d, receive up to %d\n", peer.Rank, peer.Send, peer.Receive)
	}
	return b.String()
}
