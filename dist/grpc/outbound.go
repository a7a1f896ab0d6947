package grpc

import (
	"errors"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// outbound sends to a peer. One goroutine writes; it is started with the first frame.
type outbound struct {
	mu      sync.Mutex
	queue   pending.Queue // messages of which nothing was sent
	offered pending.Queue // messages that wait for their acceptance
	granted pending.Queue // accepted messages
	replies []replied
	sent    uint64 // frames

	started bool
	stream  stream // nil before the first frame, unless the peer has opened one
	closing bool
	left    bool          // the peer takes nothing any more
	kick    chan struct{} // tells the writer that there is something to do
	done    chan struct{} // closed when the writer has ended
}

// replied is the answer to an offer of the peer.
type replied struct {
	kind kind
	id   uint64
}

// send queues o.
func (p *peer) send(o *pending.Op) {
	t := &p.tx
	t.mu.Lock()
	if t.left {
		t.mu.Unlock()
		o.Complete(gone(p.rank, o))
		return
	}
	t.queue.Push(o)
	p.wake()
	t.mu.Unlock()
}

// answerOffer queues the reply to an offer.
func (p *peer) answerOffer(kind kind, id uint64) {
	t := &p.tx
	t.mu.Lock()
	t.replies = append(t.replies, replied{kind, id})
	p.wake()
	t.mu.Unlock()
}

// wake makes the writer look. The caller holds tx.
func (p *peer) wake() {
	t := &p.tx
	if !t.started {
		t.started = true
		p.c.tasks.Go(p.write)
		return
	}
	select {
	case t.kick <- struct{}{}:
	default:
	}
}

// adopt makes the stream that the peer has opened the one to write to, unless another is in use.
func (t *outbound) adopt(s stream) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.started || t.stream != nil {
		return false
	}
	t.stream = s
	return true
}

// release returns when nobody writes to the adopted stream any more.
func (t *outbound) release(s stream) {
	t.mu.Lock()
	started := t.started
	if !started {
		t.stream = nil
	}
	t.mu.Unlock()
	if started {
		<-t.done
	}
}

func (p *peer) write() {
	t := &p.tx
	defer close(t.done)
	t.mu.Lock()
	s := t.stream
	t.mu.Unlock()
	if s == nil {
		var err error
		if s, err = p.open(); err != nil {
			p.c.lose(p)
			return
		}
	}
	f := new(frame)
	for {
		t.mu.Lock()
		more := t.next(f, p.c.epoch)
		idle := !more && t.closing
		t.mu.Unlock()
		switch {
		case more:
			if s.SendMsg(f) != nil {
				return // the reader of the stream tells
			}
			continue
		case idle:
			return
		}
		select {
		case <-t.kick:
		case <-s.Context().Done():
			return
		case <-p.c.stop:
			return
		}
	}
}

// next fills f with the next frame, and tells whether there is one. Replies come first, since the peer waits for
// them; chunks come last, so that small messages pass large ones. The caller holds tx.
func (t *outbound) next(f *frame, epoch uint64) bool {
	f.header = header{epoch: epoch, seq: t.sent}
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
		f.kind, f.tag, f.length, f.body = chunk, o.ID, uint64(n), o.Buf[o.Sent:o.Sent+n]
		f.fill()
		if o.Sent += n; o.Sent == len(o.Buf) {
			o.Complete(nil)
		} else {
			t.granted.Push(o)
		}
	} else {
		return false
	}
	t.sent++
	return true
}

// replied takes the peer's answer to an offer.
func (p *peer) replied(kind kind, id uint64) error {
	t := &p.tx
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.offered.MatchID(id)
	switch {
	case o == nil:
		if !t.left {
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

// withdrawSend takes o back. When its receiver knows of it already, the message goes on with a copy of the bytes.
func (p *peer) withdrawSend(o *pending.Op) {
	t := &p.tx
	t.mu.Lock()
	found := t.queue.Remove(o)
	for _, q := range []*pending.Queue{&t.offered, &t.granted} {
		if !found && q.Remove(o) {
			q.Push(o.Detach())
			found = true
		}
	}
	t.mu.Unlock()
	if !found {
		o.Await()
	}
}

// endSends ends what can no longer be sent, since the peer has left.
func (p *peer) endSends() {
	t := &p.tx
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left = true
	for _, q := range []*pending.Queue{&t.queue, &t.offered, &t.granted} {
		for o := q.Pop(); o != nil; o = q.Pop() {
			o.Complete(gone(p.rank, o))
		}
	}
}

// drain waits until everything was written that can be, and tells whether it was.
func (p *peer) drain(down <-chan struct{}, timeout <-chan time.Time) bool {
	t := &p.tx
	t.mu.Lock()
	t.closing = true
	started := t.started
	if started {
		p.wake()
	}
	t.mu.Unlock()
	if !started {
		return true
	}
	select {
	case <-t.done:
		return true
	case <-down:
	case <-timeout:
	}
	return false
}
