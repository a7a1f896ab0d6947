package halo

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/dist"
)

// boxDeviceExchanger exchanges ghosts of boxes directly between the devices of the ranks. All operations are queued
// on the device, and may be part of a recording.
type boxDeviceExchanger[T any] struct {
	*boxStaged[T] // for its buffers on the device
	deviceComm
	messages [][2][]backend.Message // sent and received, by phase
}

// NewBoxDeviceExchanger connects the devices of all ranks. All ranks must call it. If one of the devices cannot be
// linked by the given kind, it returns nil and the reason, as NewDeviceExchanger does.
func NewBoxDeviceExchanger[T any](ctx context.Context, plan *BoxPlan, comm dist.Comm, dev backend.Device,
	kind string) (x DeviceGhostExchanger[T], reason string, err error) {
	cells := plan.Shape[0] * plan.Shape[1] * plan.Shape[2]
	if cells > math.MaxInt32 {
		return nil, "", fmt.Errorf("halo: arrays of %d cells, want at most %d", cells, math.MaxInt32)
	}
	linked, reason, err := newDeviceComm(ctx, comm, dev, kind, "")
	if err != nil || reason != "" {
		return nil, reason, err
	}
	arrays := &boxStaged[T]{dev: dev, workspace: primitives.NewWorkspace(dev), cells: cells}
	b := &boxDeviceExchanger[T]{boxStaged: arrays, deviceComm: *linked}
	for _, phase := range plan.Phases {
		staged, err := b.prepare(plan, phase)
		b.phases = append(b.phases, staged)
		if err != nil {
			return nil, "", errors.Join(fmt.Errorf("halo: %w", err), b.Close())
		}
		var m [2][]backend.Message
		for _, p := range staged.peers {
			m[0] = append(m[0], backend.Message{Peer: p.rank,
				Data: staged.out[staged.selfBytes+p.sendRange[0] : staged.selfBytes+p.sendRange[1]]})
			m[1] = append(m[1], backend.Message{Peer: p.rank, Data: staged.in[p.recvRange[0]:p.recvRange[1]]})
		}
		b.messages = append(b.messages, m)
	}
	return b, "", nil
}

func (x *boxDeviceExchanger[T]) Start(_ context.Context, field []T) error {
	if len(field) != x.cells {
		return fmt.Errorf("halo: an array of %d elements, want %d as in the plan", len(field), x.cells)
	}
	x.field = field
	return x.comm.Fork(func() error {
		for n := range x.phases {
			if err := x.queuePhase(n); err != nil {
				return err
			}
		}
		return nil
	})
}

func (x *boxDeviceExchanger[T]) Fork(f func() error) error    { return x.comm.Fork(f) }
func (x *boxDeviceExchanger[T]) Send(context.Context) error   { return nil }
func (x *boxDeviceExchanger[T]) Finish(context.Context) error { return x.comm.Join() }
func (x *boxDeviceExchanger[T]) Kind() string                 { return x.kind }

// queuePhase queues phase n.
func (x *boxDeviceExchanger[T]) queuePhase(n int) error {
	phase := &x.phases[n]
	if err := x.start(phase); err != nil || len(x.messages[n][0]) == 0 {
		return err
	}
	if err := x.comm.Exchange(x.messages[n][0], x.messages[n][1]); err != nil {
		return err
	}
	_, err := primitives.Unpack(x.workspace, x.field, phase.unpackIndex, phase.in)
	return err
}

// Close releases the memory and the communicator of the device.
func (x *boxDeviceExchanger[T]) Close() error {
	return errors.Join(x.deviceComm.close(), x.boxStaged.Close())
}
