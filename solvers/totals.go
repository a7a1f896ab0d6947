package solvers

import (
	"context"
	"errors"

	"github.com/atoll-hpc/atoll/dist"
)

// Totals measures what fields add up to, and how far that is from where it began.
type Totals struct {
	comm   dist.Comm
	fields []Field // that have a total
	start  []float64
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

// Measure adds the totals after a step to what the solver measured, and their drifts since the start. A state that is
// not finite is an error that says where.
func (t *Totals) Measure(ctx context.Context, s Solver) ([]Quantity, error) {
	all, err := s.Measure(ctx)
	if err != nil {
		return nil, err
	}
	for i := range t.fields {
		f := &t.fields[i]
		q, drift := *f.Total, Quantity{Name: f.Total.Name + "_drift", In: Metric | Drift, Doc: driftDoc}
		if q.Value, err = t.of(ctx, f, s.Clock().Steps); err != nil {
			return nil, err
		}
		q.In, drift.Value = Column|Metric, q.Value
		if t.start[i] != 0 {
			drift.Value = (q.Value - t.start[i]) / t.start[i]
		}
		all = append(all, q, drift)
	}
	return all, nil
}

const driftDoc = "relative change since the start"

// of is the exact sum over all ranks.
func (t *Totals) of(ctx context.Context, f *Field, step int) (float64, error) {
	values, err := f.Read(ctx)
	if err != nil {
		return 0, err
	}
	var sum dist.Accumulator
	for i, v := range values {
		if f.On.Size != nil {
			v *= f.On.Size(i)
		}
		sum.Add(v)
	}
	if err := dist.AllreduceSum(ctx, t.comm, &sum); err != nil {
		return 0, err
	}
	total := sum.Float64()
	if total-total == 0 {
		return total, nil
	}
	text, err := Broken(ctx, t.comm, step, []Field{*f}, nil)
	if err == nil {
		err = errors.New(text)
	}
	return 0, err
}
