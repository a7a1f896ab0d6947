package layout

import (
	"cmp"
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
)

// interfaceExchange is an exchange of numbers at the interface of a patch, those of its vertices that several ranks
// have: own ones that others have as ghosts, and ghosts.
type interfaceExchange struct {
	own    []bool  // of each vertex of the patch
	owned  int     // own vertices at the interface
	at     []int32 // the interface: own vertices, then ghosts by rank, and each by id
	values []int32
	halo   *halo.Exchanger
}

// newInterfaceExchange finds the interface from triangles: where one has vertices of several ranks, each of these has
// all of them.
func newInterfaceExchange(p *Patch, comm dist.Comm, tag int) *interfaceExchange {
	rank := int32(comm.Rank())
	r := &interfaceExchange{own: make([]bool, len(p.Global))}
	for v, owner := range p.Owner {
		r.own[v] = owner == rank
	}
	var wanted, ghosts []uint64 // the other rank, and the vertex
	for _, cell := range p.Cells {
		for _, v := range cell {
			for _, u := range cell {
				if r.own[v] && !r.own[u] {
					of := uint64(p.Owner[u]) << 32
					wanted, ghosts = append(wanted, of|uint64(v)), append(ghosts, of|uint64(u))
				}
			}
		}
	}
	wanted, ghosts = unique(wanted), unique(ghosts)
	for _, w := range wanted {
		r.at = append(r.at, int32(uint32(w)))
	}
	slices.Sort(r.at)
	r.at = slices.Compact(r.at)
	r.owned = len(r.at)
	plan := &halo.Plan{Rank: comm.Rank(), Owned: r.owned, Ghosts: len(ghosts)}
	peers := map[int]*halo.Peer{}
	peer := func(pair uint64) *halo.Peer {
		q := int(pair >> 32)
		if peers[q] == nil {
			peers[q] = &halo.Peer{Rank: q}
		}
		return peers[q]
	}
	for _, w := range wanted {
		place, _ := slices.BinarySearch(r.at[:plan.Owned], int32(uint32(w)))
		peer(w).Send = append(peer(w).Send, int32(place))
	}
	for _, g := range ghosts {
		i := int32(len(r.at))
		if e := peer(g); e.Hi == 0 {
			e.Lo = i
		}
		peer(g).Hi = i + 1
		r.at = append(r.at, int32(uint32(g)))
	}
	for _, e := range peers {
		plan.Peers = append(plan.Peers, *e)
	}
	slices.SortFunc(plan.Peers, func(a, b halo.Peer) int { return cmp.Compare(a.Rank, b.Rank) })
	r.values, r.halo = make([]int32, len(r.at)), halo.NewExchanger(plan, comm, tag, 4)
	return r
}

func unique(s []uint64) []uint64 {
	slices.Sort(s)
	return slices.Compact(s)
}

// update brings what the owners of ghosts have to them. There is a value for each vertex of the patch.
func (r *interfaceExchange) update(ctx context.Context, values []int32) error {
	for k, v := range r.at {
		r.values[k] = values[v]
	}
	if err := r.halo.Exchange(ctx, halo.Of(r.values)); err != nil {
		return err
	}
	for k, v := range r.at {
		values[v] = r.values[k]
	}
	return nil
}

// graph is what colouring needs of the patch.
func (r *interfaceExchange) graph(rings *mesh.Rings, global []int32, class []int8) *colouring.PartGraph {
	return &colouring.PartGraph{Rings: rings, Global: global, Class: class, Own: r.own, Ghosts: r.at[r.owned:],
		Update: r.update}
}
