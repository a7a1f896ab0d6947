package halo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// ItemPlan is what one rank may send and receive in an exchange of items whose number differs each time: particles that
// leave for another box, vertices that have moved. It bounds the memory that an exchange takes.
type ItemPlan struct {
	Rank  int
	Peers []ItemPeer // in ascending order of rank, without the rank itself
}

// ItemPeer is a rank that items go to, or come from. What one side may send is what the other may receive.
type ItemPeer struct {
	Rank          int
	Send, Receive int // the most items of one exchange; 0 where none ever go that way
}

// Items is the plan of exchanges between the same ranks, of at most most(n) items where Plan sends n cells. All ranks
// pass the same function.
func (p *Plan) Items(most func(cells int) int) *ItemPlan {
	plan := &ItemPlan{Rank: p.Rank}
	for _, e := range p.Peers {
		plan.add(e.Rank, len(e.Send), int(e.Hi-e.Lo), most)
	}
	return plan
}

// Items is the plan of exchanges with all neighbours of a box, those across edges and corners too, of at most most(n)
// items where ghosts of n cells are copied: what moves by no more cells than the plan has layers along an axis leaves
// from these. All ranks pass the same function.
func (p *BoxPlan) Items(most func(cells int) int) (*ItemPlan, error) {
	all, err := p.WithSchedule(AllNeighbours)
	if err != nil {
		return nil, err
	}
	plan := &ItemPlan{Rank: p.Rank}
	for _, round := range all.Phases {
		for _, e := range round.Peers {
			if e.Rank != p.Rank {
				plan.add(e.Rank, countCells(e.Send), countCells(e.Recv), most)
			}
		}
	}
	return plan, nil
}

func (p *ItemPlan) add(rank, send, receive int, most func(cells int) int) {
	peer := ItemPeer{Rank: rank}
	if send > 0 {
		peer.Send = most(send)
	}
	if receive > 0 {
		peer.Receive = most(receive)
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

// Index is the place of a rank among the peers, and whether it is one.
func (p *ItemPlan) Index(rank int) (k int, ok bool) {
	return slices.BinarySearchFunc(p.Peers, rank, func(e ItemPeer, rank int) int { return cmp.Compare(e.Rank, rank) })
}

// String prints the plan for people.
func (p *ItemPlan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rank %d\n", p.Rank)
	for _, e := range p.Peers {
		fmt.Fprintf(&b, "  rank %d: send up to %d, receive up to %d\n", e.Rank, e.Send, e.Receive)
	}
	return b.String()
}
