package halo

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
)

// Field is an array with one element a local cell, seen as bytes.
type Field struct {
	data []byte
	size int // of an element
}

// Of returns a slice as a field. Its elements must hold no pointers.
func Of[T any](s []T) Field {
	var t T
	size := int(unsafe.Sizeof(t))
	if len(s) == 0 {
		return Field{size: size}
	}
	return Field{unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*size), size}
}

// Exchanger copies owned cells to the ranks that hold them as ghosts. All fields of an exchange travel in one message
// a peer. It allocates nothing after NewExchanger.
type Exchanger struct {
	plan   *Plan
	comm   dist.Comm
	tag    int
	send   [][]byte // a buffer for each peer
	recv   [][]byte
	reqs   []dist.Request
	fields []Field
	bytes  int // of all fields, a cell
	most   int
}

// NewExchanger prepares exchanges of at most bytes a cell over all fields. Exchangers that are used at the same time
// need different tags.
func NewExchanger(plan *Plan, comm dist.Comm, tag, bytes int) *Exchanger {
	x := &Exchanger{plan: plan, comm: comm, tag: tag, most: bytes}
	for _, p := range plan.Peers {
		x.send = append(x.send, make([]byte, len(p.Send)*bytes))
		x.recv = append(x.recv, make([]byte, int(p.Hi-p.Lo)*bytes))
	}
	x.reqs = make([]dist.Request, 0, 2*len(plan.Peers))
	x.fields = make([]Field, 0, 8)
	return x
}

// Exchange brings the ghosts of all fields up to date.
func (x *Exchanger) Exchange(ctx context.Context, fields ...Field) error {
	if err := x.Start(ctx, fields...); err != nil {
		return err
	}
	return x.Finish(ctx)
}

// Start sends the owned cells that others need and begins to receive. Until Finish has returned, the ghosts of the
// fields must not be used; owned cells may be.
func (x *Exchanger) Start(ctx context.Context, fields ...Field) error {
	x.fields = append(x.fields[:0], fields...)
	x.bytes = 0
	for _, f := range fields {
		x.bytes += f.size
		if want := (x.plan.Owned + x.plan.Ghosts) * f.size; len(f.data) != want {
			return fmt.Errorf("halo: a field has %d bytes, the plan's %d cells need %d", len(f.data),
				x.plan.Owned+x.plan.Ghosts, want)
		}
	}
	if x.bytes > x.most {
		return fmt.Errorf("halo: %d bytes a cell, the exchanger was made for %d", x.bytes, x.most)
	}
	if poisoning {
		poison(x.plan, fields)
	}
	x.reqs = x.reqs[:0]
	for i := range x.plan.Peers {
		p := &x.plan.Peers[i]
		if p.Lo == p.Hi {
			continue
		}
		req, err := x.comm.Irecv(ctx, p.Rank, x.tag, x.recv[i][:int(p.Hi-p.Lo)*x.bytes])
		if err != nil {
			return fmt.Errorf("halo: receive: %w", err)
		}
		x.reqs = append(x.reqs, req)
	}
	for i := range x.plan.Peers {
		p := &x.plan.Peers[i]
		if len(p.Send) == 0 {
			continue
		}
		buf := x.send[i][:len(p.Send)*x.bytes]
		at := 0
		for _, f := range fields {
			at += pack(buf[at:], f, p.Send)
		}
		req, err := x.comm.Isend(ctx, p.Rank, x.tag, buf)
		if err != nil {
			return fmt.Errorf("halo: send: %w", err)
		}
		x.reqs = append(x.reqs, req)
	}
	return nil
}

// Finish waits for what Start began and fills the ghosts.
func (x *Exchanger) Finish(ctx context.Context) error {
	if err := x.comm.Wait(ctx, x.reqs); err != nil {
		return fmt.Errorf("halo: exchange: %w", err)
	}
	for i := range x.plan.Peers {
		p := &x.plan.Peers[i]
		at := 0
		for _, f := range x.fields {
			at += copy(f.data[int(p.Lo)*f.size:int(p.Hi)*f.size], x.recv[i][at:])
		}
		if poisoning {
			scribble(x.send[i])
			scribble(x.recv[i])
		}
	}
	return nil
}

// pack copies the cells of a field to the front of buf and returns how many bytes they took.
func pack(buf []byte, f Field, cells []int32) int {
	at := 0
	for _, c := range cells {
		o := int(c) * f.size
		at += copy(buf[at:at+f.size], f.data[o:o+f.size])
	}
	return at
}
