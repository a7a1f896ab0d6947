package halo

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// The paths that ghosts take, as GhostExchanger.Path reports them.
const (
	Direct = "direct" // from the memory of the host
	Staged = "staged" // through pinned memory of the host
	NCCL   = "nccl"   // from device to device
)

// pathChoices are what a user may ask for.
var pathChoices = []string{"auto", Staged, NCCL}

// Connect prepares the exchange of ghosts by the path that is asked for: auto, or "", for the best that all ranks have,
// staged or nccl. All ranks call it together, whatever device they have. Exchanges that are used at the same time need
// different tags.
func Connect[T any](ctx context.Context, plan *Plan, comm dist.Comm, dev backend.Device, tag int,
	how string) (GhostExchanger[T], error) {
	return connect(how, comm, func() (GhostExchanger[T], string, error) {
		linked, why, err := NewDeviceExchanger[T](ctx, plan, comm, dev)
		return linked, why, err
	}, func() (GhostExchanger[T], error) { return connectHost[T](plan, comm, dev, tag) })
}

// ConnectBox is Connect for arrays over boxes.
func ConnectBox[T any](ctx context.Context, plan *BoxPlan, comm dist.Comm, dev backend.Device, tag int,
	how string) (GhostExchanger[T], error) {
	return connect(how, comm, func() (GhostExchanger[T], string, error) {
		at, err := plan.WithSchedule(AllNeighbours) // what a message costs hardly depends on its length
		if err != nil {
			return nil, "", err
		}
		linked, why, err := NewBoxDeviceExchanger[T](ctx, at, comm, dev)
		return linked, why, err
	}, func() (GhostExchanger[T], error) {
		if _, apart := dev.(backend.Memory); apart {
			return NewBoxStaged[T](plan, comm, dev, tag)
		}
		return NewBoxDirect[T](plan, comm, tag), nil
	})
}

// ConnectLike prepares exchanges of other elements, by a plan, on the path of x, which Connect has prepared. Close them
// before x.
func ConnectLike[U, T any](x GhostExchanger[T], plan *Plan, comm dist.Comm, dev backend.Device,
	tag int) (GhostExchanger[U], error) {
	if linked, ok := x.(*DeviceExchanger[T]); ok {
		return sharingComm[U](linked, plan)
	}
	return connectHost[U](plan, comm, dev, tag)
}

// connect makes the choice.
func connect[T any](how string, comm dist.Comm, link func() (GhostExchanger[T], string, error),
	host func() (GhostExchanger[T], error)) (GhostExchanger[T], error) {
	if how != "" && !slices.Contains(pathChoices, how) {
		return nil, fmt.Errorf("halo %q is not known; choose auto, staged or nccl", how)
	}
	if comm.Size() > 1 && how != Staged {
		linked, why, err := link()
		switch {
		case err != nil:
			return nil, fmt.Errorf("halo: %w", err)
		case why == "":
			return linked, nil
		case how == NCCL:
			return nil, fmt.Errorf("NCCL halo exchange unavailable: %s", why)
		}
	}
	return host()
}

// connectHost prepares exchanges that go through the transport.
func connectHost[T any](plan *Plan, comm dist.Comm, dev backend.Device, tag int) (GhostExchanger[T], error) {
	if _, apart := dev.(backend.Memory); apart {
		return NewStaged[T](plan, comm, dev, tag)
	}
	return NewDirect[T](plan, comm, tag), nil
}
