package halo

import (
	"context"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
)

// GhostExchanger updates the ghosts of an array in the memory of the host or of a device. Start begins an exchange,
// Send passes the messages to the transport, and Finish completes it; kernels that do not use the ghosts may be
// queued in between.
type GhostExchanger[T any] interface {
	// Start packs the owned cells that others need, after all operations queued before.
	Start(ctx context.Context, field []T) error
	// Send waits until they are packed, and passes them to the transport. Kernels queued after Start run meanwhile.
	Send(ctx context.Context) error
	// Finish completes the exchange: operations queued later use the new ghosts.
	Finish(ctx context.Context) error
	// Kind returns the kind of the exchanger: Direct, Staged, P2P or NCCL.
	Kind() string
	Close() error
}

// Exchange updates the ghosts of an array. It does not wait for operations on a device that do not belong to it.
func Exchange[T any](ctx context.Context, g GhostExchanger[T], field []T) error {
	if err := g.Start(ctx, field); err != nil {
		return err
	}
	if err := g.Send(ctx); err != nil {
		return err
	}
	return g.Finish(ctx)
}

// DeviceGhostExchanger is a GhostExchanger between devices, without the host.
type DeviceGhostExchanger[T any] interface {
	GhostExchanger[T]
	// Fork queues the calls of f, which may include Start, on a second stream: operations queued later run
	// concurrently with them until Finish.
	Fork(f func() error) error
}

// direct exchanges arrays in the memory of the host.
type direct[T any] struct{ x *Exchanger }

// NewDirect prepares exchanges of arrays that the host can read.
func NewDirect[T any](plan *Plan, comm dist.Comm, tag int) GhostExchanger[T] {
	var t T
	return direct[T]{NewExchanger(plan, comm, tag, int(unsafe.Sizeof(t)))}
}

func (d direct[T]) Start(ctx context.Context, field []T) error { return d.x.Start(ctx, FieldOf(field)) }
func (d direct[T]) Send(context.Context) error                 { return nil }
func (d direct[T]) Finish(ctx context.Context) error           { return d.x.Finish(ctx) }
func (d direct[T]) Kind() string                               { return Direct }
func (d direct[T]) Close() error                               { return nil }
