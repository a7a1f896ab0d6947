package grpc

import (
	"sync"
	"unsafe"

	"google.golang.org/grpc/mem"

	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// lendBytes is the length from which a part of a long message is not copied, but lent to gRPC. Messages that are sent
// at once are copied: they are in cache, and their senders go on sooner.
const lendBytes = 16 << 10

// loan is a part of a message that gRPC reads from the memory of the sender, whose operation ends when the last part
// has returned: gRPC frees it when it is on the wire.
type loan struct {
	bytes []byte // first, so that its address is the loan's
	both  [2]mem.Buffer
	op    *pending.Op
	by    *outbound
}

var loans = sync.Pool{New: func() any { return new(loan) }}

// lend gives the body of f, which is a part of o, as it is, and fills the header alone. The caller holds mu.
func (t *outbound) lend(f *frame, o *pending.Op) {
	l := loans.Get().(*loan)
	l.bytes, l.op, l.by = f.body, o, t
	f.body = nil
	f.fill()
	f.lent = l
	o.Lent++
	t.unsent.Add(int64(len(l.bytes)))
}

// buffers returns the frame as gRPC takes it.
func (l *loan) buffers(filled *[]byte) mem.BufferSlice {
	l.both = [2]mem.Buffer{mem.NewBuffer(filled, buffers), mem.NewBuffer(&l.bytes, lender{})}
	return l.both[:]
}

// lender is the pool to which gRPC returns loans.
type lender struct{}

// Get serves the interface; nobody asks a lender for memory.
func (lender) Get(n int) *[]byte { return buffers.Get(n) }

func (lender) Put(bytes *[]byte) {
	l := (*loan)(unsafe.Pointer(bytes))
	t, o := l.by, l.op
	t.unsent.Add(-int64(len(l.bytes)))
	t.mu.Lock()
	o.Lent--
	if o.Lent == 0 && o.Sent == len(o.Buf) {
		o.Complete(o.Err)
	}
	t.mu.Unlock()
	l.bytes, l.op, l.by = nil, nil, nil
	loans.Put(l)
}
