// Package halotest has a device for tests of exchanges between devices.
package halotest

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// Linked is a device in the memory of the host that exchanges messages with the devices of other ranks as late as
// possible: forked work and messages wait for Join. Messages of no bytes are an error.
type Linked struct {
	backend.Device
	Comm      dist.Comm
	Exchanges int // number of calls of Exchange
	links     int
}

func (l *Linked) DeviceID() string        { return fmt.Sprint(l.Comm.Rank()) }
func (l *Linked) LinkID() ([]byte, error) { return []byte("id"), nil }

// Link implements backend.Linker. Each communicator has a tag of its own, which differs from those of solvers.
func (l *Linked) Link(int, int, []byte) (backend.DeviceComm, error) {
	const firstTag = 1 << 16
	l.links++
	return &lateComm{device: l, tag: firstTag + l.links}, nil
}

type lateComm struct {
	device  *Linked
	tag     int
	pending []func() error
	joining bool
}

func (c *lateComm) Fork(f func() error) error {
	if c.joining {
		return f()
	}
	c.pending = append(c.pending, f)
	return nil
}

func (c *lateComm) Join() (err error) {
	c.joining = true
	for _, f := range c.pending {
		err = errors.Join(err, f())
	}
	c.pending, c.joining = nil, false
	return err
}

func (c *lateComm) Exchange(send, recv []backend.Message) error {
	c.device.Exchanges++
	return c.Fork(func() error { return c.exchange(send, recv) })
}

func (c *lateComm) exchange(send, recv []backend.Message) error {
	ctx, comm := context.Background(), c.device.Comm
	var reqs []dist.Request
	for _, m := range recv {
		r, err := comm.Irecv(ctx, m.Peer, c.tag, m.Data)
		if err != nil || len(m.Data) == 0 {
			return errors.Join(err, fmt.Errorf("a message of %d bytes from rank %d", len(m.Data), m.Peer))
		}
		reqs = append(reqs, r)
	}
	for _, m := range send {
		r, err := comm.Isend(ctx, m.Peer, c.tag, m.Data)
		if err != nil || len(m.Data) == 0 {
			return errors.Join(err, fmt.Errorf("a message of %d bytes to rank %d", len(m.Data), m.Peer))
		}
		reqs = append(reqs, r)
	}
	return comm.Wait(ctx, reqs)
}

func (*lateComm) Max([]uint64) error { return nil }
func (*lateComm) Abort()             {}
func (*lateComm) Close() error       { return nil }
