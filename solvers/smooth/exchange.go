package smooth

import (
	"cmp"
	"slices"

	"github.com/atoll-hpc/atoll/halo"
)

// plan makes the exchanges of all ranks.
func (c *cutter) plan(parts []*Subdomain) {
	l := c.layout
	sets := l.sets
	if l.options.Deep {
		sets = 1
	}
	local := c.local
	for r, p := range parts {
		for i, v := range p.Global[:p.Owned] {
			local[v] = int32(i)
		}
		for range sets {
			p.Plans = append(p.Plans, &halo.Plan{Rank: r})
		}
	}
	send := make([][]map[int][]int32, len(parts))
	for r := range parts {
		send[r] = make([]map[int][]int32, sets)
		for s := range sets {
			send[r][s] = map[int][]int32{}
		}
	}
	type extent struct{ lo, hi int32 }
	for r, p := range parts {
		for s := range sets {
			receive := map[int]extent{}
			next := p.Owned // after the ghosts of the sets before
			if s > 0 {
				next = p.Plans[s-1].Owned + p.Plans[s-1].Ghosts
			}
			p.Plans[s].Owned = next
			for k, g := range c.ghosts[r] {
				v := g.vertex
				if g.copied || l.class[v] == fixed || !l.options.Deep && int(l.set[v]) != s {
					continue
				}
				q, i := int(c.owner[v]), int32(p.Owned+k)
				e, ok := receive[q]
				if !ok {
					e.lo = i
				}
				e.hi = i + 1
				receive[q] = e
				p.Plans[s].Ghosts++
				send[q][s][r] = append(send[q][s][r], local[v])
			}
			for q, e := range receive {
				p.Plans[s].Peers = append(p.Plans[s].Peers, halo.Peer{Rank: q, Lo: e.lo, Hi: e.hi})
			}
		}
	}
	for r, p := range parts {
		for s, plan := range p.Plans {
			for q, ids := range send[r][s] {
				k := slices.IndexFunc(plan.Peers, func(e halo.Peer) bool { return e.Rank == q })
				if k < 0 {
					k = len(plan.Peers)
					plan.Peers = append(plan.Peers, halo.Peer{Rank: q})
				}
				plan.Peers[k].Send = ids
			}
			slices.SortFunc(plan.Peers, func(a, b halo.Peer) int { return cmp.Compare(a.Rank, b.Rank) })
		}
	}
}
