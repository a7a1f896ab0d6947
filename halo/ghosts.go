package halo

import (
	"context"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
)

// GhostExchanger updates the ghosts of an array, in whatever memory it is. Start begins an exchange, Send passes the
// messages to the transport, and Finish completes it; kernels that do not use the ghosts may be queued in between.
type GhostExchanger[T any] interface {
	// Start takes the owned cells that others need out of the array, as they are when everything called before has
	// finished.
	Start(ctx context.Context, field []T) error
	// Send gives them to the transport, once they are there. Kernels that were queued since Start run meanwhile.
	Send(ctx context.Context) error
	// Finish makes what is called later see the ghosts.
	Finish(ctx context.Context) error
	// Path is how ghosts travel: Direct, Staged or NCCL.
	Path() string
	Close() error
}

// Exchange brings the ghosts of an array up to date, and waits for nothing that runs on a device.
func Exchange[T any](ctx context.Context, g GhostExchanger[T], field []T) error {
	if err := g.Start(ctx, field); err != nil {
		return err
	}
	if err := g.Send(ctx); err != nil {
		return err
	}
	return g.Finish(ctx)
}

// DeviceGhostExchanger is a GhostExchanger of devices that exchange among themselves.
type DeviceGhostExchanger[T any] interface {
	GhostExchanger[T]
	// Fork queues what f calls, which may be Start too, so that what is called later runs beside it until Finish.
	Fork(f func() error) error
}

// direct is for arrays in the memory of the host.
type direct[T any] struct{ x *Exchanger }

// NewDirect prepares exchanges of arrays that the host can read.
func NewDirect[T any](plan *Plan, comm dist.Comm, tag int) GhostExchanger[T] {
	var t T
	return direct[T]{NewExchanger(plan, comm, tag, int(unsafe.Sizeof(t)))}
}

func (d direct[T]) Start(ctx context.Context, field []T) error { return d.x.Start(ctx, Of(field)) }
func (d direct[T]) Send(context.Context) error                 { return nil }
func (d direct[T]) Finish(ctx context.Context) error           { return d.x.Finish(ctx) }
func (d direct[T]) Path() string                               { return Direct }
func (d direct[T]) Close() error                               { return nil }
