// Package changes exchanges those ghosts of a part of a mesh that have moved since the last exchange.
package changes

import (
	"bytes"
	"context"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
)

// Exchange is an exchange after a set that sends only the vertices that have moved since the last exchange.
// The ghosts are then the same as after an exchange of all vertices.
type Exchange[V any] struct {
	plan     *halo.Plan
	items    *halo.ItemExchanger[change[V]]
	out      [][]change[V] // to each peer
	lastSent [][]byte      // for each peer: the coordinates of its ghosts as last sent
	size     int           // number of bytes of a vertex's coordinates, which are its first fields
	v        []V
	moved    []int32
}

// change is a vertex that has moved.
type change[V any] struct {
	vertex V
	moved  int32 // when it last moved, counted over all sets
	index  int32 // among the receiver's ghosts that the sender owns
}

func New[V any](plan *halo.Plan, comm dist.Comm, tag int, v []V, size int) *Exchange[V] {
	items := plan.Items(func(vertices int) int { return vertices })
	c := &Exchange[V]{plan: plan, items: halo.NewItemExchanger[change[V]](items, comm, tag), size: size}
	for _, p := range plan.Peers {
		c.lastSent, c.out = append(c.lastSent, make([]byte, size*len(p.Send))), append(c.out, make([]change[V], 0,
			len(p.Send)))
	}
	c.MarkSent(v)
	return c
}

// MarkSent records the current coordinates as known to the peers.
func (c *Exchange[V]) MarkSent(v []V) {
	for n, p := range c.plan.Peers {
		for k, i := range p.Send {
			copy(c.lastSent[n][k*c.size:], rawBytes(&v[i])[:c.size])
		}
	}
}

// Start sends the changes and begins to receive.
func (c *Exchange[V]) Start(ctx context.Context, v []V, moved []int32) error {
	c.v, c.moved = v, moved
	for n, p := range c.plan.Peers {
		out := c.out[n][:0]
		for k, i := range p.Send {
			now, last := rawBytes(&v[i])[:c.size], c.lastSent[n][k*c.size:(k+1)*c.size]
			if !bytes.Equal(now, last) {
				copy(last, now)
				out = append(out, change[V]{v[i], moved[i], int32(k)})
			}
		}
		c.out[n] = out
	}
	return c.items.Start(ctx, c.out)
}

// Finish waits for the exchange and updates the ghosts that have moved.
func (c *Exchange[V]) Finish(ctx context.Context) error {
	in, err := c.items.Finish(ctx)
	if err != nil {
		return err
	}
	for n, p := range c.plan.Peers {
		v, moved := c.v[p.Lo:p.Hi], c.moved[p.Lo:p.Hi]
		for k := range in[n] {
			from := &in[n][k]
			if from.index < 0 || int(from.index) >= len(v) {
				return &dist.PeerError{Rank: p.Rank, Err: fmt.Errorf("sent a change of ghost %d, of %d that this rank has of it",
					from.index, len(v))}
			}
			v[from.index], moved[from.index] = from.vertex, from.moved
		}
	}
	return nil
}

// rawBytes returns the memory of a value without pointers.
func rawBytes[T any](p *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)) }
