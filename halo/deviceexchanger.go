package halo

import (
	"context"
	"errors"
	"fmt"

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

// deviceComm is a device communicator, and a goroutine that aborts it when a rank is lost.
type deviceComm struct {
	comm       backend.DeviceComm
	stop       context.CancelFunc
	watchEnded chan struct{} // closed when watch returns
}

// watchTag is the tag of a receive that no rank ever matches: it fails when the next rank is lost. It differs from the
// tags of all exchanges.
const watchTag = 1<<20 + 1

// NewDeviceExchanger connects the devices of all ranks. All ranks must call it. If the devices cannot be connected,
// since one has no library for it or two ranks share a device, it returns nil and the reason.
func NewDeviceExchanger[T any](ctx context.Context, plan *Plan, comm dist.Comm,
	dev backend.Device) (x *DeviceExchanger[T], reason string, err error) {
	ownReason := ""
	if plan.Owned == 0 {
		ownReason = "it has no cells"
	}
	linked, reason, err := newDeviceComm(ctx, comm, dev, ownReason)
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

// newDeviceComm connects the devices of all ranks, or returns the reason why it cannot. ownReason is a reason of
// this rank beyond those that the device reports, or "".
func newDeviceComm(ctx context.Context, comm dist.Comm, dev backend.Device, ownReason string) (linked *deviceComm,
	reason string,
	err error) {
	linker, ok := dev.(backend.Linker)
	deviceID := ""
	var id []byte
	if !ok {
		ownReason = "device " + dev.Name() + " has no device communicator"
	} else if ownReason == "" {
		deviceID = linker.DeviceID()
		var linkErr error
		if id, linkErr = linker.LinkID(); linkErr != nil {
			ownReason = linkErr.Error()
		}
	}
	reason, err = agreeOnDeviceComm(ctx, comm, ownReason, deviceID)
	if err != nil || reason != "" {
		return nil, reason, err
	}
	if err := comm.Bcast(ctx, 0, id); err != nil {
		return nil, "", err
	}
	linked = &deviceComm{watchEnded: make(chan struct{})}
	if linked.comm, err = linker.Link(comm.Rank(), comm.Size(), id); err != nil {
		return nil, "", err
	}
	var watch context.Context
	watch, linked.stop = context.WithCancel(context.Background())
	go linked.watch(watch, comm)
	return linked, "", nil
}

// agreeOnDeviceComm asks all ranks whether their devices can be connected, and returns the reason of the lowest rank
// whose device cannot.
func agreeOnDeviceComm(ctx context.Context, comm dist.Comm, ownReason, deviceID string) (string, error) {
	r, reason, err := dist.FirstText(ctx, comm, ownReason)
	if err != nil {
		return "", err
	}
	if r >= 0 {
		return fmt.Sprintf("rank %d: %s", r, reason), nil
	}
	ids, err := comm.Allgatherv(ctx, []byte(deviceID))
	if err != nil {
		return "", err
	}
	rankOf := map[string]int{}
	for r, p := range ids {
		if other, shared := rankOf[string(p)]; shared {
			return fmt.Sprintf("ranks %d and %d share a device", other, r), nil
		}
		rankOf[string(p)] = r
	}
	return "", nil
}

// watch aborts the device communicator when a rank is lost, since the device itself would wait forever. It detects
// the loss by the failure of a receive from the next rank, which never sends the message.
func (c *deviceComm) watch(ctx context.Context, comm dist.Comm) {
	defer close(c.watchEnded)
	req, err := comm.Irecv(ctx, (comm.Rank()+1)%comm.Size(), watchTag, nil)
	if err == nil {
		err = comm.Wait(ctx, []dist.Request{req})
	}
	if err != nil && ctx.Err() == nil {
		c.comm.Abort()
	}
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
func (x *DeviceExchanger[T]) Kind() string                 { return NCCL }

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

func (c *deviceComm) close() error {
	c.stop()
	<-c.watchEnded
	return c.comm.Close()
}
