package halo

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// The kinds of exchangers, as GhostExchanger.Kind returns them.
const (
	Direct = "direct" // from the memory of the host
	Staged = "staged" // through pinned memory of the host
	P2P    = "p2p"    // between GPUs of one process that access each other's memory (CUDA peer-to-peer access)
	NCCL   = "nccl"   // between GPUs, by NCCL
)

// kindChoices are the kinds that a user may choose.
var kindChoices = []string{"auto", Staged, P2P, NCCL}

// Connect prepares the exchange of ghosts by the given kind of exchanger: "auto" or "" for the fastest that all
// ranks support, "staged" (direct on a device that uses the host's memory), "p2p" or "nccl". All ranks must call it, on
// any device. Exchanges that are used at the same time need different tags.
func Connect[T any](ctx context.Context, plan *Plan, comm dist.Comm, dev backend.Device, tag int,
	kind string) (GhostExchanger[T], error) {
	return connect(kind, comm, func(kind string) (GhostExchanger[T], string, error) {
		linked, reason, err := NewDeviceExchanger[T](ctx, plan, comm, dev, kind)
		return linked, reason, err
	}, func() (GhostExchanger[T], error) { return connectHost[T](plan, comm, dev, tag) })
}

// ConnectBox is Connect for arrays over a block of a grid.
func ConnectBox[T any](ctx context.Context, plan *BoxPlan, comm dist.Comm, dev backend.Device, tag int,
	kind string) (GhostExchanger[T], error) {
	return connect(kind, comm, func(kind string) (GhostExchanger[T], string, error) {
		allNeighbours, err := plan.WithSchedule(AllNeighbours) // latency dominates the cost of a message
		if err != nil {
			return nil, "", err
		}
		linked, reason, err := NewBoxDeviceExchanger[T](ctx, allNeighbours, comm, dev, kind)
		return linked, reason, err
	}, func() (GhostExchanger[T], error) {
		if _, separate := dev.(backend.Memory); separate {
			return NewBoxStaged[T](plan, comm, dev, tag)
		}
		return NewBoxDirect[T](plan, comm, tag), nil
	})
}

// ConnectLike prepares exchanges of elements of another type, by an exchanger of the same kind as x, which Connect
// has prepared. Close the result before x.
func ConnectLike[U, T any](x GhostExchanger[T], plan *Plan, comm dist.Comm, dev backend.Device,
	tag int) (GhostExchanger[U], error) {
	if linked, ok := x.(*DeviceExchanger[T]); ok {
		return shareComm[U](linked, plan)
	}
	return connectHost[U](plan, comm, dev, tag)
}

// connect chooses the kind of exchanger, and makes it by link (between devices) or host (through the host).
func connect[T any](kind string, comm dist.Comm, link func(kind string) (GhostExchanger[T], string, error),
	host func() (GhostExchanger[T], error)) (GhostExchanger[T], error) {
	if kind != "" && !slices.Contains(kindChoices, kind) {
		return nil, fmt.Errorf("halo %q is not known; choose auto, staged, p2p or nccl", kind)
	}
	if kind == "auto" {
		kind = ""
	}
	if comm.Size() > 1 && kind != Staged {
		linked, reason, err := link(kind)
		switch {
		case err != nil:
			return nil, fmt.Errorf("halo: %w", err)
		case reason == "":
			return linked, nil
		case kind == P2P:
			return nil, fmt.Errorf("P2P halo exchange unavailable: %s", reason)
		case kind == NCCL:
			return nil, fmt.Errorf("NCCL halo exchange unavailable: %s", reason)
		}
	}
	return host()
}

// connectHost prepares exchanges that go through the transport.
func connectHost[T any](plan *Plan, comm dist.Comm, dev backend.Device, tag int) (GhostExchanger[T], error) {
	if _, separate := dev.(backend.Memory); separate {
		return NewStaged[T](plan, comm, dev, tag)
	}
	return NewDirect[T](plan, comm, tag), nil
}
