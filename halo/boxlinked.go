package halo

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/dist"
)

// boxLinked exchanges ghosts of boxes between the devices of the ranks, without the host: all of it is queued, and may
// be part of a recording.
type boxLinked[T any] struct {
	*boxStaged[T] // for its buffers on the device
	link
	mail [][2][]backend.Message // sent and received, by round
}

// NewBoxLinked connects the devices of all ranks, which call it together. It returns nil and why not if one of them
// cannot, as NewLinked.
func NewBoxLinked[T any](ctx context.Context, plan *BoxPlan, comm dist.Comm, dev backend.Device) (
	x LinkedGhosts[T], why string, err error) {
	cells := plan.Shape[0] * plan.Shape[1] * plan.Shape[2]
	if cells > math.MaxInt32 {
		return nil, "", fmt.Errorf("halo: arrays of %d cells, a device numbers %d at most", cells, math.MaxInt32)
	}
	l, why, err := newLink(ctx, comm, dev, "")
	if err != nil || why != "" {
		return nil, why, err
	}
	b := &boxLinked[T]{boxStaged: &boxStaged[T]{dev: dev, work: primitives.On(dev), cells: cells}, link: *l}
	for _, round := range plan.Rounds {
		r, err := b.prepare(plan, round)
		b.rounds = append(b.rounds, r)
		if err != nil {
			return nil, "", errors.Join(fmt.Errorf("halo: %w", err), b.Close())
		}
		var m [2][]backend.Message
		for _, p := range r.peers {
			m[0] = append(m[0], backend.Message{Peer: p.rank, Data: r.out[r.kept+p.sent[0] : r.kept+p.sent[1]]})
			m[1] = append(m[1], backend.Message{Peer: p.rank, Data: r.in[p.got[0]:p.got[1]]})
		}
		b.mail = append(b.mail, m)
	}
	return b, "", nil
}

func (x *boxLinked[T]) Start(_ context.Context, field []T) error {
	if len(field) != x.cells {
		return fmt.Errorf("halo: an array of %d elements, the plan has %d cells", len(field), x.cells)
	}
	x.field = field
	return x.links.Fork(func() error {
		for n := range x.rounds {
			if err := x.pass(n); err != nil {
				return err
			}
		}
		return nil
	})
}

func (x *boxLinked[T]) Fork(f func() error) error    { return x.links.Fork(f) }
func (x *boxLinked[T]) Send(context.Context) error   { return nil }
func (x *boxLinked[T]) Finish(context.Context) error { return x.links.Join() }
func (x *boxLinked[T]) Way() string                  { return Nccl }

// pass queues round n.
func (x *boxLinked[T]) pass(n int) error {
	r := &x.rounds[n]
	if err := x.start(r); err != nil || len(x.mail[n][0]) == 0 {
		return err
	}
	if err := x.links.Exchange(x.mail[n][0], x.mail[n][1]); err != nil {
		return err
	}
	_, err := primitives.Unpack(x.work, x.field, r.place, r.in)
	return err
}

// Close gives back what the device holds.
func (x *boxLinked[T]) Close() error { return errors.Join(x.link.close(), x.boxStaged.Close()) }
