package halo

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/dist"
)

// packer packs the cells of all messages on the device, one peer after the other. If the owned cells are already in
// that order, it packs nothing.
type packer[T any] struct {
	plan       *Plan
	workspace  *primitives.Workspace
	dev        backend.Device
	index      []int32 // on the device
	buf        []byte  // on the device
	contiguous bool    // owned cells are in the order of messages
	offsets    []int   // begin of each peer's message in bytes, then the end of the last one
	size       int     // bytes per element
}

func newPacker[T any](plan *Plan, dev backend.Device) (*packer[T], error) {
	var t T
	p := &packer[T]{plan: plan, workspace: primitives.NewWorkspace(dev), dev: dev, size: int(unsafe.Sizeof(t)),
		offsets: []int{0}}
	var index []int32
	for _, peer := range plan.Peers {
		index = append(index, peer.Send...)
		p.offsets = append(p.offsets, len(index)*p.size)
	}
	p.contiguous = true
	for i, cell := range index {
		p.contiguous = p.contiguous && int(cell) == i
	}
	if p.contiguous {
		return p, nil
	}
	var err error
	if p.index, err = backend.Make[int32](dev, len(index)); err != nil {
		return nil, fmt.Errorf("halo: %w", err)
	}
	if p.buf, err = backend.Make[byte](dev, len(index)*p.size); err != nil {
		return nil, errors.Join(fmt.Errorf("halo: %w", err), p.close())
	}
	return p, backend.Upload(dev, p.index, index)
}

// pack returns the memory with all messages.
func (p *packer[T]) pack(field []T) ([]byte, error) {
	if len(field) != p.plan.Owned+p.plan.Ghosts {
		return nil, fmt.Errorf("halo: an array of %d elements, want %d as in the plan", len(field),
			p.plan.Owned+p.plan.Ghosts)
	}
	if p.contiguous {
		return bytesOf(field, 0, p.bytes()/p.size), nil
	}
	_, err := primitives.Pack(p.workspace, p.buf, field, p.index)
	return p.buf, err
}

// bytes returns the total length of all messages.
func (p *packer[T]) bytes() int { return p.offsets[len(p.offsets)-1] }

func (p *packer[T]) close() error {
	return errors.Join(backend.Free(p.dev, p.index), backend.Free(p.dev, p.buf))
}

// bytesOf returns the memory of a part of an array.
func bytesOf[T any](field []T, lo, hi int) []byte {
	part := field[lo:hi]
	if len(part) == 0 {
		return nil
	}
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(part))), len(part)*int(unsafe.Sizeof(t)))
}

// staged exchanges arrays of a device through pinned memory of the host and the transport.
type staged[T any] struct {
	*packer[T]
	messages
	staging backend.Staging
	out, in []byte // pinned
	field   []T
}

// NewStaged prepares exchanges through pinned memory and the transport. The device must be a backend.Staging.
func NewStaged[T any](plan *Plan, comm dist.Comm, dev backend.Device, tag int) (GhostExchanger[T], error) {
	staging, ok := dev.(backend.Staging)
	if !ok {
		return nil, fmt.Errorf("halo: device %s cannot stage messages", dev.Name())
	}
	p, err := newPacker[T](plan, dev)
	if err != nil {
		return nil, err
	}
	x := &staged[T]{packer: p, messages: newMessages(comm, tag, 2*len(plan.Peers)), staging: staging}
	if x.out, err = pin(staging, p.bytes()); err == nil {
		x.in, err = pin(staging, plan.Ghosts*p.size)
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

func pin(s backend.Staging, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	return s.Pin(n)
}

func (x *staged[T]) Start(_ context.Context, field []T) error {
	x.field = field
	out, err := x.pack(field)
	if err != nil || len(x.out) == 0 {
		return err
	}
	return x.staging.StartDownload(x.out, out)
}

func (x *staged[T]) Send(ctx context.Context) error {
	// When this download is complete, so is the last upload, and messages may overwrite x.in.
	if len(x.out) > 0 {
		if err := x.staging.WaitDownloads(); err != nil {
			return err
		}
	}
	for i := range x.plan.Peers {
		p := &x.plan.Peers[i]
		if p.Lo == p.Hi {
			continue
		}
		lo, hi := int(p.Lo)-x.plan.Owned, int(p.Hi)-x.plan.Owned
		if err := x.receive(ctx, p.Rank, x.in[lo*x.size:hi*x.size]); err != nil {
			return err
		}
	}
	for i := range x.plan.Peers {
		p := &x.plan.Peers[i]
		if len(p.Send) == 0 {
			continue
		}
		if err := x.send(ctx, p.Rank, x.out[x.offsets[i]:x.offsets[i+1]]); err != nil {
			return err
		}
	}
	return nil
}

func (x *staged[T]) Finish(ctx context.Context) error {
	if err := x.wait(ctx); err != nil {
		return err
	}
	if len(x.in) == 0 {
		return nil
	}
	return x.staging.StartUpload(bytesOf(x.field, x.plan.Owned, x.plan.Owned+x.plan.Ghosts), x.in)
}

func (x *staged[T]) Kind() string { return Staged }

func (x *staged[T]) Close() error {
	err := x.close()
	for _, b := range [][]byte{x.out, x.in} {
		if len(b) > 0 {
			err = errors.Join(err, x.staging.Unpin(b))
		}
	}
	return err
}
