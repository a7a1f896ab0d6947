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
	mu      sync.Mutex
	posted  pending.Queue // receives that wait for their message
	early   []early       // messages that wait for their receive, in order
	held    int           // bytes of early messages
	landing []landing     // accepted messages of which chunks are still to come
	frames  uint64        // that have come
	left    bool          // the peer sends nothing after frame number last
	last    uint64
}

// early is a message whose receive is not posted yet.
type early struct {
	tag    int
	length int
	data   *[]byte // nil for an offer
	id     uint64  // of an offer
}

// landing is an accepted message.
type landing struct {
	id   uint64
	op   *pending.Op // nil when nobody waits for it any more
	buf  []byte      // of op, for the bytes to come
	left int         // of these
}

// earlyCost is what an early message counts besides its bytes, so that empty ones are bounded too.
const earlyCost = 64

// count checks the place of a frame that concerns sends only. It may be the last that a peer has sent which has left.
func (p *peer) count(h *header) error {
	b := &p.rx
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.endIfLeft(p.rank)
	return sequence(h, p.c.session, &b.frames)
}

// receive matches o with an early message or posts it.
func (p *peer) receive(o *pending.Op) {
	b := &p.rx
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.early, func(e early) bool { return e.tag == o.Tag })
	if i < 0 {
		if b.left && b.frames >= b.last {
			o.Complete(gone(p.rank, o))
			return
		}
		b.posted.Push(o)
		return
	}
	e := b.early[i]
	b.early = slices.Delete(b.early, i, i+1)
	b.held -= earlyCost
	if e.data == nil {
		p.reply(o, e.id, e.length)
		return
	}
	b.held -= e.length
	buf, err := o.Accept(e.length)
	copy(buf, *e.data)
	buffers.Put(e.data)
	o.Complete(err)
}

// arrived takes a whole message. The caller holds rx.
func (p *peer) arrived(h *header, body *body) error {
	b, n := &p.rx, body.left
	if uint64(n) != h.length || int(h.tag) < 0 {
		return fmt.Errorf("%d bytes of a message of %d bytes with tag %d", n, h.length, int(h.tag))
	}
	o := b.posted.Match(int(h.tag))
	if o == nil {
		if b.held += n + earlyCost; b.held > p.c.cfg.Early {
			return fmt.Errorf("has sent more than %d bytes of messages whose receives are not posted", p.c.cfg.Early)
		}
		data := buffers.Get(n)
		body.read(*data)
		b.early = append(b.early, early{tag: int(h.tag), length: n, data: data})
		return nil
	}
	buf, err := o.Accept(n)
	if err == nil {
		body.read(buf)
	}
	o.Complete(err)
	return nil
}

// offered takes the announcement of a message. The caller holds rx.
func (p *peer) offered(h *header) error {
	b := &p.rx
	if int(h.length) <= chunkBytes || int(h.tag) < 0 {
		return fmt.Errorf("the offer of %d bytes with tag %d", h.length, int(h.tag))
	}
	tag, id := int(h.tag), h.seq
	if o := b.posted.Match(tag); o != nil {
		p.reply(o, id, int(h.length))
		return nil
	}
	if b.held += earlyCost; b.held > p.c.cfg.Early {
		return errors.New("has offered too many messages whose receives are not posted")
	}
	b.early = append(b.early, early{tag: tag, length: int(h.length), id: id})
	return nil
}

// reply accepts an offer that a receive matches, or refuses it when the receive does not take that length. The caller
// holds rx.
func (p *peer) reply(o *pending.Op, id uint64, length int) {
	buf, err := o.Accept(length)
	if err != nil {
		o.Complete(err)
		p.answerOffer(refuse, id)
		return
	}
	p.rx.landing = append(p.rx.landing, landing{id, o, buf, length})
	p.answerOffer(accept, id)
}

// continued takes the next bytes of an accepted message. The caller holds rx.
func (p *peer) continued(h *header, body *body) error {
	b, n := &p.rx, body.left
	i := slices.IndexFunc(b.landing, func(l landing) bool { return l.id == h.tag })
	if i < 0 || n == 0 || n > b.landing[i].left {
		return fmt.Errorf("%d bytes of message %d, which were not asked for", n, h.tag)
	}
	l := &b.landing[i]
	if l.op != nil {
		body.read(l.buf[:n])
		l.buf = l.buf[n:]
	}
	if l.left -= n; l.left == 0 {
		if l.op != nil {
			l.op.Complete(nil)
		}
		b.landing = slices.Delete(b.landing, i, i+1)
	}
	return nil
}

// endIfLeft ends the receives for which nothing can come any more. The caller holds rx.
func (b *inbox) endIfLeft(rank int) {
	if !b.left || b.frames < b.last {
		return
	}
	for o := b.posted.Pop(); o != nil; o = b.posted.Pop() {
		o.Complete(gone(rank, o))
	}
	for _, l := range b.landing {
		if l.op != nil {
			l.op.Complete(gone(rank, l.op))
		}
	}
	b.landing = b.landing[:0]
	// What is only offered would be accepted in vain.
	b.early = slices.DeleteFunc(b.early, func(e early) bool { return e.data == nil })
}

// withdrawReceive takes o back. An accepted message still comes, and is thrown away.
func (p *peer) withdrawReceive(o *pending.Op) {
	b := &p.rx
	b.mu.Lock()
	found := b.posted.Remove(o)
	for i := range b.landing {
		if b.landing[i].op == o {
			b.landing[i].op, b.landing[i].buf, found = nil, nil, true
		}
	}
	b.mu.Unlock()
	if !found {
		o.Await()
	}
}

// sendToSelf hands a message over without a stream.
func (p *peer) sendToSelf(o *pending.Op) {
	b := &p.rx
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.posted.Match(o.Tag); r == nil {
		data := buffers.Get(len(o.Buf))
		copy(*data, o.Buf)
		b.held += len(o.Buf) + earlyCost
		b.early = append(b.early, early{tag: o.Tag, length: len(o.Buf), data: data})
	} else {
		buf, err := r.Accept(len(o.Buf))
		copy(buf, o.Buf)
		r.Complete(err)
	}
	o.Complete(nil)
}
