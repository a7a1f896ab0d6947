package solvers

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
)

// Totals measures the totals of fields, and their drifts since the start.
type Totals struct {
	comm   dist.Comm
	fields []Field // those with a Total
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
		sum, err := t.sumOf(ctx, &t.fields[i], 0)
		if err != nil {
			return nil, err
		}
		t.start = append(t.start, sum)
	}
	return t, nil
}

// None reports whether no field has a total.
func (t *Totals) None() bool { return len(t.fields) == 0 }

// Measure returns the quantities that the solver measures, and the totals and their drifts. If the state is not
// finite, the error says where.
func (t *Totals) Measure(ctx context.Context, s Solver) ([]Quantity, error) {
	all, err := s.Measure(ctx)
	if err != nil {
		return nil, err
	}
	for i := range t.fields {
		now, drift, err := t.current(ctx, i, s.Clock().Steps)
		if err != nil {
			return nil, err
		}
		all = append(all, Measured(t.fields[i].Totals(), now, drift)...)
	}
	return all, nil
}

// Drifts returns the changes of the totals since the start, relative to the totals at the start unless those are 0,
// by quantity name. All ranks call it.
func (t *Totals) Drifts(ctx context.Context, steps int) (map[string]float64, error) {
	drifts := map[string]float64{}
	for i := range t.fields {
		_, drift, err := t.current(ctx, i, steps)
		if err != nil {
			return nil, err
		}
		drifts[t.fields[i].Total.Name] = drift
	}
	return drifts, nil
}

// current returns a total and its drift.
func (t *Totals) current(ctx context.Context, i, steps int) (total, drift float64, err error) {
	if total, err = t.sumOf(ctx, &t.fields[i], steps); err != nil {
		return 0, 0, err
	}
	if start := t.start[i]; start != 0 {
		return total, (total - start) / start, nil
	}
	return total, total, nil
}

// Totals returns the quantities for the total of a field and its drift; none for a field without a total.
func (f *Field) Totals() []Quantity {
	if f.Total == nil {
		return nil
	}
	total := *f.Total
	total.Outputs = Column | Metric
	return []Quantity{total,
		{Name: total.Name + "_drift", Outputs: Metric | Drift, Doc: "relative change of " + total.Name + " since the start"}}
}

// sumOf returns the exact sum of a field over all ranks.
func (t *Totals) sumOf(ctx context.Context, f *Field, step int) (float64, error) {
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
	text, err := FirstInvalid(ctx, t.comm, step, []Field{*f}, nil)
	switch {
	case err != nil:
		return 0, err
	case text == "":
		return 0, fmt.Errorf("step %d: %s adds up to %v", step, f.Total.Name, total)
	}
	return 0, errors.New(text)
}
