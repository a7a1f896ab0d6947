package layout

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/halo"
)

// A deep part may hold so many layers of ghosts that several sweeps go by with one exchange. The outer copies see
// what is out of date after the first sweep of such a round, those inside of them after the second, and so on: what
// they become is of no account, because the exchange replaces them before owned vertices would see any of it.

// Round is the exchange between rounds of sweeps by tiles.
type Round struct {
	Sweeps int // so many go by with one exchange
	Peers  []RoundPeer
}

// RoundPeer lists the vertices that go to a rank, and those that come from it, in an order that both know.
type RoundPeer struct {
	Rank       int
	Send, Take []int32
}

// MaxRound is the longest that a round may be, in sweeps. Others divide it, so that a recording of so many sweeps ends
// with a round.
const MaxRound = 8

// round is how many sweeps go by with one exchange of a deep part.
func (o *Options) round() int { return max(o.Round, 1) }

func (o *Options) checkRound() error {
	if o.Round < 0 || MaxRound%o.round() != 0 {
		return fmt.Errorf("a round of %d sweeps does not divide %d", o.Round, MaxRound)
	}
	if o.round() > 1 && !o.Deep {
		return fmt.Errorf("a round of %d sweeps needs deep ghosts", o.Round)
	}
	return nil
}

// round plans the exchange between rounds of a rank whose vertices have their local numbers: of the ghosts that are out
// of date by then.
func (c *cutter) round(r int, p *Subdomain) Round {
	round := Round{Sweeps: c.layout.options.round()}
	peer := func(rank int) *RoundPeer {
		k := slices.IndexFunc(round.Peers, func(e RoundPeer) bool { return e.Rank == rank })
		if k < 0 {
			k = len(round.Peers)
			round.Peers = append(round.Peers, RoundPeer{Rank: rank})
		}
		return &round.Peers[k]
	}
	for q, ghosts := range c.ghosts {
		for k, g := range ghosts {
			if c.kind(g) == 1 || int(g.moves) >= round.Sweeps {
				continue
			}
			switch owner := int(c.owner[g.vertex]); r {
			case q:
				to := peer(owner)
				to.Take = append(to.Take, int32(p.Owned+k))
			case owner:
				to := peer(q)
				to.Send = append(to.Send, c.local[g.vertex])
			}
		}
	}
	slices.SortFunc(round.Peers, func(a, b RoundPeer) int { return cmp.Compare(a.Rank, b.Rank) })
	return round
}

// Wire is the plan of an exchange of an array that holds what is sent, one rank after the other, and then what comes.
func (p *Round) Wire(rank int) *halo.Plan {
	plan := &halo.Plan{Rank: rank}
	for _, peer := range p.Peers {
		to := halo.Peer{Rank: peer.Rank}
		for range peer.Send {
			to.Send = append(to.Send, int32(plan.Owned))
			plan.Owned++
		}
		plan.Peers = append(plan.Peers, to)
	}
	for k, peer := range p.Peers {
		to := &plan.Peers[k]
		to.Lo = int32(plan.Owned + plan.Ghosts)
		plan.Ghosts += len(peer.Take)
		to.Hi = int32(plan.Owned + plan.Ghosts)
	}
	return plan
}
