package halo

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// staged exchanges arrays of a device through pinned memory of the host and the transport. Each phase waits for the
// device.
type staged struct {
	*deviceBuffers
	messages
	staging backend.Staging
	sync    func() error     // waits for the device
	pinned  []pinnedMessages // by phase
}

// pinnedMessages are the messages of a phase to and from other ranks.
type pinnedMessages struct{ out, in []byte }

// newStaged prepares exchanges. The device must be a backend.Staging.
func newStaged(plan Route, comm dist.Comm, dev backend.Device, tag, bytes int, single bool) (Exchanger, error) {
	staging, ok := dev.(backend.Staging)
	if !ok {
		return nil, fmt.Errorf("halo: device %s cannot stage messages", dev.Name())
	}
	r, err := plan.route(false)
	if err != nil {
		return nil, err
	}
	buffers, err := newDeviceBuffers(r, dev, bytes, single)
	if err != nil {
		return nil, err
	}
	x := &staged{deviceBuffers: buffers, staging: staging, sync: staging.WaitDownloads}
	if m, separate := dev.(backend.Memory); separate {
		x.sync = m.Sync
	}
	maxRequests := 0
	for _, p := range buffers.phases {
		var m pinnedMessages
		if m.out, err = pin(staging, p.sent*bytes); err == nil {
			m.in, err = pin(staging, p.received*bytes)
		}
		x.pinned = append(x.pinned, m)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("halo: %w", err), x.Close())
		}
		maxRequests = max(maxRequests, 2*len(p.peers))
	}
	x.messages = newMessages(comm, tag, maxRequests)
	return x, nil
}

func pin(s backend.Staging, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	return s.Pin(n)
}

func (x *staged) Start(_ context.Context, fields ...Field) error {
	if err := x.begin(fields); err != nil || len(x.phases) == 0 {
		return err
	}
	return x.start(0)
}

// start packs what phase n sends, and copies it to the host.
func (x *staged) start(n int) error {
	out, err := x.packed(&x.phases[n])
	if err != nil || len(out) == 0 {
		return err
	}
	return x.staging.StartDownload(x.pinned[n].out[:len(out)], out)
}

func (x *staged) Send(ctx context.Context) error {
	if len(x.phases) == 0 {
		return nil
	}
	return x.deliver(ctx, 0)
}

// deliver passes the messages of phase n to the transport. It first waits for the device, which may still read those
// that arrived last. When the download after them is complete, so is that; without a download it waits for all.
func (x *staged) deliver(ctx context.Context, n int) error {
	phase, pinned := &x.phases[n], &x.pinned[n]
	if len(phase.peers) == 0 {
		return nil
	}
	wait := x.staging.WaitDownloads
	if phase.sent == 0 {
		wait = x.sync
	}
	if err := wait(); err != nil {
		return err
	}
	for i := range phase.peers {
		if p := &phase.peers[i]; p.recv[0] < p.recv[1] {
			if err := x.receive(ctx, p.rank, pinned.in[p.recv[0]*x.bytes:p.recv[1]*x.bytes]); err != nil {
				return err
			}
		}
	}
	for i := range phase.peers {
		if p := &phase.peers[i]; p.send[0] < p.send[1] {
			if err := x.send(ctx, p.rank, pinned.out[p.send[0]*x.bytes:p.send[1]*x.bytes]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *staged) Finish(ctx context.Context) error {
	for n := range x.phases {
		if n > 0 {
			if err := x.start(n); err != nil {
				return err
			}
			if err := x.deliver(ctx, n); err != nil {
				return err
			}
		}
		if err := x.wait(ctx); err != nil {
			return err
		}
		phase := &x.phases[n]
		if phase.received == 0 {
			continue
		}
		in := x.receiveBuffer(phase)
		if err := x.staging.StartUpload(in, x.pinned[n].in[:len(in)]); err != nil {
			return err
		}
		if err := x.unpacked(phase); err != nil {
			return err
		}
	}
	return nil
}

func (x *staged) Kind() string { return Staged }

func (x *staged) Close() error {
	err := x.close()
	for _, m := range x.pinned {
		for _, b := range [][]byte{m.out, m.in} {
			if len(b) > 0 {
				err = errors.Join(err, x.staging.Unpin(b))
			}
		}
	}
	x.pinned = nil
	return err
}
