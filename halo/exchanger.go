package halo

import (
	"context"

	"github.com/atoll-hpc/atoll/dist"
)

// Exchanger copies owned cells to the ranks that hold them as ghosts. All fields of an exchange travel in one
// message per peer. It allocates nothing after NewExchanger.
type Exchanger struct {
	messages
	plan     *Plan
	out      [][]byte // a buffer for each peer
	in       [][]byte
	fields   []Field
	maxBytes int // bytes per cell over all fields
}

// NewExchanger prepares exchanges of at most bytes per cell over all fields. Exchangers that are used at the same
// time need different tags.
func NewExchanger(plan *Plan, comm dist.Comm, tag, bytes int) *Exchanger {
	x := &Exchanger{messages: newMessages(comm, tag, 2*len(plan.Peers)), plan: plan, maxBytes: bytes}
	for _, p := range plan.Peers {
		x.out = append(x.out, make([]byte, len(p.Send)*bytes))
		x.in = append(x.in, make([]byte, int(p.Hi-p.Lo)*bytes))
	}
	x.fields = make([]Field, 0, 8)
	return x
}

// Exchange updates the ghosts of all fields.
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
	bytes, err := cellBytes(fields, x.plan.Owned+x.plan.Ghosts, x.maxBytes)
	if err != nil {
		return err
	}
	if poisoning {
		poison(x.plan, fields)
	}
	for i := range x.plan.Peers {
		p := &x.plan.Peers[i]
		if p.Lo == p.Hi {
			continue
		}
		if err := x.receive(ctx, p.Rank, x.in[i][:int(p.Hi-p.Lo)*bytes]); err != nil {
			return err
		}
	}
	for i := range x.plan.Peers {
		p := &x.plan.Peers[i]
		if len(p.Send) == 0 {
			continue
		}
		buf := x.out[i][:len(p.Send)*bytes]
		offset := 0
		for _, f := range fields {
			offset += pack(buf[offset:], f, p.Send)
		}
		if err := x.send(ctx, p.Rank, buf); err != nil {
			return err
		}
	}
	return nil
}

// Finish waits for the messages and fills the ghosts.
func (x *Exchanger) Finish(ctx context.Context) error {
	if err := x.wait(ctx); err != nil {
		return err
	}
	for i := range x.plan.Peers {
		p := &x.plan.Peers[i]
		offset := 0
		for _, f := range x.fields {
			offset += copy(f.data[int(p.Lo)*f.size:int(p.Hi)*f.size], x.in[i][offset:])
		}
		if poisoning {
			overwrite(x.out[i])
			overwrite(x.in[i])
		}
	}
	return nil
}

// pack copies the cells of a field to the front of buf and returns how many bytes they took.
func pack(buf []byte, f Field, cells []int32) int {
	offset := 0
	for _, c := range cells {
		o := int(c) * f.size
		offset += copy(buf[offset:offset+f.size], f.data[o:o+f.size])
	}
	return offset
}
