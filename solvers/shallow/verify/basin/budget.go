package basin

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// budget collects the mass budgets of the simulations of a check. Those without inflow and sources share an entry for
// each precision.
type budget struct {
	entries []entry
}

// entry is the mass budget of one or more simulations. unexplained is the change of a layer's mass that its sources do
// not explain, relative to the largest of its mass at the start, its mass at the end, and the sum of the volumes that
// sources have added or removed.
type entry struct {
	precision, sources string
	cells, flows       int
	mass, unexplained  float64
}

// maxUnexplained is the limit of entry.unexplained, which must be round-off, by precision.
var maxUnexplained = map[string]float64{"float64": 1e-13, "float32": 1e-6}

type budgetKey struct{}

// WithBudget returns a check that also prints a table of the mass budgets of its flows, which must be closed: see
// entry.
func WithBudget(check func(context.Context, *verify.Page) error) func(context.Context, *verify.Page) error {
	return func(ctx context.Context, p *verify.Page) error {
		var b budget
		if err := check(context.WithValue(ctx, budgetKey{}, &b), p); err != nil {
			return err
		}
		if len(b.entries) == 0 {
			return nil
		}
		t := p.Table("budget of masses", "flows", "precision", "cells", "mass, m³", "came in, m³", "unexplained, as a share")
		for _, e := range b.entries {
			t.Row(verify.AtMost(e.unexplained, maxUnexplained[e.precision]), e.flows, e.precision, e.cells, e.mass, e.sources,
				e.unexplained)
		}
		t.Flush()
		return nil
	}
}

// WithoutBudget returns a context whose flows are in no table of budgets: for checks of many flows, which check the
// volumes themselves.
func WithoutBudget(ctx context.Context) context.Context {
	return context.WithValue(ctx, budgetKey{}, (*budget)(nil))
}

// openBudget records the masses at the start of a flow.
func (b *Basin) openBudget(ctx context.Context) (err error) {
	if b.budget, _ = ctx.Value(budgetKey{}).(*budget); b.budget != nil {
		b.startDiagnostics, err = b.Diagnose(ctx)
	}
	return err
}

// closeBudget adds a finished flow to the budget of its check, unless its state was changed from outside.
func (b *Basin) closeBudget(ctx context.Context) {
	if b.budget == nil || b.modified {
		return
	}
	now, err := b.Diagnose(ctx)
	if err != nil { // the run reports the error; here NaN exceeds the bound
		b.budget.add(entry{precision: b.precision, flows: 1, sources: err.Error(), unexplained: math.NaN()})
		return
	}
	e := entry{precision: b.precision, cells: b.Part.Owned, flows: 1, mass: now.Mass1 + now.Mass2}
	for layer := range 2 {
		volumes := func(d *shallow.Diagnostics, s *shallow.Source) (float64, float64) {
			if layer == 0 {
				return d.Mass1, s.Volume1
			}
			return d.Mass2, s.Volume2
		}
		var inflow, total float64
		for k := range now.Sources {
			_, v := volumes(&now, &now.Sources[k])
			inflow, total = inflow+v, total+math.Abs(v)
		}
		start, _ := volumes(&b.startDiagnostics, &shallow.Source{})
		end, _ := volumes(&now, &shallow.Source{})
		if scale := max(start, end, total); scale > 0 {
			e.unexplained = max(e.unexplained, math.Abs(end-start-inflow)/scale)
		}
	}
	var words []string
	for _, s := range now.Sources {
		words = append(words, fmt.Sprintf("%s %.6g", s.Name, s.Volume1+s.Volume2))
	}
	e.sources = strings.Join(words, ", ")
	b.budget.add(e)
}

// add adds an entry, or merges it with that of the other flows without sources in its precision.
func (b *budget) add(e entry) {
	for k := range b.entries {
		if o := &b.entries[k]; e.sources == "" && o.sources == "" && o.precision == e.precision {
			o.flows, o.cells = o.flows+1, max(o.cells, e.cells)
			o.mass, o.unexplained = max(o.mass, e.mass), max(o.unexplained, e.unexplained)
			return
		}
	}
	b.entries = append(b.entries, e)
}
