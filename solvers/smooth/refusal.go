package smooth

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Refusal is an error that the mesh or the metric caused, the same on all ranks.
type Refusal struct{ Err error }

func (r *Refusal) Error() string { return r.Err.Error() }
func (r *Refusal) Unwrap() error { return r.Err }

// outOfRange is what to do about numbers that over- or underflow.
const outOfRange = "too large or too small to compute with: scale the coordinates, or the sizes"

// unfit says what is wrong with a metric that is not positive definite, or whose determinant is not a positive number.
func unfit(components []float64, positive func(components []float64) bool) string {
	largest := 0.0
	for _, x := range components {
		largest = max(largest, math.Abs(x))
	}
	scaled := make([]float64, len(components))
	for k, x := range components {
		scaled[k] = x / largest
	}
	switch {
	case largest == 0:
		return "not positive definite, or too small for the precision"
	case math.IsInf(largest, 0) || positive(scaled):
		return outOfRange
	}
	return "not positive definite"
}

// complaint is what is wrong about some vertices or cells of a part: how many, and the one of the lowest id.
type complaint struct {
	count int64
	id    int32
	text  string
}

func (c *complaint) add(id int32, format string, args ...any) {
	if c.count++; c.count == 1 || id < c.id {
		c.id, c.text = id, fmt.Sprintf(format, args...)
	}
}

// agree returns the same error on all ranks, a Refusal, if one has a complaint.
func agree(ctx context.Context, comm dist.Comm, c complaint) error {
	least := []int64{math.MaxInt64}
	if c.count > 0 {
		least[0] = int64(c.id)
	}
	total := []int64{c.count}
	if err := comm.AllreduceInt64(ctx, dist.Sum, total); err != nil {
		return err
	}
	if total[0] == 0 {
		return nil
	}
	if err := comm.AllreduceInt64(ctx, dist.Min, least); err != nil {
		return err
	}
	if c.count == 0 || int64(c.id) != least[0] {
		c.text = ""
	}
	_, text, err := dist.FirstText(ctx, comm, c.text)
	switch {
	case err != nil:
		return err
	case text != "" && total[0] > 1:
		return &Refusal{fmt.Errorf("%s; and %d more faults", text, total[0]-1)}
	case text != "":
		return &Refusal{errors.New(text)}
	}
	return &Refusal{fmt.Errorf("%d faults in the mesh or the metric", total[0])}
}

// sameFault returns an error on all ranks if one has one: its own, or that of the lowest rank, with its name.
func sameFault(ctx context.Context, comm dist.Comm, bad error) error {
	var text []byte
	if bad != nil {
		text = []byte(bad.Error())
	}
	all, err := comm.Allgatherv(ctx, text)
	if err != nil {
		return err
	}
	if bad != nil {
		return bad
	}
	for r, t := range all {
		if len(t) > 0 {
			return fmt.Errorf("rank %d refuses its patch: %s", r, t)
		}
	}
	return nil
}

// place writes coordinates for people.
func place[F num.Float](x []F) string {
	text := "("
	for k, c := range x {
		if k > 0 {
			text += ", "
		}
		text += strconv.FormatFloat(float64(c), 'g', 6, 64)
	}
	return text + ")"
}
