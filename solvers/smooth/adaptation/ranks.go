package adaptation

import (
	"context"
	"encoding/binary"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/partition"
)

// exchange is the adapt.Exchange of a communicator.
type exchange struct {
	ctx  context.Context // of the adaptation
	comm dist.Comm
}

// Tags of messages: their lengths, and the messages.
const (
	tagLength = iota
	tagMessage
)

func (e *exchange) Rank() int { return e.comm.Rank() }
func (e *exchange) Size() int { return e.comm.Size() }

// Swap sends the lengths of the messages first, so that buffers are as long as needed.
func (e *exchange) Swap(ranks []int, send [][]byte) (received [][]byte, err error) {
	lengths, announced := make([][]byte, len(ranks)), make([][]byte, len(ranks))
	for i := range ranks {
		lengths[i] = binary.LittleEndian.AppendUint64(nil, uint64(len(send[i])))
		announced[i] = make([]byte, 8)
	}
	if err := e.transfer(tagLength, ranks, lengths, announced); err != nil {
		return nil, err
	}
	received = make([][]byte, len(ranks))
	for i := range ranks {
		received[i] = make([]byte, binary.LittleEndian.Uint64(announced[i]))
	}
	return received, e.transfer(tagMessage, ranks, send, received)
}

// transfer sends and receives a message to and from each of the ranks.
func (e *exchange) transfer(tag int, ranks []int, send, receive [][]byte) error {
	var requests []dist.Request
	for i, rank := range ranks {
		r, err := e.comm.Irecv(e.ctx, rank, tag, receive[i])
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	for i, rank := range ranks {
		r, err := e.comm.Isend(e.ctx, rank, tag, send[i])
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	return e.comm.Wait(e.ctx, requests)
}

func (e *exchange) Sum(numbers []int64) error { return e.comm.AllreduceInt64(e.ctx, dist.Sum, numbers) }

func (e *exchange) Max(numbers []float64) error {
	return e.comm.AllreduceFloat64(e.ctx, dist.Max, numbers)
}

func (e *exchange) All(mine []byte) ([][]byte, error) { return e.comm.Allgatherv(e.ctx, mine) }

// ownersOf divides vertices among ranks, in the order of a Hilbert curve.
func (s *session) ownersOf(ranks int) ([]int32, error) {
	g := partition.Graph{Start: make([]int32, len(s.start.X[0])+1)}
	return partition.Partition(partition.HilbertCut, g, s.start.X[:s.dim], ranks, 0)
}

// makeAdapters makes an adapter for each rank.
func (s *session) makeAdapters(ctx context.Context, ranks int, o adapt.Options) error {
	s.adapters = make([]*adapt.Adapter, ranks)
	if ranks > 1 {
		var err error
		if o.Owner, err = s.ownersOf(ranks); err != nil {
			return err
		}
		s.comms = local.New(ranks)
	}
	err := s.onRanks(func(rank int) (err error) {
		o := o
		if ranks > 1 {
			o.Exchange = &exchange{ctx, s.comms[rank]}
		}
		if rank > 0 {
			o.Progress = nil
		}
		if s.solid != nil {
			s.adapters[rank], err = adapt.Tetrahedra(s.solid, o)
		} else {
			s.adapters[rank], err = adapt.Triangles(s.plane, o)
		}
		return err
	})
	s.adapter = s.adapters[0]
	return err
}

// onRanks calls f for each rank, concurrently. If one fails the others end too.
func (s *session) onRanks(f func(rank int) error) error {
	errs := make([]error, len(s.adapters))
	parallel.Ranges(len(s.adapters), len(s.adapters), func(rank, _, _ int) {
		if errs[rank] = f(rank); errs[rank] != nil && s.comms != nil {
			s.comms[rank].Abort(1, errs[rank])
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// close ends the communication of the ranks.
func (s *session) close() error {
	if s.comms == nil {
		return nil
	}
	return s.onRanks(func(rank int) error { return s.comms[rank].Close() })
}
