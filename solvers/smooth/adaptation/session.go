package adaptation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// session is one adaptation.
type session struct {
	c         *config.Case
	w         *sections
	log       io.Writer
	plane     *mesh.Mesh  // the mesh that was read: of triangles, or
	solid     *mesh.Solid // of tetrahedra
	dim       int
	start     request.Nodes
	low, high [3]float64       // of the box around the mesh
	adapter   *adapt.Adapter   // of rank 0
	adapters  []*adapt.Adapter // of all ranks
	comms     []dist.Comm      // of the ranks; nil for one
	last      *given
	adjusted  request.Adjusted
	logged    time.Time // of the last line of progress
}

// run adapts the mesh of a case and writes the result to a file.
func run(ctx context.Context, c *config.Case, out string, ranks, threads int, log io.Writer) (*Report, error) {
	begin := time.Now()
	s := &session{c: c, w: c.Sections.(*sections), log: log, logged: begin}
	if err := s.read(ctx, ranks, threads); err != nil {
		return nil, &solvers.BadInput{Err: err}
	}
	err := s.adapt(ctx)
	if err := errors.Join(err, s.close()); err != nil {
		return nil, err
	}
	r, err := s.report(out)
	if err != nil {
		return nil, err
	}
	r.Seconds = time.Since(begin).Seconds()
	return r, nil
}

// read reads the mesh, and makes the adapters of the ranks.
func (s *session) read(ctx context.Context, ranks, threads int) (err error) {
	path := s.c.Path(s.w.File)
	if s.plane, s.solid, err = meshio.ReadAny(path); err != nil {
		return err
	}
	o := adapt.Options{Hausdorff: s.w.Method.Hausdorff, Ridge: s.w.Method.Ridge, Threads: threads,
		KeepBoundary: s.w.Method.Boundary == "fixed"}
	if s.solid != nil {
		s.dim, s.start = 3, request.OfTetrahedra(s.solid, s.solid.Mend())
	} else {
		s.dim, s.start = 2, request.OfTriangles(s.plane, s.plane.Mend())
		if !s.plane.Level() {
			return fmt.Errorf("%s: a surface in three dimensions; triangles in a plane of one z, and tetrahedra, are adapted",
				path)
		}
	}
	if err := s.checkMetric(); err != nil {
		return err
	}
	diagonal := 0.0
	for k := range s.dim {
		s.low[k], s.high[k] = slices.Min(s.start.X[k]), slices.Max(s.start.X[k])
		diagonal = math.Hypot(diagonal, s.high[k]-s.low[k])
	}
	o.Probe = diagonal / float64([]int{2: 64, 3: 16}[s.dim])
	o.Progress = s.progress
	if err := s.makeAdapters(ctx, ranks, o); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// checkMetric refuses expressions for the other dimension.
func (s *session) checkMetric() error {
	m := &s.w.Metric
	switch expressions := m.Field == "sizes" || m.Field == "tensor"; {
	case s.dim == 3 && expressions && !m.Space():
		return fmt.Errorf("[metric] the mesh is of tetrahedra: give %s too", map[string]string{"sizes": "depth, along z",
			"tensor": "m33, and m13 and m23 if they are not 0"}[m.Field])
	case s.dim == 2 && m.Space():
		return fmt.Errorf("[metric] depth, m13, m23 and m33 are for tetrahedra, and the mesh is of triangles")
	}
	return nil
}

// progress logs the number of vertices, at most once in two seconds.
func (s *session) progress(vertices int) {
	if s.log != nil && time.Since(s.logged) > 2*time.Second {
		fmt.Fprintf(s.log, "%-16s %d vertices\n", "adapting", vertices)
		s.logged = time.Now()
	}
}

// nodes returns the mesh as it is.
func (s *session) nodes() request.Nodes {
	if s.solid != nil {
		return request.OfTetrahedra(s.adapter.Solid(), nil)
	}
	return request.OfTriangles(s.adapter.Mesh(), nil)
}

// rounds is how often the metric is made: that of second derivatives and that of graded expressions again on the mesh
// that the one before has given, on which they are known better.
func (s *session) rounds() int {
	m := &s.w.Metric
	switch {
	case m.Field == "hessian":
		return m.Rounds
	case (m.Field == "sizes" || m.Field == "tensor") && m.Gradation > 0:
		return 3
	}
	return 1
}

// Numbers of vertices: within the share of the target, after at most so many scalings.
const (
	targetShare  = 0.02
	mostScalings = 5
)

// adapt adapts the mesh to the metric.
func (s *session) adapt(ctx context.Context) error {
	scale, target := 1.0, float64(s.w.Metric.Target)
	if s.w.Metric.Field == "hessian" && target > 0 { // about; the last round is scaled to the target
		s.w.Metric.Complexity = target * perVertex[s.dim]
	}
	for round := range s.rounds() {
		if err := s.makeMetric(round); err != nil {
			return &solvers.BadInput{Err: err}
		}
		for try := range mostScalings {
			s.last.scale = scale
			if round == 0 && try == 0 && target > 0 && s.w.Metric.Field != "hessian" {
				scale *= s.toTarget(s.adapter.Measure(s.last.field(s.dim)).Complexity / perVertex[s.dim])
				s.last.scale = scale
			}
			if err := s.checkMemory(); err != nil {
				return &solvers.BadInput{Err: err}
			}
			field := s.last.field(s.dim)
			if err := s.onRanks(func(rank int) error { return s.adapters[rank].Run(ctx, field) }); err != nil {
				return err
			}
			if err := s.last.failed(); err != nil {
				return &solvers.BadInput{Err: err}
			}
			n := float64(s.adapter.Vertices())
			if target == 0 || round < s.rounds()-1 || math.Abs(n/target-1) <= targetShare {
				break
			}
			scale *= s.toTarget(n)
		}
	}
	return nil
}

// toTarget is the factor of the metric for which n vertices become as many as are asked for.
func (s *session) toTarget(n float64) float64 {
	ratio := float64(s.w.Metric.Target) / n
	if s.dim == 3 {
		r := math.Cbrt(ratio)
		return r * r
	}
	return ratio
}

// perVertex is the volume, in the metric, of the cells of a vertex far from the boundary: of two triangles, or of about
// 5.5 tetrahedra.
var perVertex = [...]float64{2: 0.87, 3: 0.55}

// makeMetric makes the metric of a round.
func (s *session) makeMetric(round int) error {
	at, err := s.direct()
	if err != nil {
		return err
	}
	m := &s.w.Metric
	if at != nil && (round == 0 || m.Gradation == 0) {
		s.last = &given{at: at, scale: 1}
		return nil
	}
	on := s.start
	if round > 0 {
		on = s.nodes()
	}
	nodal, err := request.NewNodal(s.c, m, on)
	if err != nil {
		return fmt.Errorf("[metric] %w", err)
	}
	s.adjusted = nodal.Adjusted
	between, err := nodal.Between()
	if err != nil {
		return err
	}
	s.last = &given{scale: 1, at: func(x measure.Vector) (metric.Tensor, error) { return between(x), nil }}
	return nil
}
