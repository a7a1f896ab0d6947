package problem

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/onmachine"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// caseMetric is a metric of the plane or of space, the other being nil, and how it differs from that of the case.
type caseMetric struct {
	Plane    *sizing.Metric
	Space    *sizing.SolidMetric
	Adjusted request.Adjusted
}

// sharedMetric is a metric with what ranks share of its arrays, nil for none.
type sharedMetric struct {
	caseMetric
	shared *onmachine.Copy
}

// leastShared is the size in bytes from which on ranks of a machine share the arrays of a metric that is given at
// vertices, since pages far from a rank's vertices are then not in its memory.
var leastShared int64 = 8 << 20

// makeMetric makes the metric of a case, on all ranks or on none. One that is given at vertices is made by rank 0, on a
// mesh that rank 0 passes, and all ranks get it.
func (s *rankShare) makeMetric(ctx context.Context, c *config.Case, m *request.Metric, on wholeMesh, comm dist.Comm) (
	made sharedMetric, err error) {
	switch {
	case !m.Nodal():
		made.caseMetric, err = s.metric(ctx, m)
	case on != nil:
		made.caseMetric, err = nodalMetric(c, m, on.nodes())
	}
	if err != nil {
		err = fmt.Errorf("[metric] %w", err)
	}
	if err := ctx.Err(); err != nil {
		return made, err
	}
	if err := solvers.Agree(ctx, comm, err); err != nil || !m.Nodal() {
		return made, err
	}
	if on != nil {
		cpu.ReleaseMemory() // what the metric was made from
	}
	head, err := decompose.Share(ctx, comm, func(int) (*caseMetric, error) { return made.head(), nil })
	switch {
	case err != nil:
		return made, err
	case on == nil:
		made.caseMetric = *head
	}
	if made.Space != nil {
		made.shared, err = made.Space.Share(ctx, comm, leastShared)
	} else {
		made.shared, err = made.Plane.Share(ctx, comm, leastShared)
	}
	return made, err
}

// head returns a metric at vertices without its arrays.
func (m caseMetric) head() *caseMetric {
	if m.Plane != nil {
		m.Plane = m.Plane.Head()
	} else {
		m.Space = m.Space.Head()
	}
	return &m
}

// Check refuses a head without a metric.
func (m *caseMetric) Check(int, int) error {
	if (m.Plane == nil) == (m.Space == nil) {
		return errors.New("the metric is neither of the plane nor of space")
	}
	return nil
}

// nodalMetric makes a metric that is given at the vertices of a mesh.
func nodalMetric(c *config.Case, m *request.Metric, on request.Nodes) (made caseMetric, err error) {
	nodal, err := request.NewNodal(c, m, on)
	if err != nil {
		return made, err
	}
	made.Adjusted = nodal.Adjusted
	if nodal.Dim == 3 {
		made.Space, err = nodal.InSpace()
	} else {
		made.Plane, err = nodal.InPlane()
	}
	return made, err
}

// metric makes a metric from the case and the bounds of the mesh.
func (s *rankShare) metric(ctx context.Context, m *request.Metric) (made caseMetric, err error) {
	if s.Solid != nil {
		made.Space, err = solidMetric(ctx, m, s.Box, &made.Adjusted)
	} else {
		made.Plane, err = planeMetric(ctx, m, s.Bounds, &made.Adjusted)
	}
	return made, err
}
