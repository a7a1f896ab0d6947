package adaptation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/rounds"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/between"
)

// checkDevice refuses what only processors can do.
func (s *session) checkDevice() error {
	switch {
	case s.device == nil:
		return nil
	case s.Dim == 3:
		return errors.New("--backend cuda is for meshes of triangles: adapt tetrahedra with --backend cpu")
	case s.comm.Size() > 1:
		return errors.New("--backend cuda is for one rank: leave --ranks out, or give --backend cpu")
	}
	return nil
}

// run adapts the mesh to the last metric.
func (s *session) run(ctx context.Context) (err error) {
	begin := time.Now()
	defer func() { s.adapting += time.Since(begin).Seconds() }()
	field := s.last.field(s.Dim)
	if s.device == nil {
		return s.adapter.Run(ctx, field)
	}
	arrays := &backend.Arrays{Device: s.device}
	defer arrays.Free()
	var on rounds.Field
	switch m := &s.w.Metric; {
	case s.last.sizes != nil:
		on = newSizes(arrays, s.last.sizes, s.last.scale)
	case m.Field == "size" || m.Field == "uniform":
		on = rounds.NewUniform(field(measure.Vector{}))
	default:
		if s.log != nil {
			fmt.Fprintln(s.log, "metric           of expressions, which processors evaluate for the GPU")
		}
		on = &rounds.OnHost{At: field, Threads: s.options.Threads}
	}
	if err := arrays.Err(); err != nil {
		return err
	}
	return s.adapter.RunOn(ctx, s.device, field, on)
}

// sizes is a metric that is given at vertices, on a device.
type sizes struct {
	field kernels.Field[float64]
	scale float64
	loop  *between.EvaluateLoop
}

func newSizes(to *backend.Arrays, of *kernels.Field[float64], scale float64) *sizes {
	s := &sizes{field: *of, scale: scale}
	f := &s.field
	f.Nodes, f.Background = backend.Uploaded(to, f.Nodes, "metric"), backend.Uploaded(to, f.Background, "metric")
	f.Starts, f.Lists = backend.Uploaded(to, f.Starts, "metric"), backend.Uploaded(to, f.Lists, "metric")
	f.Listed = backend.Uploaded(to, f.Listed, "metric")
	return s
}

// Evaluate implements rounds.Field.
func (s *sizes) Evaluate(d backend.Device, x []measure.Vector, want []measure.Tensor) error {
	loop := between.NewEvaluateLoop(&s.field, s.scale, x, want)
	if s.loop == nil {
		s.loop = loop
	}
	*s.loop = *loop
	d.Run(s.loop, 0, len(x))
	return nil
}
