package engine

import (
	"context"
	"reflect"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
)

// Ghosts are the copies of other ranks' entities that a plan fills, in any arrays over the same entities: ghosts of a
// mesh, some layers of ghosts of a block, or what ghosts return to their owners.
type Ghosts struct {
	box     *halo.BoxPlan // or
	mesh    *halo.Plan
	comm    dist.Comm
	dev     backend.Device
	kind    string // the user's choice of the exchanger
	tag     int
	empty   bool // nothing is exchanged
	kindOf  string
	typed   map[reflect.Type]any // exchangers by type of element
	closers []func() error
}

// BoxGhosts are those that a plan of a block fills. Ghosts that are exchanged at the same time need different tags.
func BoxGhosts(env *Env, plan *halo.BoxPlan, tag int) *Ghosts {
	return &Ghosts{box: plan, comm: env.Comm, dev: env.Device, kind: env.Halo, tag: tag, empty: len(plan.Phases) == 0,
		typed: map[reflect.Type]any{}}
}

// MeshGhosts are those that a plan of a part of a mesh fills.
func MeshGhosts(env *Env, plan *halo.Plan, tag int) *Ghosts {
	return &Ghosts{mesh: plan, comm: env.Comm, dev: env.Device, kind: env.Halo, tag: tag, empty: len(plan.Peers) == 0,
		typed: map[reflect.Type]any{}}
}

// Kind returns the kind of the exchangers: see halo.GhostExchanger.
func (g *Ghosts) Kind() string { return g.kindOf }

// Exchanged is an array that can be exchanged.
type Exchanged interface {
	field() halo.Field
	elementBytes() int
	connect(ctx context.Context, g *Ghosts) (transfer, error)
}

// transfer is an exchange of one array.
type transfer interface {
	start(ctx context.Context) error
	send(ctx context.Context) error
	finish(ctx context.Context) error
	fork(f func() error) error // of linked devices
	linked() bool
	exchanger() any
}

// arrayTransfer is the exchange of an array by an exchanger for its elements.
type arrayTransfer[T any] struct {
	ghosts halo.GhostExchanger[T]
	array  *Array[T]
}

func (x *arrayTransfer[T]) start(ctx context.Context) error  { return x.ghosts.Start(ctx, x.array.Data) }
func (x *arrayTransfer[T]) send(ctx context.Context) error   { return x.ghosts.Send(ctx) }
func (x *arrayTransfer[T]) finish(ctx context.Context) error { return x.ghosts.Finish(ctx) }

func (x *arrayTransfer[T]) exchanger() any { return x.ghosts }

func (x *arrayTransfer[T]) linked() bool {
	_, linked := x.ghosts.(halo.DeviceGhostExchanger[T])
	return linked
}

func (x *arrayTransfer[T]) fork(f func() error) error {
	return x.ghosts.(halo.DeviceGhostExchanger[T]).Fork(f)
}

// Exchanger returns the exchanger of arrays of a type, which all arrays of it share. All ranks call it.
func Exchanger[T any](ctx context.Context, g *Ghosts) (x halo.GhostExchanger[T], err error) {
	if x, known := g.typed[reflect.TypeFor[T]()].(halo.GhostExchanger[T]); known {
		return x, nil
	}
	if g.box != nil {
		x, err = halo.ConnectBox[T](ctx, g.box, g.comm, g.dev, g.tag, g.kind)
	} else {
		x, err = halo.Connect[T](ctx, g.mesh, g.comm, g.dev, g.tag, g.kind)
	}
	if err != nil {
		return nil, err
	}
	g.typed[reflect.TypeFor[T]()], g.kindOf = x, x.Kind()
	g.closers = append(g.closers, x.Close)
	return x, nil
}

// connect returns the exchange of an array.
func (a *Array[T]) connect(ctx context.Context, g *Ghosts) (transfer, error) {
	x, err := Exchanger[T](ctx, g)
	return &arrayTransfer[T]{x, a}, err
}

// hostTransfer is the exchange of several arrays in the host's memory, in one message per neighbour.
type hostTransfer struct {
	several interface {
		Start(ctx context.Context, fields ...halo.Field) error
		Finish(ctx context.Context) error
	}
	fields []halo.Field
}

func (x *hostTransfer) start(ctx context.Context) error  { return x.several.Start(ctx, x.fields...) }
func (x *hostTransfer) send(context.Context) error       { return nil }
func (x *hostTransfer) finish(ctx context.Context) error { return x.several.Finish(ctx) }
func (x *hostTransfer) fork(f func() error) error        { return f() }
func (x *hostTransfer) linked() bool                     { return false }
func (x *hostTransfer) exchanger() any                   { return x.several }

// Exchange fills the ghosts of some arrays.
type Exchange struct {
	ghosts    *Ghosts
	transfers []transfer
	after     []Task // fill ghosts that no rank owns, such as those beyond walls
	pending   bool   // started, not finished
	unsent    bool
	forked    bool // in the player's list of those that join finishes
}

// Of prepares the exchange of arrays together. All ranks call it in the same order.
func (g *Ghosts) Of(ctx context.Context, arrays ...Exchanged) (*Exchange, error) {
	x := &Exchange{ghosts: g}
	for _, a := range arrays {
		t, err := a.connect(ctx, g)
		if err != nil {
			return nil, err
		}
		x.transfers = append(x.transfers, t)
	}
	if g.kindOf != halo.Direct || len(arrays) == 1 {
		return x, nil
	}
	h, size := &hostTransfer{}, 0
	for _, a := range arrays {
		h.fields = append(h.fields, a.field())
		size += a.elementBytes()
	}
	if g.box != nil {
		h.several = halo.NewBoxExchanger(g.box, g.comm, g.tag, size)
	} else {
		h.several = halo.NewExchanger(g.mesh, g.comm, g.tag, size)
	}
	x.transfers = []transfer{h}
	return x, nil
}

// Then adds tasks that fill ghosts after an exchange.
func (x *Exchange) Then(tasks ...Task) *Exchange {
	x.after = append(x.after, tasks...)
	return x
}

// free reports whether the host takes no part in the exchange.
func (x *Exchange) free() bool {
	return x.ghosts.empty || x.ghosts.comm.Size() == 1 || x.transfers[0].linked()
}

func (x *Exchange) start(ctx context.Context) error {
	x.pending, x.unsent = true, true
	for _, t := range x.transfers {
		if err := t.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (x *Exchange) send(ctx context.Context) error {
	if !x.unsent {
		return nil
	}
	x.unsent = false
	for _, t := range x.transfers {
		if err := t.send(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (x *Exchange) finish(ctx context.Context) error {
	if !x.pending {
		return nil
	}
	if err := x.send(ctx); err != nil {
		return err
	}
	x.pending = false
	for _, t := range x.transfers {
		if err := t.finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (g *Ghosts) close() {
	for _, c := range g.closers {
		_ = c() // what remains is freed with the device
	}
	g.closers = nil
}
