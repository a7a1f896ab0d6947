package problem

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// surface is where the interface should be at the end: where Phi of a body is 0.
type surface struct {
	body  shape.Body
	dim   int
	width float64 // of a cell at least, m
}

// Of differences, as shares of a cell: so short that their own error is far below that of a reconstruction, and so long
// that rounding is too.
const (
	ofPhi    = 1e-4
	ofNormal = 0.05
)

// gradient is that of Phi.
func (s *surface) gradient(x [3]float64) (g [3]float64) {
	h := ofPhi * s.width
	for d := range s.dim {
		lo, hi := x, x
		lo[d], hi[d] = x[d]-h, x[d]+h
		g[d] = (s.body.Phi(hi[0], hi[1], hi[2]) - s.body.Phi(lo[0], lo[1], lo[2])) / (2 * h)
	}
	return g
}

// normal is the unit normal out of the body; it is not finite where Phi has no gradient.
func (s *surface) normal(x [3]float64) [3]float64 {
	g := s.gradient(x)
	l := math.Sqrt(g[0]*g[0] + g[1]*g[1] + g[2]*g[2])
	return [3]float64{g[0] / l, g[1] / l, g[2] / l}
}

// nearest is the point of the surface near x, by Newton's method along the gradient.
func (s *surface) nearest(x [3]float64) [3]float64 {
	for range 3 {
		g := s.gradient(x)
		move := s.body.Phi(x[0], x[1], x[2]) / (g[0]*g[0] + g[1]*g[1] + g[2]*g[2])
		for d := range s.dim {
			x[d] -= move * g[d]
		}
	}
	return x
}

// curvature is the divergence of the normal: 1/r of a disk, 2/r of a ball.
func (s *surface) curvature(x [3]float64) (k float64) {
	h := ofNormal * s.width
	for d := range s.dim {
		lo, hi := x, x
		lo[d], hi[d] = x[d]-h, x[d]+h
		k += (s.normal(hi)[d] - s.normal(lo)[d]) / (2 * h)
	}
	return k
}

// few mixed cells are measured by one thread.
const few = 500

// errorsOf are how far the normals of mixed cells are from those of the body where the interface should be, or with
// curved their curvatures: NaN in cells without, and where one of the two cannot be told.
func (d *body) errorsOf(ctx context.Context, curved bool) ([]float64, error) {
	planes := make([][]float64, 0, 4)
	names := append([]string{"alpha"}, []string{"nx", "ny", "nz"}[:d.block.Grid.Dim]...)
	if curved {
		names = append(names, "curvature")
	}
	for _, name := range names {
		v, err := d.Field(ctx, name)
		if err != nil {
			return nil, err
		}
		planes = append(planes, v)
	}
	off := make([]float64, d.block.Cells())
	parallel.Ranges(len(off), parallel.Parts(len(off), few), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			off[i] = d.errorAt(i, planes, curved)
		}
	})
	return off, nil
}

// errorAt is that of a cell, by its alpha, the numbers of its normal and its curvature.
func (d *body) errorAt(i int, planes [][]float64, curved bool) float64 {
	dim, alpha := d.block.Grid.Dim, planes[0][i]
	var n, x [3]float64
	size, beyond := 0.0, -alpha
	copy(x[:], d.cells.At(i))
	for axis := range dim {
		n[axis] = planes[1+axis][i]
		size += n[axis] * n[axis]
		beyond += n[axis] * d.block.Grid.Spacing(axis) / 2
	}
	if size == 0 {
		return math.NaN()
	}
	for axis := range dim { // from the middle of the cell to the plane, and on to the surface
		x[axis] -= beyond * n[axis]
	}
	x = d.exact.nearest(x)
	if curved {
		return math.Abs(planes[1+dim][i] - d.exact.curvature(x))
	}
	m := d.exact.normal(x)
	return math.Sqrt((n[0]-m[0])*(n[0]-m[0]) + (n[1]-m[1])*(n[1]-m[1]) + (n[2]-m[2])*(n[2]-m[2]))
}

// endings are what is measured at the end alone.
var endings = []solvers.Quantity{
	{Name: "normal_error", Doc: "the mean of |n - exact|, 1 for 57°, over mixed cells; none of a body from STL",
		In: inSummary, Error: true},
	{Name: "normal_max_error", Doc: "the largest of them", In: inSummary, Error: true},
	{Name: "curvature_error", Unit: "1/m", Doc: "the mean of |curvature - exact| over mixed cells that have one; " +
		"where output has the field curvature or curvature_error", In: inSummary, Error: true},
	{Name: "curvature_max_error", Unit: "1/m", Doc: "the largest of them", In: inSummary, Error: true},
}

// MeasureEnd measures normals and curvatures against those of the body.
func (d *body) MeasureEnd(ctx context.Context) ([]solvers.Quantity, error) {
	if d.exact == nil {
		return nil, nil
	}
	var values []float64
	for _, curved := range []bool{false, true} {
		if curved && !d.curved {
			break
		}
		off, err := d.errorsOf(ctx, curved)
		if err != nil {
			return nil, err
		}
		var sum dist.Accumulator
		most, count := []float64{0}, []int64{0}
		for _, v := range off {
			if v-v == 0 {
				sum.Add(v)
				most[0] = max(most[0], v)
				count[0]++
			}
		}
		if err := dist.AllreduceSum(ctx, d.comm, &sum); err != nil {
			return nil, err
		}
		if err := d.comm.AllreduceFloat64(ctx, dist.Max, most); err != nil {
			return nil, err
		}
		if err := d.comm.AllreduceInt64(ctx, dist.Sum, count); err != nil {
			return nil, err
		}
		values = append(values, sum.Float64()/float64(max(1, count[0])), most[0])
	}
	return solvers.Measured(endings[:len(values)], values...), nil
}

// shown are errors as a field of frames: 0 in cells that have none.
func (d *body) shown(ctx context.Context, curved bool) ([]float64, error) {
	if d.exact == nil {
		return make([]float64, d.block.Cells()), nil
	}
	off, err := d.errorsOf(ctx, curved)
	for i, v := range off {
		if v-v != 0 {
			off[i] = 0
		}
	}
	return off, err
}
