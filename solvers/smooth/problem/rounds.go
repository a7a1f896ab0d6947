package problem

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/smooth"
)

// A metric from second derivatives is as good as the mesh on which they are recovered. So the mesh that comes out gets
// its own, once or twice more, and of these rounds the one counts that leaves the least error of interpolation.

// round is what smooths a mesh toward one metric.
type round struct {
	solver         smooth.Solver
	before         smooth.Diagnostics // of the mesh as it was, in this metric; after untangling
	held           HeldBack
	interpolations []Interpolation // at its end, on rank 0
	left           float64         // the mean of their errors, as shares of those of the mesh as it was; 0 without
	number         int             // from 0
}

// endRound measures what a round has left, and begins the next. It returns whether there is none: then the best one
// counts.
func (d *mover) endRound(ctx context.Context) (done bool, err error) {
	m := &d.sections.Metric
	if m.Field != "hessian" {
		return true, nil
	}
	moved, err := d.gather(ctx, d.env.Comm)
	if err != nil {
		return false, err
	}
	if d.left, err = d.judge(ctx, moved); err != nil {
		return false, err
	}
	now := d.round
	if d.best == nil || now.left < d.best.left {
		if d.best != nil {
			d.best.solver.Close()
		}
		d.best = &now
	}
	done = now.number+1 >= m.Rounds
	if !done {
		d.round, err = d.follow(ctx, moved)
	}
	if now.solver != d.best.solver {
		now.solver.Close()
	}
	if done || err != nil {
		d.round, d.best, d.places = *d.best, nil, nil
		return true, err
	}
	d.rules = newStopRules(d.sections.Stop, &d.before)
	return false, nil
}

// judge is what a round has left of the errors of interpolation. Rank 0 has the mesh, and tells the others.
func (d *mover) judge(ctx context.Context, moved body) (float64, error) {
	left := []float64{0}
	var err error
	if moved != nil {
		d.interpolations, err = d.sections.Metric.interpolations(d.body.nodes(), moved.nodes())
		for _, i := range d.interpolations {
			left[0] += i.After / i.Before / float64(len(d.interpolations))
		}
	}
	if err := solvers.Agree(ctx, d.env.Comm, err); err != nil {
		return 0, err
	}
	err = d.env.Comm.AllreduceFloat64(ctx, dist.Max, left)
	return left[0], err
}

// follow sets up the round in which the mesh as it is now follows the metric that is recovered on it.
func (d *mover) follow(ctx context.Context, moved body) (next round, err error) {
	comm, m := d.env.Comm, &d.sections.Metric
	var nodal *nodalMetric
	if moved != nil {
		if nodal, err = newNodalMetric(d.file, m, moved.nodes()); err != nil {
			err = fmt.Errorf("[metric] %w", err)
		}
	}
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return next, err
	}
	share, err := decompose.Share(ctx, comm, func(int) (*rankShare, error) {
		return &rankShare{Part: &smooth.Part{}, Nodal: nodal}, nil
	})
	if err != nil {
		return next, err
	}
	made, held, err := share.agreedMetric(ctx, m, comm)
	if err != nil {
		return next, err
	}
	next = round{held: held, number: d.number + 1}
	if next.solver, err = d.smoother(ctx, d.sections, made, d.env); err != nil {
		return next, refused(err)
	}
	if next.before, err = next.solver.Diagnose(ctx); err == nil {
		err = next.solver.Resume(ctx, d.solver)
	}
	if err != nil {
		next.solver.Close()
	}
	return next, err
}
