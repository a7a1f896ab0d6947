package adaptation

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// order is what rank 0, which has the mesh, tells the other ranks: to help with an adaptation, or to end.
type order struct {
	End   bool
	Case  source // in the first order
	On    domain
	Nodal *request.Nodal // a metric that is given at vertices, if it is new; otherwise that before, or the case's
	Scale float64
}

// failure is what a rank has found wrong with the metric; Text is "" for nothing.
type failure struct {
	Where measure.Vector
	Text  string
}

// encoded returns a value in bytes.
func encoded(value any) ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		return nil, fmt.Errorf("a message between ranks: %w", err)
	}
	return b.Bytes(), nil
}

func decoded(b []byte, value any) error {
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(value); err != nil {
		return fmt.Errorf("a message between ranks: %w", err)
	}
	return nil
}

// command tells the other ranks what to do, and returns an error, on all ranks, if one cannot.
func (s *session) command(ctx context.Context, o *order) error {
	if s.comm.Size() == 1 {
		return nil
	}
	text, err := encoded(o)
	if err != nil {
		return err
	}
	if _, err := dist.TextOf(ctx, s.comm, 0, string(text)); err != nil || o.End {
		return err
	}
	return solvers.Agree(ctx, s.comm, nil)
}

// adaptTo adapts the mesh, with the help of the other ranks, to the last metric.
func (s *session) adaptTo(ctx context.Context) error {
	o := &order{On: s.domain, Scale: s.last.scale, Nodal: s.last.nodal}
	if !s.told {
		o.Case = s.source
	}
	if err := s.command(ctx, o); err != nil {
		return err
	}
	s.told, s.last.nodal = true, nil
	if err := s.run(ctx); err != nil {
		return err
	}
	if err := s.last.gather(ctx, s.comm); err != nil {
		return err
	}
	if err := s.last.failed(); err != nil {
		return &solvers.BadInput{Err: err}
	}
	return nil
}

// gather adds to rank 0's errors those of the other ranks.
func (g *given) gather(ctx context.Context, comm dist.Comm) error {
	f := failure{Where: g.where}
	if g.err != nil {
		f.Text = g.err.Error()
	}
	mine, err := encoded(&f)
	if err != nil {
		return err
	}
	all, err := comm.Gatherv(ctx, 0, mine)
	for _, text := range all {
		var f failure
		if err := decoded(text, &f); err != nil {
			return err
		}
		if f.Text != "" {
			g.fail(f.Where, errors.New(f.Text))
		}
	}
	return err
}

// help does what rank 0 tells this rank, until that ends. Errors in the case of this rank are rank 0's too.
func help(ctx context.Context, comm dist.Comm, threads int) error {
	var w *sections
	var g *given
	for {
		text, err := dist.TextOf(ctx, comm, 0, "")
		if err != nil {
			return err
		}
		var o order
		if err := decoded([]byte(text), &o); err != nil || o.End {
			return err
		}
		if o.Case.Path != "" {
			var c *config.Case
			if c, err = o.Case.parse(); err == nil {
				w = c.Sections.(*sections)
			}
		}
		if err == nil {
			g, err = o.metric(w, g)
		}
		if err := solvers.Agree(ctx, comm, err); err != nil {
			continue // rank 0 ends
		}
		err = adapt.Help(ctx, g.field(o.On.Dim), adapt.Options{Threads: threads, Exchange: &exchange{ctx, comm}})
		if err != nil {
			return err
		}
		if err := g.gather(ctx, comm); err != nil {
			return err
		}
	}
}

// metric returns the metric of an order. last is that of the order before.
func (o *order) metric(w *sections, last *given) (*given, error) {
	g := &given{scale: o.Scale}
	switch {
	case o.Nodal != nil:
		return g, g.interpolate(o.Nodal)
	case last != nil:
		g.at, g.sizes = last.at, last.sizes
		return g, nil
	}
	at, err := o.On.direct(&w.Metric)
	g.at = at
	return g, err
}
