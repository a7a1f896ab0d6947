package problem

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

// A metric from second derivatives is as good as the mesh on which they are recovered. So the mesh that comes out gets
// its own, once or twice more, and of these rounds the one counts that leaves the least error of interpolation.

// round is what smooths a mesh toward one metric.
type round struct {
	solver         smooth.Solver
	before         quality.Diagnostics  // of the mesh as it was, in this metric; after untangling
	after          *quality.Diagnostics // at its end; nil before
	held           Limited
	interpolations []Interpolation // at its end, on rank 0
	left           float64         // the mean of their errors, as shares of those of the mesh as it was; 0 without
	number         int             // from 0
	begun          [][3]float64    // where it began, of rounds after the first: of all vertices of the part
}

// endRound measures what a round has left, and begins the next. It returns whether there is none: then the best one
// counts.
func (d *caseSolver) endRound(ctx context.Context) (done bool, err error) {
	m := &d.sections.Metric
	if m.Field != "hessian" {
		return true, nil
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
	if err = d.judge(ctx, moved, &d.round); err != nil {
		return false, err
	}
	now := d.round
	if d.best == nil || now.left < d.best.left {
		if d.best != nil {
			d.best.solver.Close()
		}
		d.best = &now
		if err := d.keepBest(); err != nil {
			return false, err
		}
	}
	done = now.number+1 >= m.Rounds
	if !done {
		d.round, err = d.beginRound(ctx, moved)
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

// diagnose tells what the mesh is like now.
func (d *caseSolver) diagnose(ctx context.Context) (quality.Diagnostics, error) {
	if d.after != nil {
		return *d.after, nil
	}
	return d.solver.Diagnose(ctx)
}

// judge measures what a round has left of the errors of interpolation. Rank 0 has the mesh, and tells the others.
func (d *caseSolver) judge(ctx context.Context, moved body, r *round) error {
	left := []float64{0}
	var err error
	if moved != nil {
		r.interpolations, err = d.sections.Metric.interpolations(d.body.nodes(), moved.nodes())
		for _, i := range r.interpolations {
			left[0] += i.After / i.Before / float64(len(r.interpolations))
		}
	}
	if err := solvers.Agree(ctx, d.env.Comm, err); err != nil {
		return err
	}
	err = d.env.Comm.AllreduceFloat64(ctx, dist.Max, left)
	r.left = left[0]
	return err
}

// beginRound begins the round in which the mesh as it is now follows the metric that is recovered on it.
func (d *caseSolver) beginRound(ctx context.Context, moved body) (round, error) {
	begun, err := placesOf(d.solver)
	if err != nil {
		return round{}, err
	}
	next, err := d.setUpRound(ctx, moved, d.number+1)
	if err != nil {
		return next, err
	}
	next.begun = begun
	d.saved.begun = begun
	if err = next.solver.Resume(ctx, d.solver); err != nil {
		next.solver.Close()
	}
	return next, err
}

// setUpRound sets up a round toward the metric that is recovered on a mesh, which rank 0 has. Its vertices are where
// the mesh of the case had them.
func (d *caseSolver) setUpRound(ctx context.Context, on body, number int) (next round, err error) {
	comm, m := d.env.Comm, &d.sections.Metric
	var nodal *nodalMetric
	if on != nil {
		if nodal, err = newNodalMetric(d.file, m, on.nodes()); err != nil {
			err = fmt.Errorf("[metric] %w", err)
		}
	}
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return next, err
	}
	share, err := decompose.Share(ctx, comm, func(int) (*rankShare, error) {
		return &rankShare{Part: &layout.Part{}, Nodal: nodal}, nil
	})
	if err != nil {
		return next, err
	}
	made, held, err := share.agreedMetric(ctx, m, comm)
	if err != nil {
		return next, err
	}
	next = round{held: held, number: number}
	if next.solver, err = d.smoother(ctx, d.sections, made, d.env); err != nil {
		return next, refused(err)
	}
	if _, err = next.begin(ctx, d.sections); err != nil {
		next.solver.Close()
	}
	return next, err
}

// begin untangles the mesh, if that is asked for, and looks at it.
func (r *round) begin(ctx context.Context, w *Sections) (u smooth.Untangling, err error) {
	if w.Method.Untangle {
		if u, err = r.solver.Untangle(ctx); err != nil {
			return u, refused(err)
		}
	}
	r.before, err = r.solver.Diagnose(ctx)
	return u, err
}
