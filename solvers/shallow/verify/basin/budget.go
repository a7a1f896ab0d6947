package basin

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// budget is what the flows of a check leave unexplained of their masses, as shares of the largest of: the mass at the
// start, that at the end, and what passed in all. Flows between walls make one entry a precision, others one each.
type budget struct {
	entries []entry
}

type entry struct {
	precision, sources string
	cells, flows       int
	mass, left         float64
}

// share of its mass that a flow may leave unexplained: rounding.
var unexplained = map[string]float64{"float64": 1e-13, "float32": 1e-6}

type budgetKey struct{}

// Budgeted is a check that ends with a table of the budgets of its flows, which must close.
func Budgeted(check func(context.Context, *verify.Page) error) func(context.Context, *verify.Page) error {
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
			t.Row(verify.AtMost(e.left, unexplained[e.precision]), e.flows, e.precision, e.cells, e.mass, e.sources, e.left)
		}
		t.Flush()
		return nil
	}
}

// open takes note of the masses at the start of a flow.
func (b *Basin) open(ctx context.Context) (err error) {
	if b.budget, _ = ctx.Value(budgetKey{}).(*budget); b.budget != nil {
		b.first, err = b.Diagnose(ctx)
	}
	return err
}

// settle adds a flow that ends to the budget of its check. One that was changed from outside has none.
func (b *Basin) settle(ctx context.Context) {
	if b.budget == nil || b.nudged {
		return
	}
	now, err := b.Diagnose(ctx)
	if err != nil { // which the run ends with; here it misses a bound
		b.budget.add(entry{precision: b.precision, flows: 1, sources: err.Error(), left: math.NaN()})
		return
	}
	e := entry{precision: b.precision, cells: b.Part.Owned, flows: 1, mass: now.Mass1 + now.Mass2}
	for layer := range 2 {
		of := func(d *shallow.Diagnostics, s *shallow.Source) (float64, float64) {
			if layer == 0 {
				return d.Mass1, s.V1
			}
			return d.Mass2, s.V2
		}
		var came, passed float64
		for k := range now.Sources {
			_, v := of(&now, &now.Sources[k])
			came, passed = came+v, passed+math.Abs(v)
		}
		from, _ := of(&b.first, &shallow.Source{})
		to, _ := of(&now, &shallow.Source{})
		if whole := max(from, to, passed); whole > 0 {
			e.left = max(e.left, math.Abs(to-from-came)/whole)
		}
	}
	var words []string
	for _, s := range now.Sources {
		words = append(words, fmt.Sprintf("%s %.6g", s.Name, s.V1+s.V2))
	}
	e.sources = strings.Join(words, ", ")
	b.budget.add(e)
}

// add adds a flow, to those between walls if it is one of them.
func (b *budget) add(e entry) {
	for k := range b.entries {
		if o := &b.entries[k]; e.sources == "" && o.sources == "" && o.precision == e.precision {
			o.flows, o.cells, o.mass, o.left = o.flows+1, max(o.cells, e.cells), max(o.mass, e.mass), max(o.left, e.left)
			return
		}
	}
	b.entries = append(b.entries, e)
}
