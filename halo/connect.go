package halo

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// The ways in which ghosts travel, as Ghosts.Way tells them.
const (
	Direct = "direct" // from the memory of the host
	Staged = "staged" // through pinned memory of the host
	Nccl   = "nccl"   // from device to device
)

// choices are what a user may ask for.
var choices = []string{"auto", Staged, Nccl}

// Connect prepares the exchange of ghosts in the way that is asked for: auto, or nothing, for the best that all ranks
// can have, staged or nccl. All ranks call it together, whatever device they have. Exchanges that are used at the same
// time need different tags.
func Connect[T any](ctx context.Context, plan *Plan, comm dist.Comm, dev backend.Device, tag int,
	how string) (Ghosts[T], error) {
	return connect(how, comm, func() (Ghosts[T], string, error) {
		linked, why, err := NewLinked[T](ctx, plan, comm, dev)
		return linked, why, err
	}, func() (Ghosts[T], error) { return hosted[T](plan, comm, dev, tag) })
}

// ConnectBox is Connect for arrays over boxes.
func ConnectBox[T any](ctx context.Context, plan *BoxPlan, comm dist.Comm, dev backend.Device, tag int,
	how string) (Ghosts[T], error) {
	return connect(how, comm, func() (Ghosts[T], string, error) {
		at, err := plan.By(AtOnce) // what a message costs hardly depends on its length
		if err != nil {
			return nil, "", err
		}
		linked, why, err := NewBoxLinked[T](ctx, at, comm, dev)
		return linked, why, err
	}, func() (Ghosts[T], error) {
		if _, apart := dev.(backend.Memory); apart {
			return NewBoxStaged[T](plan, comm, dev, tag)
		}
		return NewBoxDirect[T](plan, comm, tag), nil
	})
}

// Likewise prepares exchanges of other elements, by a plan, in the way of those that Connect has prepared. They are to
// be closed before these.
func Likewise[U, T any](x Ghosts[T], plan *Plan, comm dist.Comm, dev backend.Device, tag int) (Ghosts[U], error) {
	if linked, ok := x.(*Linked[T]); ok {
		return alongside[U](linked, plan)
	}
	return hosted[U](plan, comm, dev, tag)
}

// connect makes the choice.
func connect[T any](how string, comm dist.Comm, link func() (Ghosts[T], string, error),
	host func() (Ghosts[T], error)) (Ghosts[T], error) {
	if how != "" && !slices.Contains(choices, how) {
		return nil, fmt.Errorf("halo %q is not known; choose auto, staged or nccl", how)
	}
	if comm.Size() > 1 && how != Staged {
		linked, why, err := link()
		switch {
		case err != nil:
			return nil, fmt.Errorf("halo: %w", err)
		case why == "":
			return linked, nil
		case how == Nccl:
			return nil, fmt.Errorf("NCCL halo exchange unavailable: %s", why)
		}
	}
	return host()
}

// hosted prepares exchanges that go through the transport.
func hosted[T any](plan *Plan, comm dist.Comm, dev backend.Device, tag int) (Ghosts[T], error) {
	if _, apart := dev.(backend.Memory); apart {
		return NewStaged[T](plan, comm, dev, tag)
	}
	return NewDirect[T](plan, comm, tag), nil
}
