package grpc

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// outbound sends frames to a peer. Its writer, a goroutine, starts with the first frame. When the writer is idle
// and gRPC has no frames left to write, the goroutine that queues a message sends it directly, without switching to
// the writer.
type outbound struct {
	mu      sync.Mutex    // guards all fields but unsent, and but stream and frame in state sendWriting
	queue   pending.Queue // messages whose sending has not begun
	offered pending.Queue // messages that wait for the reply to their offer
	granted pending.Queue // accepted messages
	replies []offerReply
	sent    uint64 // number of frames

	state    sendState
	frame    frame         // the current frame
	unsent   atomic.Int64  // bytes of frames that gRPC has not written yet
	stream   stream        // nil before it is open, unless the peer has opened one
	closing  bool          // the rank leaves: the writer ends when everything is sent
	peerLeft bool          // the peer receives nothing any more
	wakeup   chan struct{} // signals the writer that the queues or the state have changed
	done     chan struct{} // closed when the writer has ended
}

// sendState says who may write to the stream. The goroutine that enters sendWriting, the writer or one that queues
// a message, has exclusive access to stream and frame until it leaves that state, without holding mu.
//
//	from         to           when
//	sendUnopened sendOpening  the first frame is queued, and the writer is started
//	sendOpening  sendIdle     the writer has a stream: its own, or one that the peer has opened
//	sendOpening  sendEnded    no stream could be opened
//	sendIdle     sendWriting  a frame is removed from the queues
//	sendWriting  sendIdle     gRPC has accepted the frame
//	sendIdle     sendEnded    the rank leaves and nothing is queued, or the stream or the run has ended
//	sendWriting  sendEnding   the same, while another goroutine than the writer writes
//	sendEnding   sendEnded    gRPC has accepted the frame of that goroutine
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
	// A stream without unwritten data accepts a frame of any length without blocking.
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

// wake starts the writer, or signals it to check the queues. The caller holds mu.
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

// adopt makes the stream that the peer has opened the one for sending, unless another is in use, and reports
// whether it did.
func (t *outbound) adopt(s stream) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state != sendUnopened || t.stream != nil {
		return false
	}
	t.stream = s
	return true
}

// release returns when the adopted stream is no longer written to: the stream ends with the call that serves it.
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

// write is the writer goroutine.
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
	for t.state == sendEnding { // short: the other goroutine does not block
		t.mu.Unlock()
		<-t.wakeup
		t.mu.Lock()
	}
	t.state = sendEnded
}

// sendNext sends the next frame, and reports whether there was one and the stream has accepted it. The state must
// be sendIdle. The caller holds mu, which is released while the frame is written.
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

// sleep blocks the writer until it is woken. It returns false when the writer must end. The caller holds mu, which
// is released meanwhile.
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
// them; chunks come last, so that small messages overtake large ones. The caller holds mu, and the state is not
// sendWriting.
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

// load makes the next n bytes of the long message o the body of f, and queues the rest. After the last bytes, o
// completes as soon as gRPC does not read its memory, and must not be accessed any more, since it may be reused.
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

// receiveReply handles the peer's reply to an offer.
func (p *peer) receiveReply(kind kind, id uint64) error {
	t := &p.tx
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.offered.MatchID(id)
	switch {
	case o == nil:
		if !t.peerLeft {
			return errors.New("replies to an offer that was not made")
		}
	case kind == refuse: // an error of the receiver only, as with a short message
		o.Complete(nil)
	default:
		t.granted.Push(o)
		p.wake()
	}
	return nil
}

// releaseTimeout is how long sends wait for gRPC to release their memory after the run has failed. The failure ends
// the streams, so that gRPC releases it soon unless a peer does not read.
const releaseTimeout = 500 * time.Millisecond

// withdrawSend cancels o. If it was already offered to its receiver, the message is sent from a copy of the bytes.
// It returns true when gRPC does not read o's memory, and false if the run has failed and gRPC may still read a
// part of it.
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
	borrowed := o.Borrowed > 0
	t.mu.Unlock()
	if found && !borrowed || o.AwaitUnless(p.c.down) {
		return true
	}
	limit, stop := context.WithDeadline(context.Background(), p.c.failedAt.Add(releaseTimeout))
	defer stop()
	return o.AwaitUnless(limit.Done())
}

// endSends ends pending sends with an error, since the peer has left.
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

// drain waits until all queued frames are written, and returns the number of frames sent. drained is false if the
// run failed or the timeout passed. The writer may still start later, to reply to the peer.
func (p *peer) drain(down, timeout <-chan struct{}) (sent uint64, drained bool) {
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
