package layout

import (
	"cmp"
	"slices"

	"github.com/atoll-hpc/atoll/halo"
)

// plans makes the halo plans of a rank, with the indices of its part: one for each set, or one for all.
func (c *partMaker) plans(r int, p *Subdomain) []*halo.Plan {
	sets := p.Sets
	if p.Deep {
		sets = 1
	}
	plans, peers := make([]*halo.Plan, sets), make([]map[int]*halo.Peer, sets)
	for s := range plans {
		plans[s], peers[s] = &halo.Plan{Rank: r}, map[int]*halo.Peer{}
	}
	peer := func(g ghost, rank int) (set int, of *halo.Peer) {
		if !p.Deep {
			set = int(c.layout.set[g.vertex])
		}
		if peers[set][rank] == nil {
			peers[set][rank] = &halo.Peer{Rank: rank}
		}
		return set, peers[set][rank]
	}
	for q, ghosts := range c.ghosts {
		for k, g := range ghosts {
			if c.moverOf(g) != movedByOwner {
				break
			}
			owner, i := int(c.owner[g.vertex]), int32(p.Owned+k)
			switch r {
			case q:
				set, from := peer(g, owner)
				if from.Hi == 0 {
					from.Lo = i
				}
				from.Hi = i + 1
				plans[set].Ghosts++
			case owner:
				_, to := peer(g, q)
				to.Send = append(to.Send, c.local[g.vertex])
			}
		}
	}
	next := p.Owned // after the ghosts of the sets before
	for s, plan := range plans {
		plan.Owned = next // ghosts of the sets before count as owned: they are not exchanged again
		next += plan.Ghosts
		for _, e := range peers[s] {
			plan.Peers = append(plan.Peers, *e)
		}
		slices.SortFunc(plan.Peers, func(a, b halo.Peer) int { return cmp.Compare(a.Rank, b.Rank) })
	}
	return plans
}
