package halo

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// Exchanger updates the ghosts of arrays in the memory of the host or of a device. All arrays of an exchange travel in
// one message for each peer and phase. Start begins an exchange, Send passes the messages to the transport, and Finish
// completes it; kernels that do not use the ghosts may be queued in between. No call allocates.
type Exchanger interface {
	// Start packs the owned cells that others need, after all operations queued before. Until Finish the ghosts must not
	// be used. Of a grid, owned cells that other ranks need must not change until then; others may.
	Start(ctx context.Context, fields ...Field) error
	// Send waits until they are packed, and passes them to the transport. Kernels queued after Start run meanwhile.
	Send(ctx context.Context) error
	// Finish completes the exchange: operations queued later use the new ghosts.
	Finish(ctx context.Context) error
	// Kind returns the kind of the exchanger: Direct, Staged, P2P or NCCL.
	Kind() string
	Close() error
}

// LinkedExchanger is an Exchanger between devices, without the host.
type LinkedExchanger interface {
	Exchanger
	// Fork queues the calls of f, which may include Start, on a second stream: operations queued later run concurrently
	// with them until Finish.
	Fork(f func() error) error
	// Max queues a reduction that replaces each key on the device by the maximum over all ranks. It is complete after the
	// next Finish.
	Max(keys []uint64) error
	// Sum queues a reduction that replaces each integer on the device by the sum over all ranks, likewise.
	Sum(words []int64) error
}

// The kinds of exchangers, as Exchanger.Kind returns them.
const (
	Direct = "direct" // from the memory of the host
	Staged = "staged" // through pinned memory of the host
	P2P    = "p2p"    // between GPUs of one machine that access each other's memory (CUDA peer-to-peer access)
	NCCL   = "nccl"   // between GPUs, by NCCL
)

// kindChoices are the kinds that a user may choose.
var kindChoices = []string{"auto", Staged, P2P, NCCL}

// Links are the connections between the devices of all ranks, which all exchangers of a rank share.
type Links struct {
	comm dist.Comm
	dev  backend.Device
	link *deviceComm // nil if messages go through the host
	// Note tells people why the devices are not linked by the fastest kind of exchanger, or is empty.
	Note string
}

// Link connects the devices of all ranks by the given kind of exchanger: "auto" or "" for the fastest that all ranks
// support, "staged" (direct on a device that uses the host's memory), "p2p" or "nccl". All ranks must call it, on any
// device. unlinked is a reason why the devices cannot be linked, besides those that they know, or "".
func Link(ctx context.Context, comm dist.Comm, dev backend.Device, kind, unlinked string) (*Links, error) {
	l := &Links{comm: comm, dev: dev}
	if kind != "" && !slices.Contains(kindChoices, kind) {
		return nil, fmt.Errorf("halo %q is not known; choose auto, staged, p2p or nccl", kind)
	}
	if kind == "auto" {
		kind = ""
	}
	if comm.Size() == 1 || kind == Staged {
		return l, nil
	}
	link, reason, err := newDeviceComm(ctx, comm, dev, kind, unlinked)
	switch {
	case err != nil:
		return nil, fmt.Errorf("halo: %w", err)
	case reason == "":
		if l.link = link; link.noPeers != "" {
			l.Note = fmt.Sprintf("by NCCL; P2P halo exchange unavailable: %s", link.noPeers)
		}
	case kind == P2P:
		return nil, fmt.Errorf("P2P halo exchange unavailable: %s", reason)
	case kind == NCCL:
		return nil, fmt.Errorf("NCCL halo exchange unavailable: %s", reason)
	}
	return l, nil
}

// Exchanger prepares exchanges of at most `bytes` per cell over all fields. With single an exchange has one field of
// that size; where its cells lie in the order of messages it then takes no memory. Exchangers that are used at the same
// time need different tags. Close it before the Links.
func (l *Links) Exchanger(plan Route, tag, bytes int, single bool) (Exchanger, error) {
	switch _, separate := l.dev.(backend.Memory); {
	case l.link != nil:
		return newLinked(plan, l.dev, l.link, bytes, single)
	case separate:
		return newStaged(plan, l.comm, l.dev, tag, bytes, single)
	}
	return NewHostExchanger(plan, l.comm, tag, bytes), nil
}

// Devices returns the communicator between the devices of all ranks, or nil if messages go through the host.
func (l *Links) Devices() backend.DeviceComm {
	if l.link == nil {
		return nil
	}
	return l.link.comm
}

// Close closes the connections.
func (l *Links) Close() error {
	if l.link == nil {
		return nil
	}
	return l.link.close()
}

// Exchange updates the ghosts of fields. It does not wait for operations on a device that do not belong to it.
func Exchange(ctx context.Context, x Exchanger, fields ...Field) error {
	if err := x.Start(ctx, fields...); err != nil {
		return err
	}
	if err := x.Send(ctx); err != nil {
		return err
	}
	return x.Finish(ctx)
}
