package basin

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// budget is the part of the masses that a check's flows leave unexplained, relative to the largest of the mass at the
// start, at the end, and what has passed in total. Flows between walls share an entry for each precision.
type budget struct {
	entries []entry
}

type entry struct {
	precision, sources string
	cells, flows       int
	mass, left         float64
}

// limit of the unexplained part of the mass: round-off.
var unexplained = map[string]float64{"float64": 1e-13, "float32": 1e-6}

type budgetKey struct{}

// Budgeted adds to a check a table of the budgets of its flows, which must close.
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

// openBudget records the masses at the start of a flow.
func (b *Basin) openBudget(ctx context.Context) (err error) {
	if b.budget, _ = ctx.Value(budgetKey{}).(*budget); b.budget != nil {
		b.first, err = b.Diagnose(ctx)
	}
	return err
}

// closeBudget adds a finished flow to the budget of its check, unless its state was changed from outside.
func (b *Basin) closeBudget(ctx context.Context) {
	if b.budget == nil || b.changed {
		return
	}
	now, err := b.Diagnose(ctx)
	if err != nil { // the run reports the error; here the bound is missed
		b.budget.add(entry{precision: b.precision, flows: 1, sources: err.Error(), left: math.NaN()})
		return
	}
	e := entry{precision: b.precision, cells: b.Part.Owned, flows: 1, mass: now.Mass1 + now.Mass2}
	for layer := range 2 {
		volumes := func(d *shallow.Diagnostics, s *shallow.Source) (float64, float64) {
			if layer == 0 {
				return d.Mass1, s.V1
			}
			return d.Mass2, s.V2
		}
		var came, passed float64
		for k := range now.Sources {
			_, v := volumes(&now, &now.Sources[k])
			came, passed = came+v, passed+math.Abs(v)
		}
		from, _ := volumes(&b.first, &shallow.Source{})
		to, _ := volumes(&now, &shallow.Source{})
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
