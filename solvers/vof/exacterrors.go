package vof

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// surface is the exact interface at the end of a run: the zero level set of a body's Phi.
type surface struct {
	body  *shape.Body
	dim   int
	width float64 // the shortest side of a cell, m
}

func surfaceOf(body *shape.Body, g *grid.Grid) *surface {
	s := &surface{body: body, dim: g.Dim, width: g.Spacing(0)}
	for axis := 1; axis < g.Dim; axis++ {
		s.width = min(s.width, g.Spacing(axis))
	}
	return s
}

// Steps of differences in cell widths, chosen so that both truncation error and round-off are far below the error of
// a reconstruction.
const (
	phiStep    = 1e-4
	normalStep = 0.05
)

// gradient returns the gradient of Phi by central differences.
func (s *surface) gradient(x [3]float64) (g [3]float64) {
	h := phiStep * s.width
	for d := range s.dim {
		lo, hi := x, x
		lo[d], hi[d] = x[d]-h, x[d]+h
		g[d] = (s.body.Phi(hi[0], hi[1], hi[2]) - s.body.Phi(lo[0], lo[1], lo[2])) / (2 * h)
	}
	return g
}

// normal returns the outward unit normal of the body; it is not finite where Phi has no gradient.
func (s *surface) normal(x [3]float64) [3]float64 {
	g := s.gradient(x)
	l := math.Sqrt(g[0]*g[0] + g[1]*g[1] + g[2]*g[2])
	return [3]float64{g[0] / l, g[1] / l, g[2] / l}
}

// nearest returns the point of the surface near x, by Newton's method along the gradient.
func (s *surface) nearest(x [3]float64) [3]float64 {
	for range 3 {
		g := s.gradient(x)
		step := s.body.Phi(x[0], x[1], x[2]) / (g[0]*g[0] + g[1]*g[1] + g[2]*g[2])
		for d := range s.dim {
			x[d] -= step * g[d]
		}
	}
	return x
}

// along returns the point of the surface near x on the line through x along an axis, by Newton's method; the nearest
// point if the line does not cross the surface within a few cells.
func (s *surface) along(x [3]float64, axis int) [3]float64 {
	at := x
	for range 6 {
		step := s.body.Phi(at[0], at[1], at[2]) / s.gradient(at)[axis]
		if !(math.Abs(at[axis]-step-x[axis]) < 3*s.width) {
			return s.nearest(x)
		}
		at[axis] -= step
	}
	return at
}

// curvature returns the divergence of the normal: 1/r for a disk, 2/r for a ball.
func (s *surface) curvature(x [3]float64) (k float64) {
	h := normalStep * s.width
	for d := range s.dim {
		lo, hi := x, x
		lo[d], hi[d] = x[d]-h, x[d]+h
		k += (s.normal(hi)[d] - s.normal(lo)[d]) / (2 * h)
	}
	return k
}

// errorsOf returns, for each cell of the block, |n - exact| of the normal of its plane or, if curved is true, |κ -
// exact| of its curvature. The exact normal is that at the nearest point of the exact interface, the exact curvature
// that on the line through the centre of the cell along the axis nearest to the normal: it is the middle of the columns
// from whose heights the curvature is computed. The error is NaN in cells without an interface, and where one of the
// two values is undefined.
func (s *solver[F]) errorsOf(ctx context.Context, curved bool) ([]float64, error) {
	names := append([]string{"alpha"}, []string{"nx", "ny", "nz"}[:s.block.Grid.Dim]...)
	if curved {
		names = append(names, "curvature")
	}
	values, err := s.values(ctx, names...)
	if err != nil {
		return nil, err
	}
	errs, n := make([]float64, s.block.Cells()), len(names)
	parallel.Ranges(len(errs), parallel.Parts(len(errs), cellsPerWorker/2), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			errs[i] = s.errorAt(i, values[i*n:(i+1)*n], curved)
		}
	})
	return errs, nil
}

// errorAt is errorsOf for cell i. values are alpha, the components of the normal and, if curved is true, the curvature.
func (s *solver[F]) errorAt(i int, values []float64, curved bool) float64 {
	dim, alpha := s.block.Grid.Dim, values[0]
	var n, x [3]float64
	size, beyond := 0.0, -alpha
	copy(x[:], s.cells.Position(i))
	for axis := range dim {
		n[axis] = values[1+axis]
		size += n[axis] * n[axis]
		beyond += n[axis] * s.block.Grid.Spacing(axis) / 2
	}
	if size == 0 {
		return math.NaN()
	}
	// From the centre of the cell to the plane, and on to the surface.
	if curved {
		along := 0
		for axis := 1; axis < dim; axis++ {
			if math.Abs(n[axis]) > math.Abs(n[along]) {
				along = axis
			}
		}
		x[along] -= beyond / n[along]
		return math.Abs(values[1+dim] - s.final.curvature(s.final.along(x, along)))
	}
	for axis := range dim {
		x[axis] -= beyond * n[axis]
	}
	m := s.final.normal(s.final.nearest(x))
	return math.Sqrt((n[0]-m[0])*(n[0]-m[0]) + (n[1]-m[1])*(n[1]-m[1]) + (n[2]-m[2])*(n[2]-m[2]))
}

// EndQuantities are those that are measured only at the end of a run.
var EndQuantities = []solvers.Quantity{
	{Name: "normal_error", Doc: "the mean of |n - exact| over mixed cells, where 1 is an angle of 60°; none for a body " +
		"from STL", Outputs: inSummary, Error: true},
	{Name: "normal_max_error", Doc: "the largest |n - exact|", Outputs: inSummary, Error: true},
	{Name: "curvature_error", Unit: "1/m", Doc: "the mean of |curvature - exact| over mixed cells that have one; " +
		"only where output lists the field curvature or curvature_error", Outputs: inSummary, Error: true},
	{Name: "curvature_max_error", Unit: "1/m", Doc: "the largest |curvature - exact|", Outputs: inSummary, Error: true},
}

// measureEnd measures the errors of normals and curvatures.
func (s *solver[F]) measureEnd(ctx context.Context) ([]solvers.Quantity, error) {
	if s.final == nil {
		return nil, nil
	}
	var values []float64
	for _, curved := range []bool{false, true} {
		if curved && !s.cfg.Curvature {
			break
		}
		errs, err := s.errorsOf(ctx, curved)
		if err != nil {
			return nil, err
		}
		var sum dist.Accumulator
		largest, count := []float64{0}, []int64{0}
		for _, v := range errs {
			if v-v == 0 { // finite
				sum.Add(v)
				largest[0] = max(largest[0], v)
				count[0]++
			}
		}
		if err := dist.AllreduceSum(ctx, s.Env().Comm, &sum); err != nil {
			return nil, err
		}
		if err := s.Env().Comm.AllreduceFloat64(ctx, dist.Max, largest); err != nil {
			return nil, err
		}
		if err := s.Env().Comm.AllreduceInt64(ctx, dist.Sum, count); err != nil {
			return nil, err
		}
		values = append(values, sum.Float64()/float64(max(1, count[0])), largest[0])
	}
	return solvers.Measured(EndQuantities[:len(values)], values...), nil
}

// shownErrors returns the errors as a field for frames: 0 in cells whose error is undefined.
func (s *solver[F]) shownErrors(ctx context.Context, curved bool) ([]float64, error) {
	if s.final == nil {
		return make([]float64, s.block.Cells()), nil
	}
	errs, err := s.errorsOf(ctx, curved)
	for i, v := range errs {
		if v-v != 0 {
			errs[i] = 0
		}
	}
	return errs, err
}
