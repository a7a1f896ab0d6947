package problem

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

const worstCell = "worst_cell"

const inAll, inSummary = solvers.Column | solvers.Metric, solvers.Metric

// quantities are the diagnostics, in the order in which Measure returns them.
var quantities = []solvers.Quantity{
	{Name: "quality_min", Doc: "quality of the worst cell, from 0 to 1, or negative if the cell is inverted",
		Outputs: inAll,
		Panel:   "quality"},
	{Name: "quality_mean", Doc: "mean quality of all cells", Outputs: inAll, Panel: "quality"},
	{Name: "objective", Doc: "½Σ u'Mu over all edges u, with the metric M", Outputs: inAll, Panel: "½Σ u'Mu"},
	{Name: "edge_in_range", Doc: "share of the edges whose length in the metric is between 1/√2 and √2",
		Outputs: inAll, Panel: "share of edges"},
	{Name: "inverted", Doc: "number of inverted cells", Outputs: inAll},
	{Name: "area_drift", Doc: "relative change of the area or volume since the start", Outputs: inAll | solvers.Drift},
	{Name: "perimeter_drift", Doc: "relative change of the perimeter or surface since the start",
		Outputs: inSummary | solvers.Drift},
	{Name: "quality_max", Doc: "quality of the best cell", Outputs: inSummary},
	{Name: "quality_min_before", Doc: "quality of the worst cell at the start", Outputs: inSummary},
	{Name: "quality_mean_before", Doc: "mean quality at the start", Outputs: inSummary},
	{Name: "sweeps", Doc: "number of sweeps", Outputs: inSummary},
	{Name: "colours", Doc: "number of colours: sets of vertices that move concurrently", Outputs: inSummary},
	{Name: "edge_min", Doc: "length of the shortest edge in the metric", Outputs: inSummary},
	{Name: "edge_max", Doc: "length of the longest edge in the metric", Outputs: inSummary},
	{Name: worstCell, Doc: "id of the cell with the quality quality_min", Outputs: inSummary},
	{Name: "limited", Doc: "number of moves shortened so that no cell is inverted ([method] guard), in all sweeps",
		Outputs: inSummary},
	{Name: "metric_scale", Doc: "factor by which the metric was scaled", Outputs: inSummary},
	{Name: "untangled", Doc: "number of inverted cells before untangling; 0 without untangling", Outputs: inSummary},
	{Name: "metric_bounded", Doc: "number of vertices or grid nodes whose metric was changed by the bounds hmin, " +
		"hmax or aspect",
		Outputs: inSummary},
	{Name: "metric_raised", Doc: "number of vertices whose metric was raised by [metric] curvature", Outputs: inSummary},
	{Name: "metric_graded", Doc: "number of vertices or grid nodes whose metric was changed by [metric] gradation",
		Outputs: inSummary},
	{Name: "metric_off_grid", Doc: "largest relative error of a length at points between the nodes of the metric's grid",
		Outputs: inSummary},
	{Name: "interpolation", Doc: "interpolation error of the fields of a Hessian metric over that at the start; " +
		"0 for other metrics",
		Outputs: inSummary},
}

// endQuantities are measured at the end alone, since the host counts them.
var endQuantities = []solvers.Quantity{
	{Name: "moved", Doc: "number of vertices that are not at their initial position", Outputs: inSummary},
	{Name: "active", Doc: "number of vertices that the last sweep visited", Outputs: inSummary},
}

// pendingRow is an observation that has been queued, or whose result is known already.
type pendingRow struct {
	made  int                // sweeps since the start; a Hessian metric is computed again in each of several rounds
	found []solvers.Quantity // nil while the device may still be computing them
}

func (d *caseSolver) Measure(ctx context.Context) ([]solvers.Quantity, error) {
	now, err := d.diagnose(ctx)
	return d.table(&now, d.sweepsMade), err
}

// table returns the quantities of a state after `made` sweeps of all rounds, the last of which is the present one.
func (d *caseSolver) table(now *quality.Diagnostics, made int) []solvers.Quantity {
	return solvers.Measured(quantities,
		now.QualityMin, now.QualityMean, now.Objective, now.EdgeInRange, float64(now.Inverted), now.AreaDrift,
		now.PerimeterDrift, now.QualityMax, d.before.QualityMin, d.before.QualityMean, float64(made),
		float64(d.subdomain().Sets), now.EdgeMin, now.EdgeMax, float64(now.Worst), float64(now.Limited), d.solver.Scale(),
		float64(d.untangled.Before), float64(d.adjusted.Bounded), float64(d.adjusted.Raised), float64(d.adjusted.Graded),
		d.adjusted.OffGrid, d.remainingError)
}

// MeasureEnd counts the vertices that have moved, and those that the last sweep visited.
func (d *caseSolver) MeasureEnd(ctx context.Context) ([]solvers.Quantity, error) {
	now, err := d.diagnose(ctx)
	return solvers.Measured(endQuantities, float64(now.Moved), float64(now.Active)), err
}

// MeasureView searches for the worst cell.
func (d *caseSolver) MeasureView(ctx context.Context) ([]solvers.Quantity, error) {
	all, err := d.Measure(ctx)
	return slices.DeleteFunc(all, func(q solvers.Quantity) bool { return q.Name != worstCell }), err
}

func (d *caseSolver) Observe(ctx context.Context) error {
	row := pendingRow{made: d.sweepsMade}
	var err error
	if d.after != nil { // the smoother that diagnosed this state need not be the present one
		row.found = d.table(d.after, d.sweepsMade)
	} else {
		err = d.solver.Observe(ctx)
	}
	d.pending = append(d.pending, row)
	return err
}

func (d *caseSolver) Observed(ctx context.Context, to *dist.Joint) (dist.Result[[]solvers.Quantity], error) {
	first := d.pending[0]
	d.pending = append(d.pending[:0], d.pending[1:]...)
	return d.resultOf(ctx, &first, to)
}

// resultOf adds what ranks must reduce of a pending row, the earliest of the present round that is queued. The worst
// cell is not searched for.
func (d *caseSolver) resultOf(ctx context.Context, row *pendingRow, to *dist.Joint) (
	dist.Result[[]solvers.Quantity], error) {
	if row.found != nil {
		return func(context.Context) ([]solvers.Quantity, error) { return row.found, nil }, nil
	}
	result, err := d.solver.DiagnoseRow(ctx, to)
	return func(ctx context.Context) ([]solvers.Quantity, error) {
		now, err := result(ctx)
		return slices.DeleteFunc(d.table(&now, row.made), func(q solvers.Quantity) bool { return q.Name == worstCell }), err
	}, err
}

// finishRows waits for all observations: the next round has another smoother.
func (d *caseSolver) finishRows(ctx context.Context) error {
	for k := range d.pending {
		row := &d.pending[k]
		var err error
		row.found, err = dist.ReduceFor(ctx, d.comm, func(to *dist.Joint) (dist.Result[[]solvers.Quantity], error) {
			return d.resultOf(ctx, row, to)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
