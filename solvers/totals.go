package solvers

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
)

// Totals measures what fields add up to, and how far that is from where it began.
type Totals struct {
	comm   dist.Comm
	fields []Field // that have a total
	start  []float64
	sum    dist.Accumulator
}

// NewTotals measures the totals of a solver's fields at the start. All ranks call it.
func NewTotals(ctx context.Context, comm dist.Comm, s Solver) (*Totals, error) {
	t := &Totals{comm: comm}
	for _, f := range s.Fields() {
		if f.Total != nil {
			t.fields = append(t.fields, f)
		}
	}
	for i := range t.fields {
		sum, err := t.of(ctx, &t.fields[i], 0)
		if err != nil {
			return nil, err
		}
		t.start = append(t.start, sum)
	}
	return t, nil
}

// None tells that no field has a total.
func (t *Totals) None() bool { return len(t.fields) == 0 }

// Measure adds the totals after a step to what the solver measured, and their drifts since the start. A state that is
// not finite is an error that says where.
func (t *Totals) Measure(ctx context.Context, s Solver) ([]Quantity, error) {
	all, err := s.Measure(ctx)
	if err != nil {
		return nil, err
	}
	for i := range t.fields {
		now, drift, err := t.now(ctx, i, s.Clock().Steps)
		if err != nil {
			return nil, err
		}
		all = append(all, Measured(t.fields[i].Totals(), now, drift)...)
	}
	return all, nil
}

// Drifts are how far the totals are from where they began after some steps, as shares of that unless it was 0. All
// ranks call it.
func (t *Totals) Drifts(ctx context.Context, steps int) (map[string]float64, error) {
	drifts := map[string]float64{}
	for i := range t.fields {
		_, drift, err := t.now(ctx, i, steps)
		if err != nil {
			return nil, err
		}
		drifts[t.fields[i].Total.Name] = drift
	}
	return drifts, nil
}

// now is a total, and its drift.
func (t *Totals) now(ctx context.Context, i, steps int) (total, drift float64, err error) {
	if total, err = t.of(ctx, &t.fields[i], steps); err != nil {
		return 0, 0, err
	}
	if start := t.start[i]; start != 0 {
		return total, (total - start) / start, nil
	}
	return total, total, nil
}

// Totals are what a field adds up to, and how far that is from where it began; none of a field without a total.
func (f *Field) Totals() []Quantity {
	if f.Total == nil {
		return nil
	}
	total := *f.Total
	total.In = Column | Metric
	return []Quantity{total,
		{Name: total.Name + "_drift", In: Metric | Drift, Doc: "relative change of " + total.Name + " since the start"}}
}

// of is the exact sum over all ranks.
func (t *Totals) of(ctx context.Context, f *Field, step int) (float64, error) {
	var err error
	if t.sum, err = f.total(ctx); err != nil {
		return 0, err
	}
	if err := dist.AllreduceSum(ctx, t.comm, &t.sum); err != nil {
		return 0, err
	}
	total := t.sum.Float64()
	if total-total == 0 {
		return total, nil
	}
	text, err := Broken(ctx, t.comm, step, []Field{*f}, nil)
	switch {
	case err != nil:
		return 0, err
	case text == "":
		return 0, fmt.Errorf("step %d: %s adds up to %v", step, f.Total.Name, total)
	}
	return 0, errors.New(text)
}
