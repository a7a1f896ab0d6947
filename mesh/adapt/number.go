package adapt

import (
	"cmp"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/operation"
	"github.com/atoll-hpc/atoll/mesh/adapt/wire"
)

// number gives the new vertices of splits, total over all parts, their ids: in the order of the ids of the edges, those
// of the lower ends first.
func (e *engine) number(taken []*operation.Candidate, total int) {
	slices.SortFunc(taken, func(a, b *operation.Candidate) int {
		return cmp.Or(cmp.Compare(a.LowID, b.LowID), cmp.Compare(a.HighID, b.HighID))
	})
	if e.ex == nil {
		for i, c := range taken {
			c.Born.ID = e.NextID + int64(i)
		}
	} else if e.err == nil {
		e.err = e.numberAcross(taken)
	}
	e.NextID += int64(total)
}

// edge is an edge that the part of a rank splits.
type edge struct {
	low, high int64
	rank      int
}

// numberAcross is number on several parts. Each rank sorts the edges of all parts whose lower end is in its share of
// the ids, and tells the others their places. taken are in order.
func (p *part) numberAcross(taken []*operation.Candidate) error {
	size := p.ex.Size()
	sorter := func(id int64) int { return int(float64(id) / float64(p.NextID) * float64(size)) }
	var ranks []int
	var send [][]byte
	for _, c := range taken {
		if rank := min(sorter(c.LowID), size-1); len(ranks) == 0 || ranks[len(ranks)-1] != rank {
			ranks, send = append(ranks, rank), append(send, nil)
		}
		last := &send[len(send)-1]
		*last = wire.AddInt(wire.AddInt(*last, c.LowID), c.HighID)
	}
	from, received, err := p.ex.Route(ranks, send)
	if err != nil {
		return err
	}
	var edges []edge
	for i, bytes := range received {
		for m := (wire.Message{Bytes: bytes}); len(m.Bytes) > 0; {
			edges = append(edges, edge{m.Int(), m.Int(), from[i]})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high))
	})
	before, err := p.sumBefore(int64(len(edges)))
	if err != nil {
		return err
	}
	answers := make(map[int]*[]byte, len(from))
	reply := make([][]byte, len(from))
	for i, rank := range from {
		answers[rank] = &reply[i]
	}
	for i, d := range edges { // those of a rank are in its order
		b := answers[d.rank]
		*b = wire.AddInt(*b, before+int64(i))
	}
	_, received, err = p.ex.Route(from, reply)
	if err != nil {
		return err
	}
	i := 0
	for _, bytes := range received { // of ascending ranks, whose shares of the ids ascend
		for m := (wire.Message{Bytes: bytes}); len(m.Bytes) > 0; i++ {
			taken[i].Born.ID = p.NextID + m.Int()
		}
	}
	return nil
}

// sumBefore is the sum of a number over all ranks below this one: each adds what those 1, 2, 4 … below have added up.
func (p *part) sumBefore(n int64) (before int64, err error) {
	rank, size := int(p.rank), p.ex.Size()
	for reach := 1; reach < size; reach *= 2 {
		var ranks []int
		var send [][]byte
		if rank-reach >= 0 {
			ranks, send = append(ranks, rank-reach), append(send, nil)
		}
		if rank+reach < size {
			ranks, send = append(ranks, rank+reach), append(send, wire.AddInt(nil, before+n))
		}
		received, err := p.ex.Swap(ranks, send)
		if err != nil {
			return 0, err
		}
		if rank-reach >= 0 {
			before += (&wire.Message{Bytes: received[0]}).Int()
		}
	}
	return before, nil
}
