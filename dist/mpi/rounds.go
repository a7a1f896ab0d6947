//go:build mpi && cgo

package mpi

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// The message of a round says in its first callBytes which collective it belongs to. What the ranks combine follows,
// if it fits; otherwise it travels alone once all agree.
const (
	callBytes   = 16
	inlineBytes = stageBytes - callBytes
	pieceBytes  = 1 << 30 // of what is longer than MPI allows
	keepBytes   = 1 << 20 // the most memory that stays with a communicator
)

// roundState is what collectives use again and again.
type roundState struct {
	steps   []step
	in, out op
	call    collect.Call // the one at hand
	scratch []byte       // another rank's operand, when it is long
}

func (r *roundState) open(e engine, rank, size int) {
	r.steps = doubling(rank, size)
	r.in = op{slot: e.newSlot(), call: &r.call}
	r.out = op{slot: e.newSlot(), call: &r.call}
	r.out.Send = true
}

func (r *roundState) release() {
	freeSlot(r.in.slot)
	freeSlot(r.out.slot)
}

// enter checks the arguments of a collective, before any other rank hears of it.
func (c *comm) enter(ctx context.Context, call collect.Call) error {
	if err := c.check(ctx, c.rank, 0, 0); err != nil {
		return err
	}
	if err := call.Check(c.size); err != nil {
		return err
	}
	c.rounds.call = call
	c.table.flush()
	return nil
}

// conclude ends the run for all when a collective has failed on this rank: the others would wait for it.
func (c *comm) conclude(err error) error {
	if err != nil {
		c.fail(err)
	}
	return err
}

// agree replaces data on every rank by the combination of all, after the ranks have found that they make the same
// call.
func (c *comm) agree(ctx context.Context, call collect.Call, data []byte) error {
	call.Prepare(data)
	if len(data) <= inlineBytes {
		return c.double(ctx, call, data)
	}
	if err := c.double(ctx, call, nil); err != nil {
		return err
	}
	return c.doubleLong(ctx, call, data)
}

func (c *comm) double(ctx context.Context, call collect.Call, data []byte) error {
	r := &c.rounds
	in, out := staged(r.in.slot), staged(r.out.slot)
	putCall(out, call)
	for _, s := range r.steps {
		copy(out[callBytes:], data)
		r.in.Peer, r.out.Peer = s.from, s.to
		first, err := trade(r.in.slot, s.from, r.out.slot, s.to, callBytes+len(data))
		if err != nil {
			return &dist.PeerError{Rank: max(s.from, s.to), Err: fmt.Errorf("%v: %w", call, err)}
		}
		if first != nil {
			head := &r.in
			if head.next = &r.out; s.from < 0 {
				head = &r.out
			}
			if err := c.follow(ctx, head, first); err != nil {
				return err
			}
		}
		if s.from < 0 {
			continue
		}
		got := in[:r.in.slot.got]
		if err := c.differs(got, out, s.from, call); err != nil {
			return err
		}
		if len(got) != callBytes+len(data) {
			return &dist.PeerError{Rank: s.from, Err: fmt.Errorf("brings %d bytes to %v, %d are expected",
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

// doubleLong is double for data that are longer than a slot's memory, between ranks that have agreed.
func (c *comm) doubleLong(ctx context.Context, call collect.Call, data []byte) error {
	r := &c.rounds
	if cap(r.scratch) < len(data) {
		r.scratch = make([]byte, len(data))
	}
	theirs := r.scratch[:len(data)]
	if cap(r.scratch) > keepBytes {
		r.scratch = nil
	}
	for _, s := range r.steps {
		var b batch
		if s.from >= 0 {
			b.add(c, false, s.from, theirs)
		}
		if s.to >= 0 {
			b.add(c, true, s.to, data)
		}
		if err := b.wait(ctx, c); err != nil {
			return err
		}
		switch {
		case s.final:
			copy(data, theirs)
		case s.from >= 0:
			call.Combine(data, theirs)
		}
	}
	return nil
}

func putCall(b []byte, call collect.Call) {
	clear(b[:callBytes])
	b[0], b[1] = byte(call.Kind), byte(call.Op)
	binary.LittleEndian.PutUint32(b[4:], uint32(call.Root))
	binary.LittleEndian.PutUint64(b[8:], uint64(call.Len))
}

func getCall(b []byte) collect.Call {
	return collect.Call{
		Kind: collect.Kind(b[0]), Op: dist.Op(b[1]),
		Root: int(binary.LittleEndian.Uint32(b[4:])), Len: int(binary.LittleEndian.Uint64(b[8:])),
	}
}

// differs is the error of two ranks that make different calls; got and own are their messages.
func (c *comm) differs(got, own []byte, from int, call collect.Call) error {
	if len(got) >= callBytes && string(got[:callBytes]) == string(own[:callBytes]) {
		return nil
	}
	if len(got) < callBytes {
		return &dist.PeerError{Rank: from, Err: fmt.Errorf("sent %d bytes where %v is expected", len(got), call)}
	}
	theirs := getCall(got)
	if err := theirs.Check(c.size); err != nil {
		return &dist.PeerError{Rank: from, Err: err}
	}
	return theirs.Differs(from, call, c.rank)
}

// batch is the sends and receives of one phase of a collective, in the order in which they were added.
type batch struct {
	head, last *op
	err        error
}

// add posts the bytes in as many pieces as MPI needs.
func (b *batch) add(c *comm, send bool, peer int, buf []byte) {
	for at := 0; at < len(buf) && b.err == nil; at += pieceBytes {
		o := c.table.take()
		o.Message = pending.Message{Send: send, Peer: peer, Buf: buf[at:min(at+pieceBytes, len(buf))]}
		o.call = &c.rounds.call
		if send {
			b.err = sendBytes(o.slot, rounds, peer, o.pin(), len(o.Buf))
		} else {
			b.err = receiveBytes(o.slot, rounds, peer, o.pin(), len(o.Buf))
		}
		if b.err != nil {
			b.err = &dist.PeerError{Rank: peer, Err: fmt.Errorf("%v: %w", o, b.err)}
			c.table.give(o)
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

// wait ends the phase. An error ends the run before memory is given up that MPI may still use.
func (b *batch) wait(ctx context.Context, c *comm) error {
	if b.err == nil && b.head != nil {
		b.err = c.await(ctx, b.head)
	}
	err := c.conclude(b.err)
	c.endChain(b.head)
	return err
}

func (c *comm) receiveAll(ctx context.Context, from int, buf []byte) error {
	var b batch
	b.add(c, false, from, buf)
	return b.wait(ctx, c)
}
