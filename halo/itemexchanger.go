package halo

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
)

// ItemExchanger exchanges items with the peers of a plan; the number of items may differ each time. It sends one
// message to each peer to which the plan allows items, empty if there are none. It allocates nothing after
// NewItemExchanger.
//
// The items of a peer are received in the order in which it sent them.
type ItemExchanger[T any] struct {
	messages
	plan    *ItemPlan
	size    int   // bytes per item
	buffers [][]T // for the largest number of items of each peer
	bytes   []int // number of bytes received from each peer
	in      [][]T // the items received
}

// NewItemExchanger prepares exchanges of items that hold no pointers. Exchangers that are used at the same time need
// different tags.
func NewItemExchanger[T any](plan *ItemPlan, comm dist.Comm, tag int) *ItemExchanger[T] {
	var item T
	n := len(plan.Peers)
	x := &ItemExchanger[T]{messages: newMessages(comm, tag, 2*n), plan: plan, size: int(unsafe.Sizeof(item)),
		buffers: make([][]T, n), bytes: make([]int, n), in: make([][]T, n)}
	if x.size == 0 {
		panic("halo: items without bytes cannot be counted")
	}
	for i, p := range plan.Peers {
		x.buffers[i] = make([]T, p.Receive)
	}
	return x
}

// Exchange is Start and Finish.
func (x *ItemExchanger[T]) Exchange(ctx context.Context, out [][]T) ([][]T, error) {
	if err := x.Start(ctx, out); err != nil {
		return nil, err
	}
	return x.Finish(ctx)
}

// Start sends out[k] to peer k of the plan and begins to receive. Until Finish has returned, the items must not
// change. More items than the plan allows are an error, and nothing is sent.
func (x *ItemExchanger[T]) Start(ctx context.Context, out [][]T) error {
	if len(out) != len(x.plan.Peers) {
		return fmt.Errorf("halo: items for %d peers, the plan has %d", len(out), len(x.plan.Peers))
	}
	for i, p := range x.plan.Peers {
		if len(out[i]) > p.Send {
			return fmt.Errorf("halo: %d items for rank %d, the plan allows %d in one exchange", len(out[i]), p.Rank, p.Send)
		}
	}
	for i, p := range x.plan.Peers {
		if p.Receive == 0 {
			continue
		}
		buf := bytesOf(x.buffers[i], 0, p.Receive)
		if poisoning {
			overwrite(buf)
		}
		if err := x.receiveUpTo(ctx, p.Rank, buf, &x.bytes[i]); err != nil {
			return err
		}
	}
	for i, p := range x.plan.Peers {
		if p.Send == 0 {
			continue
		}
		if err := x.send(ctx, p.Rank, bytesOf(out[i], 0, len(out[i]))); err != nil {
			return err
		}
	}
	return nil
}

// Finish waits for the messages, and returns the items of each peer of the plan, which are valid until the next
// Start. A message that is too long, or not a multiple of the item size, is an error that names the peer.
func (x *ItemExchanger[T]) Finish(ctx context.Context) ([][]T, error) {
	if err := x.wait(ctx); err != nil {
		return nil, err
	}
	for i, p := range x.plan.Peers {
		n := x.bytes[i]
		if n%x.size != 0 {
			return nil, &dist.PeerError{Rank: p.Rank, Err: fmt.Errorf("halo: sent %d bytes, want a multiple of the "+
				"item size %d", n, x.size)}
		}
		x.in[i] = x.buffers[i][:n/x.size]
	}
	return x.in, nil
}
