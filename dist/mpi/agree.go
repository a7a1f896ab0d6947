//go:build mpi && cgo

package mpi

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// The first callBytes of a message of a collective identify the call. The data to combine follow if they fit; otherwise
// they are sent separately after all ranks have agreed on the call.
const (
	callBytes       = collect.CallBytes
	inlineBytes     = bufferBytes - callBytes
	chunkBytes      = 1 << 30 // longer data are sent in several MPI messages
	maxScratchBytes = 1 << 20 // largest buffer that a communicator keeps for later collectives
)

// collectiveState is the state and the buffers that collectives reuse.
type collectiveState struct {
	steps   []step
	in, out op
	call    collect.Call // the current call
	scratch []byte       // the operand of another rank, if it is longer than a slot's memory
}

func (r *collectiveState) open(e engine, rank, size int) {
	r.steps = doubling(rank, size)
	r.in = op{slot: e.newSlot(), call: &r.call}
	r.out = op{slot: e.newSlot(), call: &r.call}
	r.out.Send = true
}

func (r *collectiveState) release() {
	freeSlot(r.in.slot)
	freeSlot(r.out.slot)
}

// enter checks the arguments of a collective before any message is sent.
func (c *comm) enter(ctx context.Context, call collect.Call) error {
	if err := c.check(ctx, c.rank, 0, 0); err != nil {
		return err
	}
	if err := call.Check(c.size); err != nil {
		return err
	}
	c.collective.call = call
	c.table.flush()
	return nil
}

// failOnError fails the run on all ranks if a collective has failed on this rank, since the other ranks would wait for
// this rank forever. It returns err.
func (c *comm) failOnError(err error) error {
	if err != nil {
		c.fail(err)
	}
	return err
}

// agree checks that all ranks make the same call, and replaces data on every rank by the combination of all.
func (c *comm) agree(ctx context.Context, call collect.Call, data []byte) error {
	call.Prepare(data)
	if len(data) <= inlineBytes {
		return c.doubleShort(ctx, call, data)
	}
	if err := c.doubleShort(ctx, call, nil); err != nil {
		return err
	}
	return c.doubleLong(ctx, call, data)
}

// doubleShort is the recursive doubling of agree, for data that fit into one message with the call.
func (c *comm) doubleShort(ctx context.Context, call collect.Call, data []byte) error {
	r := &c.collective
	in, out := bufferOf(r.in.slot), bufferOf(r.out.slot)
	call.Append(out[:0])
	for _, s := range r.steps {
		copy(out[callBytes:], data)
		r.in.Peer, r.out.Peer = s.source, s.dest
		first, err := exchangeStep(r.in.slot, s.source, r.out.slot, s.dest, callBytes+len(data))
		if err != nil {
			return &dist.PeerError{Rank: max(s.source, s.dest), Err: fmt.Errorf("%v: %w", call, err)}
		}
		if first != nil {
			head := &r.in
			if head.next = &r.out; s.source < 0 {
				head = &r.out
			}
			if err := c.awaitFrom(ctx, head, first); err != nil {
				return err
			}
		}
		if s.source < 0 {
			continue
		}
		got := in[:r.in.slot.got]
		if err := c.checkSameCall(got, out, s.source, call); err != nil {
			return err
		}
		if len(got) != callBytes+len(data) {
			return &dist.PeerError{Rank: s.source, Err: fmt.Errorf("contributes %d bytes to %v, want %d",
				len(got)-callBytes, call, len(data))}
		}
		if s.final {
			copy(data, got[callBytes:])
		} else {
			call.Combine(data, got[callBytes:])
		}
	}
	return nil
}

// doubleLong is doubleShort for data that are longer than a slot's memory, between ranks that have agreed.
func (c *comm) doubleLong(ctx context.Context, call collect.Call, data []byte) error {
	r := &c.collective
	if cap(r.scratch) < len(data) {
		r.scratch = make([]byte, len(data))
	}
	operand := r.scratch[:len(data)]
	if cap(r.scratch) > maxScratchBytes {
		r.scratch = nil
	}
	for _, s := range r.steps {
		var b transfers
		if s.source >= 0 {
			b.add(c, false, s.source, operand)
		}
		if s.dest >= 0 {
			b.add(c, true, s.dest, data)
		}
		if err := b.wait(ctx, c); err != nil {
			return err
		}
		switch {
		case s.final:
			copy(data, operand)
		case s.source >= 0:
			call.Combine(data, operand)
		}
	}
	return nil
}

// checkSameCall returns the error if two ranks make different calls; got and own are their messages.
func (c *comm) checkSameCall(got, own []byte, source int, call collect.Call) error {
	if len(got) >= callBytes && string(got[:callBytes]) == string(own[:callBytes]) {
		return nil
	}
	if len(got) < callBytes {
		return &dist.PeerError{Rank: source, Err: fmt.Errorf("sent %d bytes, want the message of %v", len(got), call)}
	}
	other := collect.ReadCall(got)
	if err := other.Check(c.size); err != nil {
		return &dist.PeerError{Rank: source, Err: err}
	}
	return other.MismatchError(source, call, c.rank)
}

// transfers is the sends and receives of one phase of a collective, in the order in which they were added.
type transfers struct {
	head, last *op
	err        error
}

// add posts the transfer of buf, in several messages if it is too long for one.
func (b *transfers) add(c *comm, send bool, peer int, buf []byte) {
	for offset := 0; offset < len(buf) && b.err == nil; offset += chunkBytes {
		o := c.table.acquire()
		o.Message = pending.Message{Send: send, Peer: peer, Buf: buf[offset:min(offset+chunkBytes, len(buf))]}
		o.call = &c.collective.call
		if send {
			b.err = sendBytes(o.slot, collectives, peer, o.pin(), len(o.Buf))
		} else {
			b.err = receiveBytes(o.slot, collectives, peer, o.pin(), len(o.Buf))
		}
		if b.err != nil {
			b.err = &dist.PeerError{Rank: peer, Err: fmt.Errorf("%v: %w", o, b.err)}
			c.table.release(o)
			return
		}
		if b.last == nil {
			b.head = o
		} else {
			b.last.link(o)
		}
		b.last = o
	}
}

// wait completes the phase. On an error it ends the run before it releases memory that MPI may still use.
func (b *transfers) wait(ctx context.Context, c *comm) error {
	if b.err == nil && b.head != nil {
		b.err = c.await(ctx, b.head)
	}
	err := c.failOnError(b.err)
	c.releaseList(b.head)
	return err
}

func (c *comm) receiveAll(ctx context.Context, source int, buf []byte) error {
	var b transfers
	b.add(c, false, source, buf)
	return b.wait(ctx, c)
}
