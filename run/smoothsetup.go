package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/config"
	"github.com/atoll-hpc/atoll/solvers/smooth"
)

// smoothing is a mesh on its way, on one rank.
type smoothing struct {
	smoothShare
	body   smoothBody // on rank 0, as it was
	solver smooth.Solver
	before smooth.Diagnostics // after untangling
	held   HeldBack

	untangled smooth.Untangling
}

// newSmoothing sets the solver of a case up. Rank 0 loads the mesh, finds out which vertices move in which set, and
// cuts it; every rank makes the metric for itself, from the case and the bounds of the mesh, or from what rank 0 has at
// the vertices of a mesh.
func newSmoothing(ctx context.Context, c *config.Case, comm dist.Comm, dev backend.Device) (_ *smoothing, err error) {
	w := c.Sections.(*config.Smooth)
	s := &smoothing{}
	var shares []smoothShare
	var bad error
	if comm.Rank() == 0 {
		if s.body, bad = loadBody(c, w.Mesh); bad == nil {
			bad = suits(w, c.Output.Fields, s.body.dim())
		}
		if bad == nil {
			_, apart := dev.(backend.Memory)
			shares, bad = s.body.cut(ctx, w, comm.Size(), apart)
		}
		if bad == nil && w.Metric.Nodal() {
			var n *nodalMetric
			if n, bad = newNodalMetric(c, &w.Metric, s.body.nodes()); bad != nil {
				bad = fmt.Errorf("[metric] %w", bad)
			}
			for r := range shares {
				shares[r].Nodal = n
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := agree(ctx, comm, bad); err != nil {
		return nil, err
	}
	if s.smoothShare, err = scatterShares(ctx, comm, shares); err != nil {
		return nil, err
	}
	metric, err := s.metric(ctx, &w.Metric)
	s.Nodal, s.held = nil, metric.held
	if err != nil {
		err = fmt.Errorf("[metric] %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := agree(ctx, comm, err); err != nil {
		return nil, err
	}
	m := w.Method
	cfg := smooth.Config{Smoother: m.Smoother, Relax: m.Relax, Guard: m.Guard, Cull: m.Cull, Settled: m.Settled,
		Gain: m.Gain, Floor: m.Floor, Untangle: m.Untangle, Rescale: w.Metric.Rescale}
	if s.solver, err = s.smoothShare.solver(ctx, m.Precision, cfg, metric, comm, dev); err != nil {
		var refusal *smooth.Refusal
		if errors.As(err, &refusal) {
			err = &BadInput{err}
		}
		return nil, err
	}
	if m.Untangle {
		if s.untangled, err = s.solver.Untangle(ctx); err != nil {
			s.solver.Close()
			var refusal *smooth.Refusal
			if errors.As(err, &refusal) {
				err = &BadInput{err}
			}
			return nil, err
		}
	}
	if s.before, err = s.solver.Diagnose(ctx); err != nil {
		s.solver.Close()
		return nil, err
	}
	return s, nil
}
