package solvers

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/expr"
	"github.com/atoll-hpc/atoll/dist"
)

// Errors are how far a field is from an exact one, over the sizes of entities: the mean of |e|, the root of the mean of
// e², and the largest |e|, in the unit of the field.
type Errors struct{ L1, L2, Max float64 }

// ErrorsOf are the quantities that Errors of a field are told as.
func ErrorsOf(f *Field) []Quantity {
	list := []Quantity{
		{Name: f.Name + "_l1_error", Doc: "the mean of |%s - exact| over all cells"},
		{Name: f.Name + "_l2_error", Doc: "the root of the mean of (%s - exact)²"},
		{Name: f.Name + "_max_error", Doc: "the largest |%s - exact|"},
	}
	for i := range list {
		list[i].Unit, list[i].Doc, list[i].In, list[i].Error = f.Unit, fmt.Sprintf(list[i].Doc, f.Name), Metric, true
	}
	return list
}

// CheckExact refuses a case that gives exactly what is no field of one number.
func CheckExact(s Solver, c *config.Case) error {
	fields := s.Fields()
	for _, exact := range c.Exact {
		if of := Named(fields, []string{exact.Name}); len(of) == 0 || len(of[0].Numbers()) != 1 {
			return &BadInput{fmt.Errorf("[exact] %s: it is no field of one number of this case", exact.Name)}
		}
	}
	return nil
}

// MeasureExact measures the errors of the fields that a case, which was checked, gives exactly, as ErrorsOf names them.
// All ranks call it.
func MeasureExact(ctx context.Context, comm dist.Comm, s Solver, c *config.Case) (all []Quantity, err error) {
	fields := s.Fields()
	for _, exact := range c.Exact {
		of := Named(fields, []string{exact.Name})
		e, err := of[0].Errors(ctx, comm, exact.Program, s.Clock().Time)
		if err != nil {
			return nil, fmt.Errorf("[exact] %s: %w", exact.Name, err)
		}
		all = append(all, Measured(ErrorsOf(&of[0]), e.L1, e.L2, e.Max)...)
	}
	return all, nil
}

// Errors measures how far a field of one number is from an expression at a time, in s. All ranks call it, and get the
// same.
func (f *Field) Errors(ctx context.Context, comm dist.Comm, exact *expr.Program, t float64) (e Errors, err error) {
	values, err := f.Read(ctx)
	if err != nil {
		return e, err
	}
	var sum, squares, volume dist.Accumulator
	most := []float64{0}
	for i, v := range values {
		at, size := [3]float64{}, 1.0
		copy(at[:], f.On.At(i))
		want, failed := exact.Eval(at[0], at[1], at[2], t)
		if failed != nil && err == nil {
			err = failed // of this rank alone: the others are told below
		}
		if f.On.Size != nil {
			size = f.On.Size(i)
		}
		off := math.Abs(v - want)
		sum.Add(off * size)
		squares.Add(off * off * size)
		volume.Add(size)
		most[0] = max(most[0], off)
	}
	if err := Agree(ctx, comm, err); err != nil {
		return e, err
	}
	if err := dist.AllreduceSum(ctx, comm, &sum, &squares, &volume); err != nil {
		return e, err
	}
	if err := comm.AllreduceFloat64(ctx, dist.Max, most); err != nil {
		return e, err
	}
	whole := volume.Float64()
	return Errors{sum.Float64() / whole, math.Sqrt(squares.Float64() / whole), most[0]}, nil
}
