package solvers

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/expr"
	"github.com/atoll-hpc/atoll/dist"
)

// Errors are norms of the difference e between a field and an exact solution, weighted by the sizes of entities: the
// mean of |e|, the root of the mean of e², and the largest |e|, in the unit of the field.
type Errors struct{ L1, L2, Max float64 }

// ErrorQuantities lists the quantities by which the Errors of a field are reported.
func ErrorQuantities(f *Field) []Quantity {
	list := []Quantity{
		{Name: f.Name + "_l1_error", Doc: "the mean of |%s - exact| over all cells"},
		{Name: f.Name + "_l2_error", Doc: "the root of the mean of (%s - exact)²"},
		{Name: f.Name + "_max_error", Doc: "the largest |%s - exact|"},
	}
	for i := range list {
		list[i].Unit, list[i].Doc, list[i].Outputs, list[i].Error = f.Unit, fmt.Sprintf(list[i].Doc, f.Name), Metric, true
	}
	return list
}

// CheckExact refuses a case with an exact solution for something that is not a field with one number per entity.
func CheckExact(s Solver, c *config.Case) error {
	fields := s.Fields()
	for _, exact := range c.Exact {
		if matches := Named(fields, []string{exact.Name}); len(matches) == 0 || len(matches[0].Numbers()) != 1 {
			return &BadInput{fmt.Errorf("[exact] %s: not a field of this case with one number per entity", exact.Name)}
		}
	}
	return nil
}

// MeasureExact measures the errors of all fields for which the case has exact solutions. CheckExact must have
// accepted the case. All ranks call it.
func MeasureExact(ctx context.Context, comm dist.Comm, s Solver, c *config.Case) (all []Quantity, err error) {
	fields := s.Fields()
	for _, exact := range c.Exact {
		matches := Named(fields, []string{exact.Name})
		e, err := matches[0].Errors(ctx, comm, exact.Program, s.Clock().Time)
		if err != nil {
			return nil, fmt.Errorf("[exact] %s: %w", exact.Name, err)
		}
		all = append(all, Measured(ErrorQuantities(&matches[0]), e.L1, e.L2, e.Max)...)
	}
	return all, nil
}

// Errors measures the difference between a field with one number per entity and an expression at time t in s. All
// ranks call it and get the same result.
func (f *Field) Errors(ctx context.Context, comm dist.Comm, exact *expr.Program, t float64) (e Errors, err error) {
	values, err := f.Read(ctx)
	if err != nil {
		return e, err
	}
	var sum, squares, volume dist.Accumulator
	maxDifference := []float64{0}
	for i, v := range values {
		position, size := [3]float64{}, 1.0
		copy(position[:], f.Space.Position(i))
		exactValue, failed := exact.Eval(position[0], position[1], position[2], t)
		if failed != nil && err == nil {
			err = failed // on this rank; Agree passes it to the others
		}
		if f.Space.Size != nil {
			size = f.Space.Size(i)
		}
		difference := math.Abs(v - exactValue)
		sum.Add(difference * size)
		squares.Add(difference * difference * size)
		volume.Add(size)
		maxDifference[0] = max(maxDifference[0], difference)
	}
	if err := Agree(ctx, comm, err); err != nil {
		return e, err
	}
	if err := dist.AllreduceSum(ctx, comm, &sum, &squares, &volume); err != nil {
		return e, err
	}
	if err := comm.AllreduceFloat64(ctx, dist.Max, maxDifference); err != nil {
		return e, err
	}
	totalSize := volume.Float64()
	return Errors{sum.Float64() / totalSize, math.Sqrt(squares.Float64() / totalSize), maxDifference[0]}, nil
}
