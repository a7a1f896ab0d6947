// Package pending holds the posted sends and receives of a communicator. A Table maps requests to operations (Op)
// and waits for them; a transport keeps them in Queues until they complete. The transports local and grpc share it.
package pending

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/atoll-hpc/atoll/dist"
)

// Op is a posted send or receive. Its transport moves it between queues; only Table recycles it.
type Op struct {
	Message
	Sent int    // bytes of Buf already sent
	ID   uint64 // for the transport's own use

	// A transport that does not copy counts in Borrowed the parts of Buf that are still read, and completes the
	// operation with Err when the count is 0.
	Borrowed int
	Err      error

	done  chan error // receives once for each use of the Op
	req   dist.Request
	next  *Op
	queue *Queue
}

// Complete ends the operation. It must be called once for each Op that Table.Post returned, unless the Op was
// withdrawn. After it, o may be reused for another operation, and must not be accessed.
func (o *Op) Complete(err error) {
	if o.done != nil {
		o.done <- err
	}
}

// Detach returns a copy of o with its own memory, whose completion has no effect. The transport continues with the
// copy when o ends before its message is sent.
func (o *Op) Detach() *Op {
	d := &Op{Message: o.Message, Sent: o.Sent, ID: o.ID}
	d.Buf = bytes.Clone(o.Buf)
	return d
}

// Await blocks until Complete is called.
func (o *Op) Await() { <-o.done }

// AwaitUnless is Await, but also returns when down is closed. It reports whether Complete was called; if not, it
// may be called later.
func (o *Op) AwaitUnless(down <-chan struct{}) bool {
	select {
	case <-o.done:
		return true
	case <-down:
		return false
	}
}

// Table holds the operations of one rank. It allocates only when the number of pending ones reaches a new maximum.
type Table struct {
	mu   sync.Mutex
	ops  []*Op
	free []*Op
}

// The low half of a Request is the index in the table plus one, the high half counts the uses of that index.
const indexBits = 32

// Post returns a new operation and its request.
func (t *Table) Post(m Message) (*Op, dist.Request) {
	t.mu.Lock()
	var o *Op
	if n := len(t.free); n > 0 {
		o, t.free = t.free[n-1], t.free[:n-1]
	} else {
		t.ops = append(t.ops, nil)
		o = &Op{done: make(chan error, 1), req: dist.Request(len(t.ops))}
	}
	o.Message, o.Sent, o.ID, o.Borrowed, o.Err = m, 0, 0, 0, nil
	t.ops[o.req&(1<<indexBits-1)-1] = o
	t.mu.Unlock()
	return o, o.req
}

// claim removes the operation from the table, so that no other call waits for it.
func (t *Table) claim(req dist.Request) *Op {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := uint64(req)&(1<<indexBits-1) - 1
	if i >= uint64(len(t.ops)) || t.ops[i] == nil || t.ops[i].req != req {
		return nil
	}
	o := t.ops[i]
	t.ops[i] = nil
	return o
}

func (t *Table) recycle(o *Op) {
	t.mu.Lock()
	o.Message = Message{}
	o.req += 1 << indexBits
	t.free = append(t.free, o)
	t.mu.Unlock()
}

// ErrRequest is the error for a request that was waited for twice, or belongs to another communicator.
var ErrRequest = errors.New("dist: no such request is pending: each may be waited for once, on the Comm that made it")

// Owner is the communicator whose operations a Table holds.
type Owner interface {
	// Cause returns the error for which the run has failed.
	Cause() error
	// Withdraw cancels an operation, and reports whether it may be reused: then the transport no longer accesses
	// it, and Withdraw has received its completion if there was one.
	Withdraw(*Op) bool
}

// Wait waits for all requests. At the first failure, at the end of ctx, or when down is closed because the run has
// failed, it cancels the remaining ones.
func (t *Table) Wait(ctx context.Context, reqs []dist.Request, down <-chan struct{}, owner Owner) error {
	var first error
	for _, req := range reqs {
		o := t.claim(req)
		if o == nil {
			if first == nil {
				first = ErrRequest
			}
			continue
		}
		ended := false
		if first == nil {
			first, ended = o.wait(ctx, down, owner)
		}
		if ended || owner.Withdraw(o) {
			t.recycle(o)
		}
	}
	return first
}

func (o *Op) wait(ctx context.Context, down <-chan struct{}, owner Owner) (err error, ended bool) {
	select {
	case err := <-o.done:
		return err, true
	default:
	}
	select {
	case err := <-o.done:
		return err, true
	case <-ctx.Done():
	case <-down:
	}
	select {
	case <-down: // the failure may be why ctx has ended
		return owner.Cause(), false
	default:
		return &dist.PeerError{Rank: o.Peer, Err: fmt.Errorf("%v: %w", o, context.Cause(ctx))}, false
	}
}

// Check returns an error for invalid arguments of a send or receive.
func Check(ctx context.Context, size, peer, tag int) error {
	if err := ctx.Err(); err != nil {
		return &dist.PeerError{Rank: peer, Err: context.Cause(ctx)}
	}
	if peer < 0 || peer >= size {
		return fmt.Errorf("dist: rank %d does not exist among %d ranks", peer, size)
	}
	if tag < 0 {
		return fmt.Errorf("dist: tag %d is negative", tag)
	}
	return nil
}
