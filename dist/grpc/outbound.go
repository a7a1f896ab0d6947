package grpc

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// outbound sends to a peer. Its writer, a goroutine, is started with the first frame. When the writer has nothing to
// do, and gRPC has no frames left to write, whoever queues a message sends it at once: that spares a change of
// goroutines.
type outbound struct {
	mu      sync.Mutex    // of all but unsent, and but stream and frame while they are being written
	queue   pending.Queue // messages of which nothing was sent
	offered pending.Queue // messages that wait for their acceptance
	granted pending.Queue // accepted messages
	replies []offerReply
	sent    uint64 // frames

	state    sendState
	frame    frame         // the one that is being written
	unsent   atomic.Int64  // bytes of frames that gRPC has not written yet
	stream   stream        // nil before it is open, unless the peer has opened one
	closing  bool          // the rank leaves: the writer ends when all is sent
	peerLeft bool          // the peer takes nothing any more
	wakeup   chan struct{} // tells the writer that there is something to do
	done     chan struct{} // closed when the writer has ended
}

// sendState says who may write to the stream. The goroutine that enters sendWriting, the writer or one that queues a
// message, has stream and frame to itself until it leaves that state, and does not hold mu meanwhile.
//
//	from         to           when
//	sendUnopened sendOpening  the first frame is queued, and the writer is started
//	sendOpening  sendIdle     the writer has a stream: its own, or one that the peer has opened
//	sendOpening  sendEnded    no stream could be opened
//	sendIdle     sendWriting  a frame is taken from the queues
//	sendWriting  sendIdle     gRPC has taken it
//	sendIdle     sendEnded    the rank leaves and nothing is queued, or the stream or the run has ended
//	sendWriting  sendEnding   the same, while another goroutine than the writer writes
//	sendEnding   sendEnded    gRPC has taken the frame of that goroutine
type sendState uint8

const (
	sendUnopened sendState = iota
	sendOpening
	sendIdle
	sendWriting
	sendEnding
	sendEnded
)

// offerReply is the answer to an offer of the peer.
type offerReply struct {
	kind kind
	id   uint64
}

// send queues o.
func (p *peer) send(o *pending.Op) {
	t := &p.tx
	t.mu.Lock()
	if t.peerLeft {
		t.mu.Unlock()
		o.Complete(leftError(p.rank, o))
		return
	}
	t.queue.Push(o)
	if t.state != sendIdle || t.unsent.Load() > 0 {
		p.wake()
		t.mu.Unlock()
		return
	}
	// A stream of which nothing waits to be written takes a frame of any length without blocking.
	t.sendNext(p.c.session)
	if t.pending() || t.closing || t.state != sendIdle {
		p.wake()
	}
	t.mu.Unlock()
}

// pending reports whether there is a frame to send. The caller holds mu.
func (t *outbound) pending() bool {
	return len(t.replies) > 0 || !t.queue.Empty() || !t.granted.Empty()
}

// queueReply queues the reply to an offer.
func (p *peer) queueReply(kind kind, id uint64) {
	t := &p.tx
	t.mu.Lock()
	t.replies = append(t.replies, offerReply{kind, id})
	p.wake()
	t.mu.Unlock()
}

// wake starts the writer, or has it look at the queues. The caller holds mu.
func (p *peer) wake() {
	t := &p.tx
	if t.state == sendUnopened {
		t.state = sendOpening
		p.c.tasks.Go(p.write)
		return
	}
	select {
	case t.wakeup <- struct{}{}:
	default:
	}
}

// adopt makes the stream that the peer has opened the one to write to, unless another is in use.
func (t *outbound) adopt(s stream) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state != sendUnopened || t.stream != nil {
		return false
	}
	t.stream = s
	return true
}

// release returns when nobody writes to the adopted stream any more: it ends with the call that serves it.
func (t *outbound) release(s stream) {
	t.mu.Lock()
	started := t.state != sendUnopened
	if !started {
		t.stream = nil
	}
	t.mu.Unlock()
	if started {
		<-t.done
	}
}

// write is the writer.
func (p *peer) write() {
	t := &p.tx
	defer close(t.done)
	t.mu.Lock()
	s := t.stream
	t.mu.Unlock()
	var err error
	if s == nil {
		s, err = p.open()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.state = sendEnded
		p.c.peerLost(p, err)
		return
	}
	t.stream, t.state = s, sendIdle
	for t.state == sendIdle && t.sendNext(p.c.session) || p.sleep(s) {
	}
	if t.state == sendWriting {
		t.state = sendEnding
	}
	for t.state == sendEnding { // soon over: it does not block
		t.mu.Unlock()
		<-t.wakeup
		t.mu.Lock()
	}
	t.state = sendEnded
}

// sendNext sends the next frame, and reports whether there was one and the stream has taken it. The caller has found
// sendIdle and holds mu, which is released while the frame is being written.
func (t *outbound) sendNext(session uint64) bool {
	if !t.next(&t.frame, session) {
		return false
	}
	t.state = sendWriting
	t.mu.Unlock()
	err := t.stream.SendMsg(&t.frame)
	t.mu.Lock()
	if t.state == sendEnding {
		t.state = sendEnded
	} else {
		t.state = sendIdle
	}
	return err == nil
}

// sleep has the writer wait for something to do. It returns false when there is nothing more to come. The caller holds
// mu, which is released meanwhile.
func (p *peer) sleep(s stream) bool {
	t := &p.tx
	if t.closing && t.state == sendIdle {
		return false
	}
	t.mu.Unlock()
	defer t.mu.Lock()
	select {
	case <-t.wakeup:
		return true
	case <-s.Context().Done():
	case <-p.c.stop:
	}
	return false
}

// next fills f with the next frame, and reports whether there is one. Replies come first, since the peer waits for
// them; chunks come last, so that small messages pass large ones. The caller holds mu; nobody is writing.
func (t *outbound) next(f *frame, session uint64) bool {
	f.header = header{session: session, seq: t.sent}
	if n := len(t.replies); n > 0 {
		f.kind, f.tag = t.replies[0].kind, t.replies[0].id
		copy(t.replies, t.replies[1:])
		t.replies = t.replies[:n-1]
		f.fill()
	} else if o := t.queue.Pop(); o != nil {
		f.tag, f.length = uint64(o.Tag), uint64(len(o.Buf))
		if len(o.Buf) <= chunkBytes {
			f.kind, f.body = eager, o.Buf
			f.fill()
			o.Complete(nil)
		} else {
			f.kind, o.ID = offer, t.sent
			f.fill()
			t.offered.Push(o)
		}
	} else if o := t.granted.Pop(); o != nil {
		n := min(len(o.Buf)-o.Sent, chunkBytes)
		f.kind, f.tag, f.length = chunk, o.ID, uint64(n)
		t.load(f, o, n)
	} else {
		return false
	}
	f.count(&t.unsent)
	t.sent++
	return true
}

// load makes the next n bytes of the long message o the body of f, and queues the rest. When there is none, o ends as
// soon as nothing reads its memory: it may be another message then.
func (t *outbound) load(f *frame, o *pending.Op, n int) {
	f.body = o.Buf[o.Sent : o.Sent+n]
	o.Sent += n
	last := o.Sent == len(o.Buf)
	if !last {
		t.granted.Push(o)
	}
	if n >= zeroCopyBytes {
		t.borrow(f, o)
		return
	}
	f.fill()
	if last && o.Borrowed == 0 {
		o.Complete(nil)
	}
}

// receiveReply takes the peer's answer to an offer.
func (p *peer) receiveReply(kind kind, id uint64) error {
	t := &p.tx
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.offered.MatchID(id)
	switch {
	case o == nil:
		if !t.peerLeft {
			return errors.New("answers an offer that was not made")
		}
	case kind == refuse: // the receiver has its error; as with a short message, the sender has none
		o.Complete(nil)
	default:
		t.granted.Push(o)
		p.wake()
	}
	return nil
}

// releaseTimeout is how long after the failure of the run sends wait for gRPC to release their memory. It does so soon,
// since the failure ends the streams, unless a peer does not read.
const releaseTimeout = 500 * time.Millisecond

// withdrawSend takes o back. When its receiver knows of it already, the message continues with a copy of the bytes. It
// returns true when nothing reads o's memory, and false when the run has failed and gRPC may still read a part of it.
func (p *peer) withdrawSend(o *pending.Op) bool {
	t := &p.tx
	t.mu.Lock()
	found := t.queue.Remove(o)
	for _, q := range []*pending.Queue{&t.offered, &t.granted} {
		if !found && q.Remove(o) {
			q.Push(o.Detach())
			o.Sent = len(o.Buf)
			found = true
		}
	}
	lent := o.Borrowed > 0
	t.mu.Unlock()
	if found && !lent || o.AwaitUnless(p.c.down) {
		return true
	}
	limit, stop := context.WithDeadline(context.Background(), p.c.failedAt.Add(releaseTimeout))
	defer stop()
	return o.AwaitUnless(limit.Done())
}

// endSends ends what can no longer be sent, since the peer has left.
func (p *peer) endSends() {
	t := &p.tx
	t.mu.Lock()
	defer t.mu.Unlock()
	t.peerLeft = true
	for _, q := range []*pending.Queue{&t.queue, &t.offered, &t.granted} {
		for o := q.Pop(); o != nil; o = q.Pop() {
			if err := leftError(p.rank, o); o.Borrowed > 0 {
				o.Sent, o.Err = len(o.Buf), err
			} else {
				o.Complete(err)
			}
		}
	}
}

// drain waits until everything was written that can be, and tells how many frames that was, and whether it was all. A
// writer may start yet, to answer the peer.
func (p *peer) drain(down, timeout <-chan struct{}) (sent uint64, all bool) {
	t := &p.tx
	t.mu.Lock()
	t.closing = true
	started, sent := t.state != sendUnopened, t.sent
	if started {
		p.wake()
	}
	t.mu.Unlock()
	if !started {
		return sent, true
	}
	select {
	case <-t.done:
		return t.sent, true
	case <-down:
	case <-timeout:
	}
	return 0, false
}
