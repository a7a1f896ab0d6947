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

// interfaceExchange exchanges numbers at the interface of a local mesh: own vertices that other ranks have as ghosts,
// and ghosts.
type interfaceExchange struct {
	own      []bool  // of each vertex of the local mesh
	owned    int     // own vertices at the interface
	vertices []int32 // the interface: own vertices, then ghosts by rank, each sorted by id
	values   []int32
	halo     *halo.HostExchanger
}

// newInterfaceExchange finds the interface from cells, whose vertices cell returns: each rank with a vertex of a cell
// has all its vertices.
func newInterfaceExchange(p *LocalVertices, cells int, cell func(c int) []int32, comm dist.Comm,
	tag int) *interfaceExchange {
	rank := int32(comm.Rank())
	r := &interfaceExchange{own: make([]bool, len(p.Global))}
	for v, owner := range p.Owner {
		r.own[v] = owner == rank
	}
	var wanted, ghosts []uint64 // each is a rank in the upper and a vertex in the lower 32 bits
	for c := range cells {
		corners := cell(c)
		for _, v := range corners {
			for _, u := range corners {
				if r.own[v] && !r.own[u] {
					of := uint64(p.Owner[u]) << 32
					wanted, ghosts = append(wanted, of|uint64(v)), append(ghosts, of|uint64(u))
				}
			}
		}
	}
	wanted, ghosts = unique(wanted), unique(ghosts)
	for _, w := range wanted {
		r.vertices = append(r.vertices, int32(uint32(w)))
	}
	slices.Sort(r.vertices)
	r.vertices = slices.Compact(r.vertices)
	r.owned = len(r.vertices)
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
		index, _ := slices.BinarySearch(r.vertices[:plan.Owned], int32(uint32(w)))
		peer(w).Send = append(peer(w).Send, int32(index))
	}
	for _, g := range ghosts {
		i := int32(len(r.vertices))
		if e := peer(g); e.Hi == 0 {
			e.Lo = i
		}
		peer(g).Hi = i + 1
		r.vertices = append(r.vertices, int32(uint32(g)))
	}
	for _, e := range peers {
		plan.Peers = append(plan.Peers, *e)
	}
	slices.SortFunc(plan.Peers, func(a, b halo.Peer) int { return cmp.Compare(a.Rank, b.Rank) })
	r.values, r.halo = make([]int32, len(r.vertices)), halo.NewHostExchanger(plan, comm, tag, 4)
	return r
}

func unique(s []uint64) []uint64 {
	slices.Sort(s)
	return slices.Compact(s)
}

// update copies the values of owners to ghosts. There is a value for each vertex of the local mesh.
func (r *interfaceExchange) update(ctx context.Context, values []int32) error {
	for k, v := range r.vertices {
		r.values[k] = values[v]
	}
	if err := r.halo.Exchange(ctx, halo.FieldOf(r.values)); err != nil {
		return err
	}
	for k, v := range r.vertices {
		values[v] = r.values[k]
	}
	return nil
}

// graph returns the local mesh as a graph for colouring.
func (r *interfaceExchange) graph(rings *mesh.Rings, global []int32, class []int8) *colouring.PartGraph {
	return &colouring.PartGraph{Rings: rings, Global: global, Class: class, Own: r.own, Ghosts: r.vertices[r.owned:],
		Update: r.update}
}
