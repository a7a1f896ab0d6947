// Package halotest has devices for tests of exchanges between devices.
package halotest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/dist"
)

// Linked is a device in the memory of the host that exchanges messages with the devices of other ranks as late as
// possible: forked work and messages wait for Join. Messages of no bytes are an error.
type Linked struct {
	backend.Device
	*Links
}

// NewLinked returns a linked device that runs loops on dev.
func NewLinked(dev backend.Device, c dist.Comm) *Linked { return &Linked{dev, &Links{comm: c}} }

// LinkedRecorder is a linked device with separate memory that also records, as strictly as a GPU: a recording must
// neither begin nor end while an exchange or forked work is pending, neither when it is made nor when it is launched.
type LinkedRecorder struct {
	*backendtest.FakeGPU
	*Links
}

// NewLinkedRecorder returns a linked device that runs loops on dev and has size bytes of memory.
func NewLinkedRecorder(dev backend.Device, size int, c dist.Comm) LinkedRecorder {
	gpu := backendtest.NewFakeGPU(dev, size)
	return LinkedRecorder{gpu, &Links{comm: c, gpu: gpu}}
}

// Links connects a device with those of other ranks.
type Links struct {
	Exchanges int // number of calls of Exchange
	comm      dist.Comm
	gpu       *backendtest.FakeGPU // nil if the device does not record
	made      []*lateComm
}

func (l *Links) DeviceID() string        { return fmt.Sprint(l.comm.Rank()) }
func (l *Links) LinkID() ([]byte, error) { return []byte("id"), nil }

// Link implements backend.Linker. Each communicator has a tag of its own, which differs from those of solvers.
func (l *Links) Link(int, int, []byte) (backend.DeviceComm, error) {
	const firstTag = 1 << 16
	c := &lateComm{Links: l, tag: firstTag + len(l.made) + 1}
	l.made = append(l.made, c)
	return c, nil
}

// pending returns an error if forked work or messages wait for a Join.
func (l *Links) pending(when string) error {
	for _, c := range l.made {
		if len(c.waiting) > 0 || c.recorded {
			return errors.New("a recording " + when + " while an exchange or forked work is pending")
		}
	}
	return nil
}

// Record implements backend.Recorder.
func (l LinkedRecorder) Record(queue func() error) (backend.Recording, error) {
	if err := l.pending("begins"); err != nil {
		return nil, err
	}
	r, err := l.MakeRecording(queue)
	if err := errors.Join(err, l.pending("ends")); err != nil {
		return nil, err
	}
	return linkedRecording{l.Kept(r), l.Links}, nil
}

// linkedRecording checks that nothing is pending when it is launched.
type linkedRecording struct {
	*backendtest.FakeRecording
	links *Links
}

func (r linkedRecording) Launch() {
	if err := r.links.pending("is launched"); err != nil {
		panic(err.Error())
	}
	r.FakeRecording.Launch()
}

// lateComm is a device communicator that does everything in Join.
type lateComm struct {
	*Links
	tag      int
	waiting  []func() error
	joining  bool
	recorded bool // in the recording that is being made something waits for a Join
}

func (c *lateComm) recording() bool { return c.gpu != nil && c.gpu.Recording() }

// Fork calls f, but what f queues waits for Join. A device that does not record cannot tell these two apart: there f
// itself waits.
func (c *lateComm) Fork(f func() error) error {
	if c.gpu == nil {
		return c.late(f)
	}
	forked, err := c.gpu.MakeRecording(f)
	return errors.Join(err, c.late(forked.Calls))
}

// late queues a call that is made in Join.
func (c *lateComm) late(call func() error) error {
	if !c.recording() {
		return c.defers(call)
	}
	c.recorded = true
	return c.gpu.Queue(func() error { return c.defers(call) })
}

func (c *lateComm) defers(call func() error) error {
	if c.joining {
		return call()
	}
	c.waiting = append(c.waiting, call)
	return nil
}

func (c *lateComm) Join() error {
	c.recorded = false
	if !c.recording() {
		return c.join()
	}
	return c.gpu.Queue(c.join)
}

func (c *lateComm) join() (err error) {
	c.joining = true
	for _, f := range c.waiting {
		err = errors.Join(err, f())
	}
	c.waiting, c.joining = nil, false
	return err
}

func (c *lateComm) Exchange(send, recv []backend.Message) error {
	c.Exchanges++
	send, recv = slices.Clone(send), slices.Clone(recv) // the caller may use the slices again
	return c.late(func() error { return c.access(func() error { return c.exchange(send, recv) }) })
}

func (c *lateComm) exchange(send, recv []backend.Message) error {
	ctx := context.Background()
	var reqs []dist.Request
	for _, m := range recv {
		r, err := c.comm.Irecv(ctx, m.Peer, c.tag, m.Data)
		if err != nil || len(m.Data) == 0 {
			return errors.Join(err, fmt.Errorf("a message of %d bytes from rank %d", len(m.Data), m.Peer))
		}
		reqs = append(reqs, r)
	}
	for _, m := range send {
		r, err := c.comm.Isend(ctx, m.Peer, c.tag, m.Data)
		if err != nil || len(m.Data) == 0 {
			return errors.Join(err, fmt.Errorf("a message of %d bytes to rank %d", len(m.Data), m.Peer))
		}
		reqs = append(reqs, r)
	}
	return c.comm.Wait(ctx, reqs)
}

func (c *lateComm) Max(keys []uint64) error {
	return c.late(func() error { return c.access(func() error { return c.max(keys) }) })
}

func (c *lateComm) Sum(words []int64) error {
	return c.late(func() error { return c.access(func() error { return c.sum(words) }) })
}

// access calls what reads or writes the memory of the device.
func (c *lateComm) access(call func() error) error {
	if c.gpu == nil {
		return call()
	}
	return c.gpu.Access(call)
}

func (c *lateComm) max(keys []uint64) error {
	var own []byte
	for _, k := range keys {
		own = binary.NativeEndian.AppendUint64(own, k)
	}
	all, err := c.comm.Allgatherv(context.Background(), own)
	for _, b := range all {
		for k := range keys {
			keys[k] = max(keys[k], binary.NativeEndian.Uint64(b[8*k:]))
		}
	}
	return err
}

func (c *lateComm) sum(words []int64) error {
	return c.comm.AllreduceInt64(context.Background(), dist.Sum, words)
}

func (*lateComm) Abort() {}

// Close panics where NCCL waits forever: while a recording is open, which may contain exchanges.
func (c *lateComm) Close() error {
	if c.gpu != nil && c.gpu.OpenRecordings > 0 {
		panic(fmt.Sprintf("a device communicator is closed while %d recordings are open", c.gpu.OpenRecordings))
	}
	return nil
}
