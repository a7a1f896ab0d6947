package layout

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/halo"
)

// A deep part may have so many layers of ghosts that several sweeps need one exchange. In such a batch the outermost
// copies become invalid in the first sweep, the next layer in the second, and so on. The exchange replaces them
// before owned vertices would read an invalid one.

// BatchExchange is the exchange of a rank between batches of sweeps by tiles.
type BatchExchange struct {
	Sweeps int // the number of sweeps per exchange
	Peers  []BatchPeer
}

// BatchPeer lists the vertices that are sent to a rank, and those received from it, in an order that both know.
type BatchPeer struct {
	Rank          int
	Send, Receive []int32
}

// MaxBatch is the largest batch, in sweeps. Other batches divide it, so that a recording of MaxBatch sweeps ends with
// a batch.
const MaxBatch = 8

// batchSweeps returns the number of sweeps between exchanges of a deep part.
func (o *Options) batchSweeps() int { return max(o.Batch, 1) }

func (o *Options) checkBatch() error {
	if o.Batch < 0 || MaxBatch%o.batchSweeps() != 0 {
		return fmt.Errorf("a batch of %d sweeps does not divide %d", o.Batch, MaxBatch)
	}
	if o.batchSweeps() > 1 && !o.Deep {
		return fmt.Errorf("a batch of %d sweeps needs deep = true", o.Batch)
	}
	return nil
}

// batchExchange plans the exchange between batches for a rank, with the indices of its part: of the ghosts that are
// outdated after a batch.
func (c *partMaker) batchExchange(r int, p *Subdomain) BatchExchange {
	exchange := BatchExchange{Sweeps: c.layout.options.batchSweeps()}
	peer := func(rank int) *BatchPeer {
		k := slices.IndexFunc(exchange.Peers, func(e BatchPeer) bool { return e.Rank == rank })
		if k < 0 {
			k = len(exchange.Peers)
			exchange.Peers = append(exchange.Peers, BatchPeer{Rank: rank})
		}
		return &exchange.Peers[k]
	}
	for q, ghosts := range c.ghosts {
		for k, g := range ghosts {
			if c.moverOf(g) == notMoved || int(g.moves) >= exchange.Sweeps {
				continue
			}
			switch owner := int(c.owner[g.vertex]); r {
			case q:
				to := peer(owner)
				to.Receive = append(to.Receive, int32(p.Owned+k))
			case owner:
				to := peer(q)
				to.Send = append(to.Send, c.local[g.vertex])
			}
		}
	}
	slices.SortFunc(exchange.Peers, func(a, b BatchPeer) int { return cmp.Compare(a.Rank, b.Rank) })
	return exchange
}

// Plan returns the halo plan of an array that holds the vertices to send, rank after rank, followed by those
// received.
func (p *BatchExchange) Plan(rank int) *halo.Plan {
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
		plan.Ghosts += len(peer.Receive)
		to.Hi = int32(plan.Owned + plan.Ghosts)
	}
	return plan
}
