package solvers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// Totals measures the totals of fields, and their drifts since the start.
type Totals struct {
	comm     dist.Comm
	fields   []Field // those with a Total
	start    []float64
	onDevice []*deviceTotal // for each field; nil for one that the host adds up
	arrays   backend.Arrays // the arrays of onDevice
	queued   bool           // Observe can be used
	sum      dist.Accumulator
}

// NewTotals measures the totals of a solver's fields at the start. All ranks call it. Close frees what it allocates.
func NewTotals(ctx context.Context, comm dist.Comm, s Solver) (*Totals, error) {
	t := &Totals{comm: comm}
	for _, f := range s.Fields() {
		if f.Total != nil {
			t.fields = append(t.fields, f)
		}
	}
	for i := range t.fields {
		d, err := newDeviceTotal(&t.fields[i], &t.arrays)
		if err = Agree(ctx, comm, err); err != nil {
			t.Close()
			return nil, err
		}
		t.onDevice = append(t.onDevice, d)
		sum, err := t.sumOf(ctx, i, 0)
		if err != nil {
			t.Close()
			return nil, err
		}
		t.start = append(t.start, sum)
	}
	var err error
	if t.queued, err = t.canObserve(ctx, s); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// canObserve reports whether devices add up the totals of all fields on all ranks, and the solver is an Observer or has
// no quantities of its own.
func (t *Totals) canObserve(ctx context.Context, s Solver) (bool, error) {
	all := []int64{1}
	if slices.Contains(t.onDevice, nil) {
		all[0] = 0
	}
	if err := t.comm.AllreduceInt64(ctx, dist.Min, all); err != nil || all[0] == 0 {
		return false, err
	}
	if _, observes := s.(Observer); observes || len(t.fields) == 0 {
		return observes, nil
	}
	own, err := s.Measure(ctx)
	return len(own) == 0, err
}

// CanObserve reports whether Observe can be used. It is the same on all ranks.
func (t *Totals) CanObserve() bool { return t.queued }

// Observe queues a measurement of the current state on the device, as [Observer] does. All ranks call it at the same
// steps.
func (t *Totals) Observe(ctx context.Context, s Solver) error {
	if o, observes := s.(Observer); observes {
		if err := o.Observe(ctx); err != nil {
			return err
		}
	}
	for _, d := range t.onDevice {
		to, err := d.Begin()
		if err != nil {
			return err
		}
		if err := d.observe(to, s.Clock().Steps); err != nil {
			return err
		}
	}
	return nil
}

// Observed returns the results of the n earliest pending observations, which equal those of Measure at the times of
// Observe. All ranks make their reductions together. After an error it returns the results before it.
func (t *Totals) Observed(ctx context.Context, s Solver, n int) ([][]Quantity, error) {
	var joint dist.Joint
	var results []dist.Result[[]Quantity]
	for range n {
		result, err := t.observed(ctx, s, &joint)
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	if err := joint.Reduce(ctx, t.comm); err != nil {
		return nil, err
	}
	var all [][]Quantity
	for _, result := range results {
		quantities, err := result(ctx)
		if err != nil {
			return all, err
		}
		all = append(all, quantities)
	}
	return all, nil
}

// observed adds what ranks must reduce of the earliest pending observation, and returns its result.
func (t *Totals) observed(ctx context.Context, s Solver, to *dist.Joint) (dist.Result[[]Quantity], error) {
	own := func(context.Context) ([]Quantity, error) { return nil, nil }
	if o, observes := s.(Observer); observes {
		var err error
		if own, err = o.Observed(ctx, to); err != nil {
			return nil, err
		}
	}
	sums := make([]dist.Result[float64], len(t.onDevice))
	for i, d := range t.onDevice {
		from, err := d.End()
		if err != nil {
			return nil, err
		}
		if sums[i], err = t.observedSum(i, from, to); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) ([]Quantity, error) {
		all, err := own(ctx)
		if err != nil {
			return nil, err
		}
		for i, sum := range sums {
			total, err := sum(ctx)
			if err != nil {
				return nil, err
			}
			all = append(all, Measured(t.fields[i].Totals(), total, t.driftOf(i, total))...)
		}
		return all, nil
	}, nil
}

// Close frees the memory on the device.
func (t *Totals) Close() { t.arrays.Free() }

// Measure returns the quantities that the solver measures, and the totals and their drifts. If the state is not
// finite, the error says where.
func (t *Totals) Measure(ctx context.Context, s Solver) ([]Quantity, error) {
	all, err := s.Measure(ctx)
	if err != nil {
		return nil, err
	}
	for i := range t.fields {
		now, err := t.sumOf(ctx, i, s.Clock().Steps)
		if err != nil {
			return nil, err
		}
		all = append(all, Measured(t.fields[i].Totals(), now, t.driftOf(i, now))...)
	}
	return all, nil
}

// MeasureColumns measures at least the quantities that are columns of a table, if possible without the others. All
// ranks call it.
func (t *Totals) MeasureColumns(ctx context.Context, s Solver) ([]Quantity, error) {
	if !t.CanObserve() {
		return t.Measure(ctx, s)
	}
	if err := t.Observe(ctx, s); err != nil {
		return nil, err
	}
	all, err := t.Observed(ctx, s, 1)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Drifts returns the changes of the totals since the start, relative to the totals at the start unless those are 0,
// by quantity name. All ranks call it.
func (t *Totals) Drifts(ctx context.Context, steps int) (map[string]float64, error) {
	drifts := map[string]float64{}
	for i := range t.fields {
		now, err := t.sumOf(ctx, i, steps)
		if err != nil {
			return nil, err
		}
		drifts[t.fields[i].Total.Name] = t.driftOf(i, now)
	}
	return drifts, nil
}

// driftOf returns the drift of a field's total.
func (t *Totals) driftOf(i int, total float64) float64 {
	if start := t.start[i]; start != 0 {
		return (total - start) / start
	}
	return total
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

// sumOf returns the exact sum of field i over all ranks, now.
func (t *Totals) sumOf(ctx context.Context, i, step int) (float64, error) {
	f := &t.fields[i]
	if d := t.onDevice[i]; d != nil {
		now := d.Now()
		if err := d.observe(now, step); err != nil {
			return 0, err
		}
		return dist.ReduceFor(ctx, t.comm, func(to *dist.Joint) (dist.Result[float64], error) {
			return t.observedSum(i, now, to)
		})
	}
	var err error
	if t.sum, err = f.total(ctx); err != nil {
		return 0, err
	}
	total, err := t.reduce(ctx)
	if err != nil || total-total == 0 {
		return total, err
	}
	text, err := FirstInvalid(ctx, t.comm, step, []Field{*f}, nil)
	if err != nil {
		return 0, err
	}
	return 0, brokenTotal(text, f, step, total)
}

// observedSum adds the sum of field i, which the device of this rank has added up in `from`, and returns the sum over
// all ranks.
func (t *Totals) observedSum(i int, from *observedTotal, to *dist.Joint) (dist.Result[float64], error) {
	sum, entity, number, err := t.onDevice[i].read(from)
	if err != nil {
		return nil, err
	}
	to.Sum(&sum)
	return func(ctx context.Context) (float64, error) {
		total := sum.Float64()
		if total-total == 0 {
			return total, nil
		}
		f := &t.fields[i]
		text, err := DescribeInvalid(ctx, t.comm, from.steps, f, entity, []float64{number})
		if err != nil {
			return 0, err
		}
		return 0, brokenTotal(text, f, from.steps, total)
	}, nil
}

// reduce adds up the sums t.sum of all ranks.
func (t *Totals) reduce(ctx context.Context) (float64, error) {
	err := dist.AllreduceSum(ctx, t.comm, &t.sum)
	return t.sum.Float64(), err
}

// brokenTotal is the error of a total that is not finite. text describes an entity whose number is not finite, if there
// is one.
func brokenTotal(text string, f *Field, step int, total float64) error {
	if text == "" {
		text = fmt.Sprintf("step %d: %s adds up to %v", step, f.Total.Name, total)
	}
	return &InvalidState{errors.New(text)}
}
