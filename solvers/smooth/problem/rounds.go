package problem

import (
	"context"
	"errors"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// A metric from second derivatives is as good as the mesh on which they are recovered. So the resulting mesh gets a
// new metric, once or twice, and the round with the least interpolation error is kept.

// round smooths a mesh toward one metric.
type round struct {
	solver         *smooth.Solver
	before         quality.Diagnostics     // of the initial mesh in this metric, after untangling
	after          *quality.Diagnostics    // at the end; nil before
	adjusted       request.Adjusted        // where the metric was changed
	interpolations []request.Interpolation // at the end, on rank 0
	remainingError float64                 // mean interpolation error over that of the initial mesh; 0 for other metrics
	number         int                     // from 0
	begun          [][3]float64            // positions of all vertices of the part at its start; nil in the first round
}

// endRound measures the result of a round, and begins the next. It returns true after the last round, whose result is
// the best one.
func (d *caseSolver) endRound(ctx context.Context) (done bool, err error) {
	m := &d.sections.Metric
	if m.Field != "hessian" {
		return true, nil
	}
	if err := d.finishRows(ctx); err != nil {
		return false, err
	}
	after, err := d.solver.Diagnose(ctx)
	if err != nil {
		return false, err
	}
	d.after = &after
	moved, err := d.gather(ctx, d.env.Comm, d.solver)
	if err != nil {
		return false, err
	}
	if err = d.measureError(ctx, moved, &d.round); err != nil {
		return false, err
	}
	now := d.round
	if d.best == nil || now.remainingError < d.best.remainingError {
		if d.best != nil {
			d.best.solver.Close()
		}
		d.best = &now
		if err := d.keepBest(); err != nil {
			return false, err
		}
	}
	if done = now.number+1 >= m.Rounds; done {
		d.closeUnlessBest()
	} else {
		d.round, err = d.beginRound(ctx, moved)
	}
	if done || err != nil {
		d.round, d.best, d.positions = *d.best, nil, nil
		return true, err
	}
	d.rules = newStopRules(d.sections.Stop, &d.before)
	return false, nil
}

// diagnose measures the current mesh.
func (d *caseSolver) diagnose(ctx context.Context) (quality.Diagnostics, error) {
	if d.after != nil {
		return *d.after, nil
	}
	return d.solver.Diagnose(ctx)
}

// measureError computes the interpolation error that remains after a round. Rank 0 has the mesh, and sends the
// result.
func (d *caseSolver) measureError(ctx context.Context, moved wholeMesh, r *round) error {
	remaining := []float64{0}
	var err error
	if moved != nil {
		r.interpolations, err = d.sections.Metric.Interpolations(d.initialMesh.nodes(), moved.nodes())
		for _, i := range r.interpolations {
			remaining[0] += i.After / i.Before / float64(len(r.interpolations))
		}
	}
	if err := solvers.Agree(ctx, d.env.Comm, err); err != nil {
		return err
	}
	err = d.env.Comm.AllreduceFloat64(ctx, dist.Max, remaining)
	r.remainingError = remaining[0]
	return err
}

// closeUnlessBest closes the solver of the current round unless it is the best round.
func (d *caseSolver) closeUnlessBest() {
	if d.solver != d.best.solver {
		d.solver.Close()
	}
}

// beginRound begins a round with the metric recovered on the current mesh. The current round's solver is closed first,
// unless that round is the best one, so that two rounds at most have arrays at the same time.
func (d *caseSolver) beginRound(ctx context.Context, moved wholeMesh) (round, error) {
	begun, err := positionsOf(d.solver)
	vertices, verticesErr := d.solver.Vertices()
	d.closeUnlessBest()
	if err := errors.Join(err, verticesErr); err != nil {
		return round{}, err
	}
	next, err := d.setUpRound(ctx, moved, d.number+1)
	if err != nil {
		return next, err
	}
	next.begun = begun
	d.saved.begun = begun
	if err = next.solver.Resume(ctx, vertices); err != nil {
		next.solver.Close()
	}
	return next, err
}

// setUpRound sets up a round with the metric recovered on a mesh, which rank 0 has. Its vertices start at the initial
// positions of the case.
func (d *caseSolver) setUpRound(ctx context.Context, on wholeMesh, number int) (next round, err error) {
	metric, err := d.makeMetric(ctx, d.file, &d.sections.Metric, on, d.env.Comm)
	if err != nil {
		return next, err
	}
	next = round{adjusted: metric.Adjusted, number: number}
	if next.solver, err = d.setUpSolver(ctx, d.sections, metric, d.env); err != nil {
		return next, asBadInput(err)
	}
	if _, err = next.begin(ctx, d.sections); err != nil {
		next.solver.Close()
	}
	return next, err
}

// begin untangles the mesh on request, and measures it.
func (r *round) begin(ctx context.Context, w *Sections) (u smooth.Untangling, err error) {
	if w.Method.Untangle {
		if u, err = r.solver.Untangle(ctx); err != nil {
			return u, asBadInput(err)
		}
	}
	r.before, err = r.solver.Diagnose(ctx)
	return u, err
}
