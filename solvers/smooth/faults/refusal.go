// Package faults collects faults of a mesh or a metric, and makes the same error of them on all ranks.
package faults

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Refusal is an error caused by the mesh or the metric, the same on all ranks.
type Refusal struct{ Err error }

func (r *Refusal) Error() string { return r.Err.Error() }
func (r *Refusal) Unwrap() error { return r.Err }

// OutOfRange is a part of messages about numbers that over- or underflow, with advice.
const OutOfRange = "too large or too small to compute with: scale the coordinates, or the sizes"

// DescribeMetric returns what is wrong with a metric that is not positive definite in the precision of the run, as
// a part of a message.
func DescribeMetric(components []float64, positive func(components []float64) bool) string {
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
		return OutOfRange
	}
	return "not positive definite"
}

// List collects faults of vertices or cells of a part: their number, and the text of the one with the lowest id.
type List struct {
	Count int64
	id    int32
	Text  string
}

// Add counts a fault of the vertex or cell with an id, and keeps its text if that id is the lowest so far.
func (c *List) Add(id int32, format string, args ...any) {
	if c.Count++; c.Count == 1 || id < c.id {
		c.id, c.Text = id, fmt.Sprintf(format, args...)
	}
}

// Agree returns the same Refusal on all ranks if any of them has a fault.
func Agree(ctx context.Context, comm dist.Comm, c List) error {
	least := []int64{math.MaxInt64}
	if c.Count > 0 {
		least[0] = int64(c.id)
	}
	total := []int64{c.Count}
	if err := comm.AllreduceInt64(ctx, dist.Sum, total); err != nil {
		return err
	}
	if total[0] == 0 {
		return nil
	}
	if err := comm.AllreduceInt64(ctx, dist.Min, least); err != nil {
		return err
	}
	if c.Count == 0 || int64(c.id) != least[0] {
		c.Text = ""
	}
	_, text, err := dist.FirstText(ctx, comm, c.Text)
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

// OnAnyRank returns an error on all ranks if any has one: its own, or that of the lowest rank, with the rank's
// number.
func OnAnyRank(ctx context.Context, comm dist.Comm, own error) error {
	rank, text, err := dist.FirstError(ctx, comm, own)
	switch {
	case err != nil:
		return err
	case own != nil:
		return own
	case text != "":
		return fmt.Errorf("rank %d cannot use its part of the mesh: %s", rank, text)
	}
	return nil
}

// FormatPoint formats coordinates for messages.
func FormatPoint[F num.Float](x []F) string {
	text := "("
	for k, c := range x {
		if k > 0 {
			text += ", "
		}
		text += strconv.FormatFloat(float64(c), 'g', 6, 64)
	}
	return text + ")"
}
