package smooth

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
)

// changes is an exchange after a set that carries only the vertices that are not where they were at the last one. It
// leaves behind what a halo.Exchanger does.
//
// A receiver must know how long a message is. Both sides know how many vertices the last message brought, and make room
// for a few more in the next. What does not fit follows in a second message, whose length the first one tells. Where
// most vertices move, the message holds all of them, in order, and nothing else.
type changes[V any] struct {
	comm    dist.Comm
	tag     int
	out, in []flow[V]
	reqs    []dist.Request
	late    []dist.Request // second messages: peers expect them only when they know the first
	v       []V
	moved   []int32
}

// flow is what goes to a peer, or comes from it.
type flow[V any] struct {
	peer  int
	cells []int32 // that are sent
	size  int     // bytes of a vertex's coordinates, with which it begins
	last  []byte  // coordinates of these when they were last sent
	n     int     // vertices, of which some have changed
	lo    int32   // where those that are received begin
	room  int     // for so many changes in a message
	buf   []byte  // a message, and the one that may follow
	count int     // changes in it
}

func newChanges[V any](plan *halo.Plan, comm dist.Comm, tag int, v []V, place int) *changes[V] {
	c := &changes[V]{comm: comm, tag: tag, reqs: make([]dist.Request, 0, 2*len(plan.Peers)),
		late: make([]dist.Request, 0, 2*len(plan.Peers))}
	flowOf := func(peer, n int) flow[V] {
		size := recordBytes[V]()
		return flow[V]{peer: peer, size: place, n: n, room: n, buf: make([]byte, 4+max((n+7)/8, 4*n)+n*size)}
	}
	for _, p := range plan.Peers {
		if len(p.Send) > 0 {
			f := flowOf(p.Rank, len(p.Send))
			f.cells, f.last = p.Send, make([]byte, 0, place*len(p.Send))
			for _, i := range p.Send {
				f.last = append(f.last, rawBytes(&v[i])[:place]...)
			}
			c.out = append(c.out, f)
		}
		if p.Lo < p.Hi {
			f := flowOf(p.Rank, int(p.Hi-p.Lo))
			f.lo = p.Lo
			c.in = append(c.in, f)
		}
	}
	return c
}

// recordBytes is the size of a vertex, and when it last moved.
func recordBytes[V any]() int { return int(sizeOf[V]()) + 4 }

// whole tells whether the next message holds all vertices.
func (f *flow[V]) whole() bool { return f.length(f.room) >= f.n*recordBytes[V]() }

// listed tells whether vertices are named one by one; else a bit of each tells whether it is there.
func (f *flow[V]) listed() bool { return 4*f.room < (f.n+7)/8 }

// length is that of a message with so many changes: their number, which ones, and where they are now.
func (f *flow[V]) length(count int) int {
	if f.listed() {
		return 4 + count*(4+recordBytes[V]())
	}
	return 4 + (f.n+7)/8 + count*recordBytes[V]()
}

// first is the length of the next message, without the one that may follow.
func (f *flow[V]) first() int {
	if f.whole() {
		return f.n * recordBytes[V]()
	}
	return f.length(f.room)
}

// adapt makes room for the changes of the next message.
func (f *flow[V]) adapt() { f.room = min(f.n, f.count+f.count/4+2) }

// Start sends what has changed, and begins to receive.
func (c *changes[V]) Start(ctx context.Context, v []V, moved []int32) error {
	c.v, c.moved = v, moved
	c.reqs, c.late = c.reqs[:0], c.late[:0]
	for i := range c.in {
		if err := c.receive(ctx, &c.reqs, &c.in[i], 0, c.in[i].first()); err != nil {
			return err
		}
	}
	for i := range c.out {
		f := &c.out[i]
		first, all := f.first(), f.pack(v, moved)
		if err := c.send(ctx, &c.reqs, f, 0, first); err != nil {
			return err
		}
		if all > first {
			if err := c.send(ctx, &c.late, f, first, all); err != nil {
				return err
			}
		}
		f.adapt()
	}
	return nil
}

// Finish waits for what Start began, and takes in what has changed.
func (c *changes[V]) Finish(ctx context.Context) error {
	if err := c.wait(ctx, &c.reqs); err != nil {
		return err
	}
	for i := range c.in {
		f := &c.in[i]
		if f.whole() {
			continue
		}
		count := binary.LittleEndian.Uint32(f.buf)
		if uint64(count) > uint64(f.n) {
			return fmt.Errorf("halo: rank %d tells of %d changes among %d vertices", f.peer, count, f.n)
		}
		f.count = int(count)
		if all, first := f.length(f.count), f.first(); all > first {
			if err := c.receive(ctx, &c.late, f, first, all); err != nil {
				return err
			}
		}
	}
	if err := c.wait(ctx, &c.late); err != nil {
		return err
	}
	for i := range c.in {
		f := &c.in[i]
		if err := f.unpack(c.v, c.moved); err != nil {
			return fmt.Errorf("halo: rank %d: %w", f.peer, err)
		}
		f.adapt()
	}
	return nil
}

func (c *changes[V]) receive(ctx context.Context, to *[]dist.Request, f *flow[V], lo, hi int) error {
	req, err := c.comm.Irecv(ctx, f.peer, c.tag, f.buf[lo:hi])
	if err != nil {
		return fmt.Errorf("halo: receive: %w", err)
	}
	*to = append(*to, req)
	return nil
}

func (c *changes[V]) send(ctx context.Context, to *[]dist.Request, f *flow[V], lo, hi int) error {
	req, err := c.comm.Isend(ctx, f.peer, c.tag, f.buf[lo:hi])
	if err != nil {
		return fmt.Errorf("halo: send: %w", err)
	}
	*to = append(*to, req)
	return nil
}

func (c *changes[V]) wait(ctx context.Context, reqs *[]dist.Request) error {
	if len(*reqs) == 0 {
		return nil
	}
	err := c.comm.Wait(ctx, *reqs)
	*reqs = (*reqs)[:0]
	if err != nil {
		return fmt.Errorf("halo: exchange: %w", err)
	}
	return nil
}

// pack writes the message, and returns how long it is with what follows.
func (f *flow[V]) pack(v []V, moved []int32) int {
	whole, listed := f.whole(), f.listed()
	at := 0
	var bitmap []byte
	switch {
	case whole:
	case listed:
		at = 4
	default:
		bitmap = f.buf[4 : 4+(f.n+7)/8]
		clear(bitmap)
		at = 4 + len(bitmap)
	}
	f.count = 0
	for k, i := range f.cells {
		now, last := rawBytes(&v[i])[:f.size], f.last[k*f.size:(k+1)*f.size]
		changed := !bytes.Equal(now, last)
		if changed {
			f.count++
			copy(last, now)
		}
		switch {
		case whole:
		case !changed:
			continue
		case listed:
			binary.LittleEndian.PutUint32(f.buf[at:], uint32(k))
			at += 4
		default:
			bitmap[k/8] |= 1 << (k % 8)
		}
		at += copy(f.buf[at:], rawBytes(&v[i]))
		at += copy(f.buf[at:], rawBytes(&moved[i]))
	}
	if !whole {
		binary.LittleEndian.PutUint32(f.buf, uint32(f.count))
	}
	return at
}

// unpack takes a message in.
func (f *flow[V]) unpack(v []V, moved []int32) error {
	to := func(k, at int) int {
		i := int(f.lo) + k
		at += copy(rawBytes(&v[i]), f.buf[at:])
		return at + copy(rawBytes(&moved[i]), f.buf[at:])
	}
	switch {
	case f.whole():
		f.count = 0
		at := 0
		for k := range f.n {
			// What has come is compared before it takes the place of what was there.
			if !bytes.Equal(rawBytes(&v[int(f.lo)+k])[:f.size], f.buf[at:at+f.size]) {
				f.count++
			}
			at = to(k, at)
		}
	case f.listed():
		at := 4
		for range f.count {
			k := binary.LittleEndian.Uint32(f.buf[at:])
			if uint64(k) >= uint64(f.n) {
				return fmt.Errorf("a change of vertex %d of %d", k, f.n)
			}
			at = to(int(k), at+4)
		}
	default:
		bitmap := f.buf[4 : 4+(f.n+7)/8]
		count := 0
		for _, b := range bitmap {
			count += bits.OnesCount8(b)
		}
		if past := f.n % 8; count != f.count || past > 0 && bitmap[len(bitmap)-1]>>past != 0 {
			return fmt.Errorf("%d bits for %d changes among %d vertices", count, f.count, f.n)
		}
		at := 4 + len(bitmap)
		for k := range f.n {
			if bitmap[k/8]>>(k%8)&1 != 0 {
				at = to(k, at)
			}
		}
	}
	return nil
}

// rawBytes is the memory of a value without pointers.
func rawBytes[T any](p *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)) }
