package engine

import (
	"context"
	"fmt"
	"io"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
)

// Ghosts are the copies of other ranks' entities that a plan fills, in any arrays over the same entities: ghosts of a
// mesh, some layers of ghosts of a block, or what ghosts return to their owners.
type Ghosts struct {
	links      *links
	plan       halo.Route
	tag        int
	empty      bool          // nothing is exchanged
	exchangers []sizedGhosts // by what they exchange
	exchanges  []*Exchange
}

// sizedGhosts is the exchanger of one array of a size of its elements, or of several arrays of at most that size.
type sizedGhosts struct {
	bytes  int
	single bool
	halo.Exchanger
}

// links are the connections between the devices of all ranks, made when they are first needed.
type links struct {
	comm dist.Comm
	dev  backend.Device
	kind string // the user's choice of the exchanger
	log  io.Writer
	made *halo.Links
}

func (l *links) link(ctx context.Context, unlinked string) (_ *halo.Links, err error) {
	if l.made != nil {
		return l.made, nil
	}
	if l.made, err = halo.Link(ctx, l.comm, l.dev, l.kind, unlinked); err == nil && l.made.Note != "" && l.log != nil {
		fmt.Fprintf(l.log, "%-16s %s\n", "halo", l.made.Note)
	}
	return l.made, err
}

func (l *links) close() {
	if l.made != nil {
		_ = l.made.Close() // what remains is freed with the device
		l.made = nil
	}
}

// Link returns the connections between the devices of all ranks. All ranks call it.
func (e *Engine) Link(ctx context.Context) (*halo.Links, error) { return e.links.link(ctx, "") }

// BoxGhosts returns ghosts of a block. Ghosts that are exchanged at the same time need different tags.
func (e *Engine) BoxGhosts(plan *halo.BoxPlan, tag int) *Ghosts {
	return e.ghostsOf(plan, tag, len(plan.Phases) == 0)
}

// MeshGhosts returns ghosts of a part of a mesh.
func (e *Engine) MeshGhosts(plan *halo.Plan, tag int) *Ghosts {
	return e.ghostsOf(plan, tag, len(plan.Peers) == 0)
}

func (e *Engine) ghostsOf(plan halo.Route, tag int, empty bool) *Ghosts {
	g := &Ghosts{links: &e.links, plan: plan, tag: tag, empty: empty}
	e.ghosts = append(e.ghosts, g)
	return g
}

// Kind returns the kind of the exchangers: see halo.Exchanger.
func (g *Ghosts) Kind() string {
	if len(g.exchangers) == 0 {
		return ""
	}
	return g.exchangers[0].Kind()
}

// connect returns the exchanger of an array, or of several together.
func (g *Ghosts) connect(ctx context.Context, bytes int, single bool) (halo.Exchanger, error) {
	for _, x := range g.exchangers {
		if x.single == single && (x.bytes == bytes || !single && x.bytes > bytes) {
			return x.Exchanger, nil
		}
	}
	unlinked := ""
	if p, ok := g.plan.(*halo.Plan); ok && p.Owned == 0 {
		unlinked = "it has no cells"
	}
	l, err := g.links.link(ctx, unlinked)
	if err != nil {
		return nil, err
	}
	x, err := l.Exchanger(g.plan, g.tag, bytes, single)
	if err != nil {
		return nil, err
	}
	g.exchangers = append(g.exchangers, sizedGhosts{bytes, single, x})
	return x, nil
}

func (g *Ghosts) close() {
	for _, x := range g.exchangers {
		_ = x.Close() // what remains is freed with the device
	}
	g.exchangers = nil
}

// Exchanged is an array that can be exchanged.
type Exchanged interface {
	field() halo.Field
	elementBytes() int
}

// Exchange fills the ghosts of some arrays, which travel in one message to each neighbour.
type Exchange struct {
	ghosts  *Ghosts
	by      halo.Exchanger
	linked  halo.LinkedExchanger // by, if the devices are linked; otherwise nil
	fields  []halo.Field
	after   []Task // fill ghosts that no rank owns, such as those beyond walls
	pending bool   // started, not finished
	unsent  bool
	forked  bool // in the player's list of those that join finishes

	refreshed stateNumber // the state for which it was made last by Program.Refresh
}

// stateNumber is the number of steps before a state, and how many times a state was restored before it, from 1.
type stateNumber struct{ steps, restarts int }

// Of prepares the exchange of arrays together. All ranks call it in the same order.
func (g *Ghosts) Of(ctx context.Context, arrays ...Exchanged) (*Exchange, error) {
	x, bytes := &Exchange{ghosts: g}, 0
	for _, a := range arrays {
		x.fields = append(x.fields, a.field())
		bytes += a.elementBytes()
	}
	var err error
	if x.by, err = g.connect(ctx, bytes, len(arrays) == 1); err != nil {
		return nil, err
	}
	x.linked, _ = x.by.(halo.LinkedExchanger)
	g.exchanges = append(g.exchanges, x)
	return x, nil
}

// Then adds tasks that follow an exchange, on linked devices on its stream, before Await.
func (x *Exchange) Then(tasks ...Task) *Exchange {
	x.after = append(x.after, tasks...)
	return x
}

// Linked reports whether the devices exchange without the host.
func (x *Exchange) Linked() bool { return x.linked != nil }

// free reports whether the host takes no part in the exchange.
func (x *Exchange) free() bool {
	return x.ghosts.empty || x.ghosts.links.comm.Size() == 1 || x.linked != nil
}

func (x *Exchange) start(ctx context.Context) error {
	x.pending, x.unsent = true, true
	return x.by.Start(ctx, x.fields...)
}

func (x *Exchange) send(ctx context.Context) error {
	if !x.unsent {
		return nil
	}
	x.unsent = false
	return x.by.Send(ctx)
}

func (x *Exchange) finish(ctx context.Context) error {
	if !x.pending {
		return nil
	}
	if err := x.send(ctx); err != nil {
		return err
	}
	x.pending = false
	return x.by.Finish(ctx)
}
