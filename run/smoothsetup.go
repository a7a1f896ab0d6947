package run

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/config"
	"github.com/atoll-hpc/atoll/solvers/smooth"
)

// smoothing is a mesh on its way, on one rank.
type smoothing struct {
	smoothShare
	mesh   *mesh.Mesh // on rank 0, as it was
	solver smooth.Solver
	before smooth.Diagnostics // after untangling

	untangled smooth.Untangling
}

// newSmoothing sets the solver of a case up. Rank 0 loads the mesh, finds out which vertices move in which set, and cuts
// it; every rank makes the metric for itself, from the case and the bounds of the mesh, or from what rank 0 has at the vertices
// of a mesh.
func newSmoothing(ctx context.Context, c *config.Case, comm dist.Comm, dev backend.Device) (_ *smoothing, err error) {
	w := c.Sections.(*config.Smooth)
	s := &smoothing{}
	var shares []smoothShare
	var bad error
	if comm.Rank() == 0 {
		if s.mesh, bad = LoadMesh(c, w.Mesh); bad == nil {
			shares, bad = cutForSmoothing(ctx, s.mesh, w, comm.Size(), dev)
		}
		if bad == nil && w.Metric.Nodal() {
			var n *nodalMetric
			if n, bad = newNodalMetric(c, &w.Metric, s.mesh); bad != nil {
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
	var metric *smooth.Metric
	if s.Nodal != nil {
		metric, err = s.Nodal.metric()
		s.Nodal = nil
	} else {
		metric, err = smoothMetric(ctx, &w.Metric, s.Bounds)
	}
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
	if s.solver, err = smooth.New(ctx, m.Precision, cfg, s.Part, metric, comm, dev); err != nil {
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

// cutForSmoothing makes the shares of all ranks, for devices like the given one.
func cutForSmoothing(ctx context.Context, m *mesh.Mesh, w *config.Smooth, ranks int, dev backend.Device) (
	[]smoothShare, error) {
	if err := m.Check(); err != nil {
		if m.CheckTangled() != nil {
			return nil, err
		}
		if !w.Method.Untangle {
			return nil, fmt.Errorf("%w; or, where vertices are out of place, smooth with untangle = true", err)
		}
	}
	_, apart := dev.(backend.Memory)
	layout, err := smooth.NewLayout(m, smooth.LayoutOptions{
		Boundary: smooth.Boundary(w.Method.Boundary), Colouring: smooth.Colouring(w.Method.Colouring),
		Dedicated: w.Method.Dedicated, Order: partition.Ordering(w.Mesh.Order), Seed: w.Mesh.Seed, Deep: w.Method.Deep,
		Tangled: w.Method.Untangle, Spread: apart || w.Method.Cull,
	})
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	owner := make([]int32, len(m.X))
	if ranks > 1 {
		if ranks > len(m.X) {
			return nil, fmt.Errorf("%d ranks for %d vertices: use fewer ranks or a finer mesh", ranks, len(m.X))
		}
		rings, err := m.Rings()
		if err != nil {
			return nil, err
		}
		graph := partition.Graph{Start: rings.Start, Adj: rings.At}
		if owner, err = partition.Partition(partition.Cut(w.Mesh.Partition), graph, m.X, m.Y, ranks, w.Mesh.Seed); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	parts, err := layout.Parts(owner, ranks)
	if err != nil {
		return nil, err
	}
	b := boundsOfMesh(m)
	shares := make([]smoothShare, ranks)
	for r := range shares {
		shares[r] = smoothShare{Part: parts[r], Bounds: b, Vertices: int64(len(m.X)), Cells: int64(len(m.Cells)),
			Crowded: layout.Crowded()}
	}
	return shares, nil
}

func boundsOfMesh(m *mesh.Mesh) smooth.Bounds {
	b := smooth.Bounds{X0: math.Inf(1), Y0: math.Inf(1), X1: math.Inf(-1), Y1: math.Inf(-1)}
	for v := range m.X {
		b.X0, b.X1 = min(b.X0, m.X[v]), max(b.X1, m.X[v])
		b.Y0, b.Y1 = min(b.Y0, m.Y[v]), max(b.Y1, m.Y[v])
	}
	return b
}
