//go:build mpi && cgo

package mpi

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// op is a posted send or receive.
type op struct {
	pending.Message
	slot   *slot
	next   *op // in the list that one call waits for
	req    dist.Request
	call   *collect.Call // the collective that the op belongs to, nil for Isend and Irecv
	pins   runtime.Pinner
	pinned bool
}

// collective reports whether the op belongs to a collective call.
func (o *op) collective() bool { return o.call != nil }

// String describes the operation, for error messages.
func (o *op) String() string {
	if o.collective() {
		return o.call.String()
	}
	return o.Message.String()
}

// failure returns the error of a failed op.
func (o *op) failure() error {
	if o.slot.error == 0 {
		_, err := o.Accept(int(o.slot.got))
		return err
	}
	return &dist.PeerError{Rank: o.Peer, Err: fmt.Errorf("%v: %w", o, mpiError("MPI_Test", o.slot.error))}
}

// pin returns the memory of the op's buffer, which MPI may use until unpin.
func (o *op) pin() unsafe.Pointer {
	p := unsafe.Pointer(unsafe.SliceData(o.Buf))
	o.pins.Pin(p)
	o.pinned = true
	return p
}

// table holds the ops of one rank. It allocates only when the number of pending ones reaches a new maximum.
type table struct {
	engine engine

	mu   sync.Mutex
	ops  []*op // pending, by index; nil when free or claimed
	free []*op

	// The receives from queue to last are not posted yet. They are posted together with the next send, or when a call
	// begins to wait, since a call from Go to C takes as long as posting a short message. The lock is held meanwhile, so
	// that receives are posted in order.
	queue, last *slot
}

// The low half of a Request is the index in the table plus one, the high half counts the uses of that index.
const indexBits = 32

// acquire returns an unused op, and registers it.
func (t *table) acquire() *op {
	t.mu.Lock()
	o := t.acquireLocked()
	t.mu.Unlock()
	return o
}

func (t *table) acquireLocked() *op {
	var o *op
	if n := len(t.free); n > 0 {
		o, t.free = t.free[n-1], t.free[:n-1]
	} else {
		t.ops = append(t.ops, nil)
		o = &op{slot: t.engine.newSlot(), req: dist.Request(len(t.ops))}
	}
	t.ops[index(o.req)] = o
	return o
}

// enqueue queues a receive for posting. The caller holds the lock.
func (t *table) enqueue(s *slot) {
	if t.queue == nil {
		t.queue = s
	} else {
		link(t.last, s)
	}
	t.last = s
}

// flush posts the queued receives.
func (t *table) flush() {
	t.mu.Lock()
	t.flushLocked()
	t.mu.Unlock()
}

func (t *table) flushLocked() {
	if t.queue != nil {
		postQueue(t.queue)
		t.queue, t.last = nil, nil
	}
}

func index(req dist.Request) uint64 { return uint64(req)&(1<<indexBits-1) - 1 }

// claim removes the ops of reqs from the table, so that no other call waits for them, and returns them as a list in the
// same order. It posts all queued receives.
func (t *table) claim(reqs []dist.Request) (head *op, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flushLocked()
	var last *op
	for _, req := range reqs {
		i := index(req)
		if i >= uint64(len(t.ops)) || t.ops[i] == nil || t.ops[i].req != req {
			err = pending.ErrRequest
			continue
		}
		o := t.ops[i]
		t.ops[i] = nil
		if last == nil {
			head = o
		} else {
			last.link(o)
		}
		last = o
	}
	return head, err
}

func (o *op) link(next *op) {
	o.next = next
	link(o.slot, next.slot)
}

// release makes an op available for reuse. MPI must not use its memory any more.
func (t *table) release(o *op) {
	o.next = nil
	t.releaseAll(o)
}

// releaseAll releases a list of ops.
func (t *table) releaseAll(o *op) {
	t.mu.Lock()
	for o != nil {
		next := o.next
		t.releaseLocked(o)
		o = next
	}
	t.mu.Unlock()
}

func (t *table) releaseLocked(o *op) {
	if o.pinned {
		o.pins.Unpin()
		o.pinned = false
	}
	t.ops[index(o.req)] = nil
	o.req += 1 << indexBits
	t.free = append(t.free, o)
	o.Message, o.next, o.call = pending.Message{}, nil, nil
}

// freeSlots frees the C memory of unused ops, and reports whether all ops are unused: an op that no call has waited for
// keeps its memory.
func (t *table) freeSlots() bool {
	for _, o := range t.free {
		freeSlot(o.slot)
	}
	t.free = nil
	return !slices.ContainsFunc(t.ops, func(o *op) bool { return o != nil })
}
