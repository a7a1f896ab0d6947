package grpc

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// inbox matches the messages of a peer with receives.
type inbox struct {
	mu              sync.Mutex
	posted          pending.Queue       // receives that wait for their message
	unexpected      []unexpectedMessage // messages that wait for their receive, in order
	unexpectedBytes int                 // bytes of unexpected messages
	incoming        []incomingMessage   // accepted messages whose chunks are incomplete
	frames          uint64              // number of frames received
	peerLeft        bool                // the peer sends no more than lastFrame frames
	lastFrame       uint64
}

// unexpectedMessage is a message whose receive is not posted yet.
type unexpectedMessage struct {
	tag    int
	length int
	data   *[]byte // nil for an offer
	id     uint64  // of an offer
}

// incomingMessage is an accepted message whose chunks are arriving.
type incomingMessage struct {
	id        uint64
	op        *pending.Op // nil if it was cancelled
	buf       []byte      // the part of op.Buf for the remaining bytes
	remaining int         // bytes
}

// unexpectedOverhead is added to the bytes of each unexpected message, so that the number of empty ones is bounded
// too.
const unexpectedOverhead = 64

// countFrame checks the sequence number of a reply to an offer, which does not concern receives. It may be the last
// frame of a peer that has left.
func (p *peer) countFrame(h *header) error {
	b := &p.rx
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.endIfLeft(p.rank)
	return checkSequence(h, p.c.session, &b.frames)
}

// receive matches o with an unexpected message or posts it.
func (p *peer) receive(o *pending.Op) {
	b := &p.rx
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.unexpected, func(e unexpectedMessage) bool { return e.tag == o.Tag })
	if i < 0 {
		if b.peerLeft && b.frames >= b.lastFrame {
			o.Complete(leftError(p.rank, o))
			return
		}
		b.posted.Push(o)
		return
	}
	e := b.unexpected[i]
	b.unexpected = slices.Delete(b.unexpected, i, i+1)
	b.unexpectedBytes -= unexpectedOverhead
	if e.data == nil {
		p.replyToOffer(o, e.id, e.length)
		return
	}
	b.unexpectedBytes -= e.length
	buf, err := o.Accept(e.length)
	copy(buf, *e.data)
	buffers.Put(e.data)
	o.Complete(err)
}

// receiveEager handles a whole message. The caller holds rx.mu.
func (p *peer) receiveEager(h *header, body *body) error {
	b, n := &p.rx, body.remaining
	if uint64(n) != h.length || int(h.tag) < 0 {
		return fmt.Errorf("%d bytes of a message of %d bytes with tag %d", n, h.length, int(h.tag))
	}
	o := b.posted.Match(int(h.tag))
	if o == nil {
		if b.unexpectedBytes += n + unexpectedOverhead; b.unexpectedBytes > p.c.cfg.UnexpectedLimit {
			return fmt.Errorf("has sent more than %d bytes of messages whose receives are not posted", p.c.cfg.UnexpectedLimit)
		}
		data := buffers.Get(n)
		body.read(*data)
		b.unexpected = append(b.unexpected, unexpectedMessage{tag: int(h.tag), length: n, data: data})
		return nil
	}
	buf, err := o.Accept(n)
	if err == nil {
		body.read(buf)
	}
	o.Complete(err)
	return nil
}

// receiveOffer handles the announcement of a message. The caller holds rx.mu.
func (p *peer) receiveOffer(h *header) error {
	b := &p.rx
	if int(h.length) <= chunkBytes || int(h.tag) < 0 {
		return fmt.Errorf("the offer of %d bytes with tag %d", h.length, int(h.tag))
	}
	tag, id := int(h.tag), h.seq
	if o := b.posted.Match(tag); o != nil {
		p.replyToOffer(o, id, int(h.length))
		return nil
	}
	if b.unexpectedBytes += unexpectedOverhead; b.unexpectedBytes > p.c.cfg.UnexpectedLimit {
		return errors.New("has offered too many messages whose receives are not posted")
	}
	b.unexpected = append(b.unexpected, unexpectedMessage{tag: tag, length: int(h.length), id: id})
	return nil
}

// replyToOffer accepts an offer for the receive o, or refuses it if o does not accept that length. The caller holds
// rx.mu.
func (p *peer) replyToOffer(o *pending.Op, id uint64, length int) {
	buf, err := o.Accept(length)
	if err != nil {
		o.Complete(err)
		p.queueReply(refuse, id)
		return
	}
	p.rx.incoming = append(p.rx.incoming, incomingMessage{id, o, buf, length})
	p.queueReply(accept, id)
}

// receiveChunk handles the next bytes of an accepted message. The caller holds rx.mu.
func (p *peer) receiveChunk(h *header, body *body) error {
	b, n := &p.rx, body.remaining
	i := slices.IndexFunc(b.incoming, func(l incomingMessage) bool { return l.id == h.tag })
	if i < 0 || n == 0 || n > b.incoming[i].remaining {
		return fmt.Errorf("%d bytes of message %d, which was not accepted", n, h.tag)
	}
	l := &b.incoming[i]
	if l.op != nil {
		body.read(l.buf[:n])
		l.buf = l.buf[n:]
	}
	if l.remaining -= n; l.remaining == 0 {
		if l.op != nil {
			l.op.Complete(nil)
		}
		b.incoming = slices.Delete(b.incoming, i, i+1)
	}
	return nil
}

// endIfLeft ends pending receives once the peer has left and all of its frames have arrived. The caller holds mu.
func (b *inbox) endIfLeft(rank int) {
	if !b.peerLeft || b.frames < b.lastFrame {
		return
	}
	for o := b.posted.Pop(); o != nil; o = b.posted.Pop() {
		o.Complete(leftError(rank, o))
	}
	for _, l := range b.incoming {
		if l.op != nil {
			l.op.Complete(leftError(rank, l.op))
		}
	}
	b.incoming = b.incoming[:0]
	// Offers can no longer be fulfilled.
	b.unexpected = slices.DeleteFunc(b.unexpected, func(e unexpectedMessage) bool { return e.data == nil })
}

// withdrawReceive cancels o. A message that was already accepted still arrives, and is discarded.
func (p *peer) withdrawReceive(o *pending.Op) {
	b := &p.rx
	b.mu.Lock()
	found := b.posted.Remove(o)
	for i := range b.incoming {
		if b.incoming[i].op == o {
			b.incoming[i].op, b.incoming[i].buf, found = nil, nil, true
		}
	}
	b.mu.Unlock()
	if !found {
		o.Await()
	}
}

// sendToSelf delivers a message to this rank itself, without a stream.
func (p *peer) sendToSelf(o *pending.Op) {
	b := &p.rx
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.posted.Match(o.Tag); r == nil {
		data := buffers.Get(len(o.Buf))
		copy(*data, o.Buf)
		b.unexpectedBytes += len(o.Buf) + unexpectedOverhead
		b.unexpected = append(b.unexpected, unexpectedMessage{tag: o.Tag, length: len(o.Buf), data: data})
	} else {
		buf, err := r.Accept(len(o.Buf))
		copy(buf, o.Buf)
		r.Complete(err)
	}
	o.Complete(nil)
}
