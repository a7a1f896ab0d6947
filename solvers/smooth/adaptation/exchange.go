package adaptation

import (
	"context"
	"encoding/binary"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/partition"
)

// exchange is the adapt.Exchange of a communicator.
type exchange struct {
	ctx  context.Context // of the adaptation
	comm dist.Comm
}

// Tags of messages: their lengths, the messages, and those that are routed.
const (
	tagLength = iota
	tagMessage
	tagRouted
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

func (e *exchange) Route(ranks []int, send [][]byte) (from []int, received [][]byte, err error) {
	parcels := make([]dist.Parcel, len(ranks))
	for i, rank := range ranks {
		parcels[i] = dist.Parcel{Rank: rank, Bytes: send[i]}
	}
	parcels, err = dist.Route(e.ctx, e.comm, tagRouted, parcels)
	for _, p := range parcels {
		from, received = append(from, p.Rank), append(received, p.Bytes)
	}
	return from, received, err
}

func (e *exchange) Sum(numbers []int64) error { return e.comm.AllreduceInt64(e.ctx, dist.Sum, numbers) }

func (e *exchange) Max(numbers []float64) error {
	return e.comm.AllreduceFloat64(e.ctx, dist.Max, numbers)
}

// owners divides vertices among ranks: a Hilbert curve through them is cut into pieces of equal load.
func owners(x [][]float64, loads []float64, ranks int) ([]int32, error) {
	order, err := partition.HilbertOrder(x...)
	if err != nil {
		return nil, err
	}
	all := 0.0
	for _, l := range loads {
		all += l
	}
	owner := make([]int32, len(order))
	before := 0.0
	for _, v := range order {
		owner[v] = min(int32(ranks-1), int32((before+loads[v]/2)/all*float64(ranks)))
		before += loads[v]
	}
	return owner, nil
}
