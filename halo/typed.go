package halo

import (
	"context"
	"errors"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// GhostExchanger is an Exchanger of arrays of one type, one at a time.
type GhostExchanger[T any] interface {
	Start(ctx context.Context, field []T) error
	Send(ctx context.Context) error
	Finish(ctx context.Context) error
	Kind() string
	Close() error
}

// typed is a GhostExchanger, with the connections that it owns.
type typed[T any] struct {
	Exchanger
	links  *Links
	owns   bool
	fields [1]Field
}

// DeviceExchanger is a GhostExchanger between devices, without the host.
type DeviceExchanger[T any] struct {
	typed[T]
	LinkedExchanger
}

func (x *typed[T]) Start(ctx context.Context, field []T) error {
	x.fields[0] = FieldOf(field)
	return x.Exchanger.Start(ctx, x.fields[:]...)
}

func (x *typed[T]) Close() error {
	err := x.Exchanger.Close()
	if x.owns {
		err = errors.Join(err, x.links.Close())
	}
	return err
}

func (x *DeviceExchanger[T]) Start(ctx context.Context, field []T) error {
	return x.typed.Start(ctx, field)
}
func (x *DeviceExchanger[T]) Send(ctx context.Context) error   { return nil }
func (x *DeviceExchanger[T]) Finish(ctx context.Context) error { return x.LinkedExchanger.Finish(ctx) }
func (x *DeviceExchanger[T]) Kind() string                     { return x.LinkedExchanger.Kind() }
func (x *DeviceExchanger[T]) Close() error                     { return x.typed.Close() }

// DeviceGhostExchanger is a GhostExchanger between devices, without the host: see LinkedExchanger.
type DeviceGhostExchanger[T any] interface {
	GhostExchanger[T]
	Fork(f func() error) error
}

// Connect links the devices of all ranks, and prepares exchanges of ghosts by them: see Link.
func Connect[T any](ctx context.Context, plan Route, comm dist.Comm, dev backend.Device, tag int,
	kind string) (GhostExchanger[T], error) {
	unlinked := ""
	if p, ok := plan.(*Plan); ok && p.Owned == 0 {
		unlinked = "it has no cells"
	}
	links, err := Link(ctx, comm, dev, kind, unlinked)
	if err != nil {
		return nil, err
	}
	x, err := connectBy[T](links, plan, tag, true)
	if err != nil {
		return nil, errors.Join(err, links.Close())
	}
	return x, nil
}

// ConnectLike prepares exchanges of elements of another type, by the devices that Connect has linked for x. Close the
// result before x.
func ConnectLike[U, T any](x GhostExchanger[T], plan Route, tag int) (GhostExchanger[U], error) {
	links := x.(interface{ linkedBy() *Links }).linkedBy()
	return connectBy[U](links, plan, tag, false)
}

func (x *typed[T]) linkedBy() *Links { return x.links }

func connectBy[T any](links *Links, plan Route, tag int, owns bool) (GhostExchanger[T], error) {
	var t T
	x, err := links.Exchanger(plan, tag, int(unsafe.Sizeof(t)), true)
	if err != nil {
		return nil, err
	}
	of := typed[T]{Exchanger: x, links: links, owns: owns}
	if l, ok := x.(LinkedExchanger); ok {
		return &DeviceExchanger[T]{of, l}, nil
	}
	return &of, nil
}
