package halo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// deviceComm is a device communicator, and a goroutine that aborts it when a rank is lost.
type deviceComm struct {
	comm       backend.DeviceComm
	kind       string // P2P or NCCL
	noPeers    string // why NCCL was taken instead of P2P; "" if the user chose it
	stop       context.CancelFunc
	watchEnded chan struct{} // closed when watch returns
}

// watchTag is the tag of a receive that no rank ever matches: it fails when the next rank is lost. It differs from the
// tags of all exchanges.
const watchTag = 1<<20 + 1

// newDeviceComm connects the devices of all ranks, or returns the reason why it cannot. kind is P2P or NCCL, or "" for
// the first of these that is possible. ownReason is a reason of this rank beyond those that the device reports, or "".
func newDeviceComm(ctx context.Context, comm dist.Comm, dev backend.Device, kind, ownReason string) (
	linked *deviceComm, reason string, err error) {
	if reason, err = differentDevices(ctx, comm, dev, ownReason); err != nil || reason != "" {
		return nil, reason, err
	}
	linked = &deviceComm{kind: P2P, watchEnded: make(chan struct{})}
	if kind != NCCL {
		if linked.comm, reason, err = linkPeers(ctx, comm, dev); err != nil || reason != "" && kind == P2P {
			return nil, reason, err
		}
	}
	if linked.comm == nil {
		linked.kind, linked.noPeers = NCCL, reason
		if linked.comm, reason, err = linkByID(ctx, comm, dev); err != nil || reason != "" {
			return nil, reason, err
		}
	}
	var watch context.Context
	watch, linked.stop = context.WithCancel(context.Background())
	go linked.watch(watch, comm)
	return linked, "", nil
}

// differentDevices checks that each rank has a device of its own that can be linked, and returns the reason of the
// lowest rank for which this does not hold.
func differentDevices(ctx context.Context, comm dist.Comm, dev backend.Device, ownReason string) (reason string,
	err error) {
	linker, ok := dev.(backend.Linker)
	deviceID := ""
	if !ok {
		ownReason = "device " + dev.Name() + " has no device communicator"
	} else {
		deviceID = linker.DeviceID()
	}
	if reason, err = firstReason(ctx, comm, ownReason); err != nil || reason != "" {
		return reason, err
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

// firstReason returns the reason of the lowest rank that has one.
func firstReason(ctx context.Context, comm dist.Comm, ownReason string) (string, error) {
	r, reason, err := dist.FirstText(ctx, comm, ownReason)
	if err != nil || r < 0 {
		return "", err
	}
	return fmt.Sprintf("rank %d: %s", r, reason), nil
}

// linkPeers connects devices that access each other's memory, or returns the reason why one of them cannot.
func linkPeers(ctx context.Context, comm dist.Comm, dev backend.Device) (dc backend.DeviceComm, reason string,
	err error) {
	linker, ok := dev.(backend.PeerLinker)
	var process []byte
	ownReason := "device " + dev.Name() + " has no access to the memory of others"
	if ok {
		ownReason, process = "", linker.PeerProcess()
	}
	if reason, err = firstReason(ctx, comm, ownReason); err != nil || reason != "" {
		return nil, reason, err
	}
	processes, err := comm.Allgatherv(ctx, process)
	if err != nil {
		return nil, "", err
	}
	apart := slices.ContainsFunc(processes, func(other []byte) bool { return !bytes.Equal(other, processes[0]) })
	offer, err := linker.PeerOffer(comm.Size(), apart)
	if err != nil {
		ownReason = err.Error()
	}
	if reason, err = firstReason(ctx, comm, ownReason); err != nil || reason != "" {
		return nil, reason, err
	}
	offers, err := comm.Allgatherv(ctx, offer)
	if err != nil {
		return nil, "", err
	}
	dc, linkErr := linker.LinkPeers(comm.Rank(), offers)
	if linkErr != nil {
		dc, ownReason = nil, linkErr.Error()
	}
	if reason, err = firstReason(ctx, comm, ownReason); (err != nil || reason != "") && dc != nil {
		return nil, reason, errors.Join(err, dc.Close())
	}
	return dc, reason, err
}

// linkByID connects the devices of all ranks by the id of a communicator, or returns the reason why one of them cannot.
func linkByID(ctx context.Context, comm dist.Comm, dev backend.Device) (dc backend.DeviceComm, reason string,
	err error) {
	linker, ownReason := dev.(backend.Linker), ""
	id, linkErr := linker.LinkID()
	if linkErr != nil {
		ownReason = linkErr.Error()
	}
	if reason, err = firstReason(ctx, comm, ownReason); err != nil || reason != "" {
		return nil, reason, err
	}
	if err := comm.Bcast(ctx, 0, id); err != nil {
		return nil, "", err
	}
	dc, err = linker.Link(comm.Rank(), comm.Size(), id)
	return dc, "", err
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

func (c *deviceComm) close() error {
	c.stop()
	<-c.watchEnded
	return c.comm.Close()
}
