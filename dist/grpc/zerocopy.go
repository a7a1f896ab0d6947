package grpc

import (
	"sync"
	"unsafe"

	"google.golang.org/grpc/mem"

	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// zeroCopyBytes is the smallest part of a long message that gRPC reads from the sender's memory without a copy.
// Messages that are sent eagerly are always copied: they are in cache, and their senders continue sooner.
const zeroCopyBytes = 16 << 10

// borrowedPart is a part of a message that gRPC reads from the memory of the sender. gRPC frees it when the part is
// on the wire; the send completes when gRPC has freed the last part.
type borrowedPart struct {
	bytes  []byte // first, so that its address is that of the borrowedPart
	both   [2]mem.Buffer
	op     *pending.Op
	sender *outbound
}

var borrowedParts = sync.Pool{New: func() any { return new(borrowedPart) }}

// borrow makes gRPC read the body of f, a part of o, in place, and fills only the header. The caller holds mu.
func (t *outbound) borrow(f *frame, o *pending.Op) {
	l := borrowedParts.Get().(*borrowedPart)
	l.bytes, l.op, l.sender = f.body, o, t
	f.body = nil
	f.fill()
	f.borrowed = l
	o.Borrowed++
	t.unsent.Add(int64(len(l.bytes)))
}

// buffers returns the header and the part as gRPC buffers.
func (l *borrowedPart) buffers(filled *[]byte) mem.BufferSlice {
	l.both = [2]mem.Buffer{mem.NewBuffer(filled, buffers), mem.NewBuffer(&l.bytes, borrowedPool{})}
	return l.both[:]
}

// borrowedPool is the pool to which gRPC returns borrowed parts.
type borrowedPool struct{}

// Get implements mem.BufferPool; gRPC does not call it.
func (borrowedPool) Get(n int) *[]byte { return buffers.Get(n) }

func (borrowedPool) Put(bytes *[]byte) {
	l := (*borrowedPart)(unsafe.Pointer(bytes))
	t, o := l.sender, l.op
	t.unsent.Add(-int64(len(l.bytes)))
	t.mu.Lock()
	o.Borrowed--
	if o.Borrowed == 0 && o.Sent == len(o.Buf) {
		o.Complete(o.Err)
	}
	t.mu.Unlock()
	l.bytes, l.op, l.sender = nil, nil, nil
	borrowedParts.Put(l)
}
