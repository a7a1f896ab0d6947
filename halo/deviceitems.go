package halo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// DeviceItemExchanger exchanges items in the memory of a device with the peers of a plan, in one round; the number of
// items may differ each time. If the devices of the ranks are linked, only these numbers go through the transport.
// Otherwise the items do too, through pinned memory of the host if the device has separate memory. Peers that have no
// items for each other exchange nothing but the numbers.
//
// Its buffers grow to the largest number of items so far; otherwise an exchange allocates nothing.
type DeviceItemExchanger[T any] struct {
	messages
	plan     *ItemPlan
	dev      backend.Device
	link     backend.DeviceComm // nil if the devices are not linked
	staging  backend.Staging    // nil if the host can access the items, or the devices are linked
	counts   [2][]int32         // numbers of items that are sent to each peer, and received from it
	received []T                // on the device
	pinned   [2][]byte          // for staging: sent and received items
	transfer [2][]backend.Message
}

// ConnectItems prepares exchanges of items between devices. The links must stay open while items are exchanged.
// Exchanges that are used at the same time need different tags.
func ConnectItems[T any](links *Links, plan *ItemPlan, tag int) (*DeviceItemExchanger[T], error) {
	if links.link != nil {
		return newDeviceItems[T](plan, links.comm, links.dev, links.link.comm, tag)
	}
	return newDeviceItems[T](plan, links.comm, links.dev, nil, tag)
}

func newDeviceItems[T any](plan *ItemPlan, comm dist.Comm, dev backend.Device, link backend.DeviceComm,
	tag int) (*DeviceItemExchanger[T], error) {
	n := len(plan.Peers)
	x := &DeviceItemExchanger[T]{messages: newMessages(comm, tag, 2*n), plan: plan, dev: dev, link: link}
	for way := range x.counts {
		x.counts[way], x.transfer[way] = make([]int32, n), make([]backend.Message, 0, n)
	}
	if _, separate := dev.(backend.Memory); separate && link == nil {
		var ok bool
		if x.staging, ok = dev.(backend.Staging); !ok {
			return nil, fmt.Errorf("halo: device %s cannot stage messages", dev.Name())
		}
	}
	return x, nil
}

// Exchange sends items[bounds[k]:bounds[k+1]], on the device, to peer k of the plan. It returns the items of all peers
// on the device, by peer and in the order in which it sent them. They are valid until the next Exchange. The host must
// know the bounds, but does not wait for the items if the devices are linked. Numbers of items that the plan does not
// allow are an error.
func (x *DeviceItemExchanger[T]) Exchange(ctx context.Context, items []T, bounds []int32) ([]T, error) {
	if err := x.setCounts(len(items), bounds); err != nil {
		return nil, err
	}
	total, err := x.exchangeCounts(ctx)
	if err != nil {
		return nil, err
	}
	if err := x.reserve(total); err != nil {
		return nil, err
	}
	first, end := int(bounds[0]), int(bounds[len(x.plan.Peers)])
	out, in := bytesOf(items, first, end), bytesOf(x.received, 0, total)
	switch {
	case len(out) == 0 && len(in) == 0:
	case x.link != nil:
		x.list(out, in)
		if err = x.link.Exchange(x.transfer[0], x.transfer[1]); err == nil {
			err = x.link.Join()
		}
	case x.staging != nil:
		err = x.stage(ctx, out, in)
	default:
		err = x.deliver(ctx, out, in)
	}
	return x.received[:total], err
}

// setCounts sets the numbers of items to send.
func (x *DeviceItemExchanger[T]) setCounts(items int, bounds []int32) error {
	if want := len(x.plan.Peers) + 1; len(bounds) != want {
		return fmt.Errorf("halo: %d bounds of items on rank %d, want %d", len(bounds), x.plan.Rank, want)
	}
	for k, p := range x.plan.Peers {
		first, end := bounds[k], bounds[k+1]
		if first < 0 || first > end || int(end) > items {
			return fmt.Errorf("halo: rank %d has %d items, and %d to %d are for rank %d", x.plan.Rank, items, first, end, p.Rank)
		}
		if n := int(end - first); n > p.Send {
			return fmt.Errorf("halo: %d items for rank %d, the plan allows %d in one exchange", n, p.Rank, p.Send)
		}
		x.counts[0][k] = end - first
	}
	return nil
}

// exchangeCounts tells the peers how many items to receive, and returns how many this rank receives.
func (x *DeviceItemExchanger[T]) exchangeCounts(ctx context.Context) (total int, err error) {
	for k, p := range x.plan.Peers {
		if p.Receive > 0 {
			if err := x.receive(ctx, p.Rank, bytesOf(x.counts[1], k, k+1)); err != nil {
				return 0, err
			}
		}
	}
	for k, p := range x.plan.Peers {
		if p.Send > 0 {
			if err := x.send(ctx, p.Rank, bytesOf(x.counts[0], k, k+1)); err != nil {
				return 0, err
			}
		}
	}
	if err := x.wait(ctx); err != nil {
		return 0, err
	}
	for k, p := range x.plan.Peers {
		n := int(x.counts[1][k])
		if n < 0 || n > p.Receive {
			return 0, &dist.PeerError{Rank: p.Rank, Err: fmt.Errorf("halo: sends %d items, the plan allows %d", n, p.Receive)}
		}
		if total += n; total > math.MaxInt32 {
			return 0, fmt.Errorf("halo: rank %d receives more than %d items in one exchange: use more ranks", x.plan.Rank,
				math.MaxInt32)
		}
	}
	return total, nil
}

// reserve allocates memory for n received items, with a margin, unless there is enough.
func (x *DeviceItemExchanger[T]) reserve(n int) (err error) {
	if n <= len(x.received) {
		return nil
	}
	n += n / 2
	err = backend.Free(x.dev, x.received)
	if x.received = nil; err == nil {
		x.received, err = backend.Make[T](x.dev, n)
	}
	if err != nil {
		return fmt.Errorf("halo: memory of rank %d for %d received items: %w", x.plan.Rank, n, err)
	}
	return nil
}

// list lists the messages of items in out, which are sent, and in. Without items there is no message, for which both
// ranks know the number.
func (x *DeviceItemExchanger[T]) list(out, in []byte) {
	var item T
	for way, data := range [][]byte{out, in} {
		x.transfer[way] = x.transfer[way][:0]
		for k, p := range x.plan.Peers {
			if n := int(x.counts[way][k]) * int(unsafe.Sizeof(item)); n > 0 {
				x.transfer[way] = append(x.transfer[way], backend.Message{Peer: p.Rank, Data: data[:n]})
				data = data[n:]
			}
		}
	}
}

// deliver passes the items, in the memory of the host, to the transport.
func (x *DeviceItemExchanger[T]) deliver(ctx context.Context, out, in []byte) error {
	x.list(out, in)
	if poisoning {
		overwrite(in)
	}
	for _, m := range x.transfer[1] {
		if err := x.receive(ctx, m.Peer, m.Data); err != nil {
			return err
		}
	}
	for _, m := range x.transfer[0] {
		if err := x.send(ctx, m.Peer, m.Data); err != nil {
			return err
		}
	}
	return x.wait(ctx)
}

// stage exchanges the items through pinned memory. Before it uses the memory of received items again, it waits for the
// last upload, by a download, even of nothing.
func (x *DeviceItemExchanger[T]) stage(ctx context.Context, out, in []byte) error {
	if err := x.pin(0, len(out)); err != nil {
		return err
	}
	err := x.staging.StartDownload(x.pinned[0][:len(out)], out)
	if err == nil {
		err = x.staging.WaitDownloads()
	}
	if err == nil {
		err = x.pin(1, len(in))
	}
	if err == nil {
		err = x.deliver(ctx, x.pinned[0][:len(out)], x.pinned[1][:len(in)])
	}
	if err != nil || len(in) == 0 {
		return err
	}
	return x.staging.StartUpload(in, x.pinned[1][:len(in)])
}

// pin allocates pinned memory for n bytes, with a margin, unless there is enough.
func (x *DeviceItemExchanger[T]) pin(way, n int) (err error) {
	if n <= len(x.pinned[way]) {
		return nil
	}
	err = x.unpin(way)
	if x.pinned[way] = nil; err == nil {
		x.pinned[way], err = pin(x.staging, n+n/2)
	}
	if err != nil {
		return fmt.Errorf("halo: pinned memory of rank %d for %d bytes of items: %w", x.plan.Rank, n+n/2, err)
	}
	return nil
}

func (x *DeviceItemExchanger[T]) unpin(way int) error {
	if len(x.pinned[way]) == 0 {
		return nil
	}
	return x.staging.Unpin(x.pinned[way])
}

// Bytes returns the size of the memory on the device.
func (x *DeviceItemExchanger[T]) Bytes() int64 {
	return int64(len(bytesOf(x.received, 0, len(x.received))))
}

// Close frees the memory on the device and the pinned memory.
func (x *DeviceItemExchanger[T]) Close() error {
	err := errors.Join(backend.Free(x.dev, x.received), x.unpin(0), x.unpin(1))
	x.received, x.pinned = nil, [2][]byte{}
	return err
}
