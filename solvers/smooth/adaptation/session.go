package adaptation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/mesh/isovalue"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// session is one adaptation.
type session struct {
	c      *config.Case
	w      *sections
	log    io.Writer
	comm   dist.Comm
	source source
	told   bool        // the other ranks have the case
	plane  *mesh.Mesh  // the mesh that was read: of triangles, or
	solid  *mesh.Solid // of tetrahedra
	start  request.Nodes
	domain
	cellFields, conserved []string // fields of cells that are carried, and those of them whose integrals are kept

	level    isovalue.Level // along which the mesh is cut; nil if it is not
	parts    *isovalue.Cut  // of the cut
	options  adapt.Options
	adapter  *adapt.Adapter
	device   backend.Device // that adapts; nil for processors
	adapting float64        // seconds that the adapter has taken
	last     *given
	adjusted request.Adjusted
	logged   time.Time // of the last line of progress
}

// run adapts a mesh and writes the result to a file, on rank 0.
func run(ctx context.Context, w solvers.Work) (*Report, error) {
	begin := time.Now()
	s := &session{log: w.Log, logged: begin, comm: w.Comm, device: w.Device}
	err := s.prepare(ctx, w)
	if err != nil {
		err = &solvers.BadInput{Err: err}
	} else {
		err = s.adapt(ctx)
	}
	if err := errors.Join(err, s.command(ctx, &order{End: true})); err != nil {
		return nil, err
	}
	r, err := s.report(w.Args[1])
	if err != nil {
		return nil, err
	}
	r.Seconds, r.Adapting = time.Since(begin).Seconds(), s.adapting
	return r, nil
}

// prepare reads the mesh of a case, and makes its adapter.
func (s *session) prepare(ctx context.Context, w solvers.Work) (err error) {
	if s.c, s.source, err = caseOf(w.Args[0], w.Args[1], w.Flag); err != nil {
		return err
	}
	s.w = s.c.Sections.(*sections)
	path := s.c.Path(s.w.File)
	if s.plane, s.solid, err = meshio.ReadAny(path); err != nil {
		return err
	}
	s.options = adapt.Options{Hausdorff: s.w.Method.Hausdorff, Ridge: s.w.Method.Ridge, Threads: w.Threads,
		KeepBoundary: s.w.Method.Boundary == "fixed", Exchange: &exchange{ctx, s.comm}, Owners: owners,
		Progress: s.progress}
	if s.solid != nil {
		s.start = request.OfTetrahedra(s.solid, s.solid.Mend())
	} else {
		s.start = request.OfTriangles(s.plane, s.plane.Mend())
		if !s.plane.Level() {
			return fmt.Errorf("%s: a surface in three dimensions; triangles in a plane of one z, and tetrahedra, are adapted",
				path)
		}
	}
	s.domain = domainOf(s.start)
	if err := cmp.Or(s.checkMetric(), s.checkDevice()); err != nil {
		return err
	}
	if err := cmp.Or(s.chooseFields(), s.findLevel()); err != nil {
		return err
	}
	s.options.Probe = s.diagonal() / float64([]int{2: 64, 3: 16}[s.Dim])
	if s.solid != nil {
		s.adapter, err = adapt.Tetrahedra(s.solid, s.options)
	} else {
		s.adapter, err = adapt.Triangles(s.plane, s.options)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// checkMetric refuses expressions for the other dimension.
func (s *session) checkMetric() error {
	m := &s.w.Metric
	switch expressions := m.Field == "sizes" || m.Field == "tensor"; {
	case s.Dim == 3 && expressions && !m.Space():
		return fmt.Errorf("[metric] the mesh is of tetrahedra: give %s too", map[string]string{"sizes": "depth, along z",
			"tensor": "m33, and m13 and m23 if they are not 0"}[m.Field])
	case s.Dim == 2 && m.Space():
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
		s.w.Metric.Complexity = target * perVertex[s.Dim]
	}
	for round := range s.rounds() {
		if err := s.makeMetric(round); err != nil {
			return &solvers.BadInput{Err: err}
		}
		if s.last.scale = scale; round == 0 && target > 0 && s.w.Metric.Field != "hessian" {
			s.last.scale *= s.toTarget(s.adapter.Measure(s.last.field(s.Dim)).Complexity / perVertex[s.Dim])
		}
		if err := s.reach(ctx, target > 0 && round == s.rounds()-1 && s.level == nil); err != nil {
			return err
		}
		scale = s.last.scale
	}
	if s.level == nil {
		return nil
	}
	if err := s.cut(); err != nil {
		return &solvers.BadInput{Err: err}
	}
	return s.reach(ctx, target > 0)
}

// reach adapts the mesh to the last metric, which it scales until there are as many vertices as are asked for, if that
// is asked for.
func (s *session) reach(ctx context.Context, scaled bool) error {
	for range mostScalings {
		if err := s.checkMemory(); err != nil {
			return &solvers.BadInput{Err: err}
		}
		if err := s.adaptTo(ctx); err != nil {
			return err
		}
		n := float64(s.adapter.Vertices())
		if !scaled || math.Abs(n/float64(s.w.Metric.Target)-1) <= targetShare {
			break
		}
		s.last.scale *= s.toTarget(n)
	}
	return nil
}

// toTarget is the factor of the metric for which n vertices become as many as are asked for.
func (s *session) toTarget(n float64) float64 {
	ratio := float64(s.w.Metric.Target) / n
	if s.Dim == 3 {
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
	at, err := s.direct(&s.w.Metric)
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
	s.last = &given{scale: 1, nodal: nodal}
	return s.last.interpolate(nodal)
}
