package halo

import (
	"context"
	"errors"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// DeviceExchanger exchanges ghosts directly between the devices of the ranks.
type DeviceExchanger[T any] struct {
	*packer[T]
	*deviceComm
	borrowsComm bool // the communicator is closed by another exchanger
	send, recv  []backend.Message
}

// NewDeviceExchanger connects the devices of all ranks: by the given kind, P2P or NCCL, or by the first of these that
// is possible if kind is "". All ranks must call it. If the devices cannot be connected, since one has no library for
// it or two ranks share a device, it returns nil and the reason.
func NewDeviceExchanger[T any](ctx context.Context, plan *Plan, comm dist.Comm, dev backend.Device,
	kind string) (x *DeviceExchanger[T], reason string, err error) {
	ownReason := ""
	if plan.Owned == 0 {
		ownReason = "it has no cells"
	}
	linked, reason, err := newDeviceComm(ctx, comm, dev, kind, ownReason)
	if err != nil || reason != "" {
		return nil, reason, err
	}
	p, err := newPacker[T](plan, dev)
	if err != nil {
		return nil, "", errors.Join(err, linked.close())
	}
	return newDeviceExchanger(p, linked), "", nil
}

func newDeviceExchanger[T any](p *packer[T], linked *deviceComm) *DeviceExchanger[T] {
	x := &DeviceExchanger[T]{packer: p, deviceComm: linked}
	for _, peer := range p.plan.Peers {
		if len(peer.Send) > 0 {
			x.send = append(x.send, backend.Message{Peer: peer.Rank})
		}
		if peer.Lo < peer.Hi {
			x.recv = append(x.recv, backend.Message{Peer: peer.Rank})
		}
	}
	return x
}

// shareComm prepares exchanges of elements of another type over the device communicator of x. Close the result
// before x.
func shareComm[U, T any](x *DeviceExchanger[T], plan *Plan) (*DeviceExchanger[U], error) {
	p, err := newPacker[U](plan, x.dev)
	if err != nil {
		return nil, err
	}
	other := newDeviceExchanger(p, x.deviceComm)
	other.borrowsComm = true
	return other, nil
}

// Fork queues the calls of f, which may include Start, on a second stream: operations queued after Fork run
// concurrently with them until Finish.
func (x *DeviceExchanger[T]) Fork(f func() error) error { return x.comm.Fork(f) }

// Start implements GhostExchanger. It queues the messages on the device; Send does nothing.
func (x *DeviceExchanger[T]) Start(_ context.Context, field []T) error {
	out, err := x.pack(field)
	if err != nil {
		return err
	}
	nextRecv, nextSend := 0, 0
	for i, peer := range x.plan.Peers {
		if len(peer.Send) > 0 {
			x.send[nextSend].Data = out[x.offsets[i]:x.offsets[i+1]]
			nextSend++
		}
		if peer.Lo < peer.Hi {
			x.recv[nextRecv].Data = bytesOf(field, int(peer.Lo), int(peer.Hi))
			nextRecv++
		}
	}
	return x.comm.Exchange(x.send, x.recv)
}

func (x *DeviceExchanger[T]) Send(context.Context) error   { return nil }
func (x *DeviceExchanger[T]) Finish(context.Context) error { return x.comm.Join() }
func (x *DeviceExchanger[T]) Kind() string                 { return x.kind }

// Max queues a reduction that replaces each key on the device by the maximum over all ranks. It is complete after
// the next Finish.
func (x *DeviceExchanger[T]) Max(keys []uint64) error { return x.comm.Max(keys) }

// Close releases the memory on the device, and the device communicator unless it is shared.
func (x *DeviceExchanger[T]) Close() error {
	if x.borrowsComm {
		return x.packer.close()
	}
	return errors.Join(x.deviceComm.close(), x.packer.close())
}
