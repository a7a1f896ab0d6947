package rounds

import (
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// Uniform is a metric that is the same everywhere.
type Uniform struct {
	of   kernels.Constant
	loop *kernels.FillLoop
}

// NewUniform returns the metric of a tensor.
func NewUniform(m measure.Tensor) *Uniform { return &Uniform{of: kernels.Constant{M: m}} }

// Evaluate implements Field.
func (u *Uniform) Evaluate(d backend.Device, _ []measure.Vector, want []measure.Tensor) error {
	loop := kernels.NewFillLoop(&u.of, want)
	if u.loop == nil {
		u.loop = loop
	}
	*u.loop = *loop
	d.Run(u.loop, 0, len(want))
	return nil
}

// OnHost is a metric that only processors can evaluate: positions are copied there, and the metric back.
type OnHost struct {
	At      func(x measure.Vector) measure.Tensor // goroutines may call it concurrently
	Threads int
	x       []measure.Vector
	want    []measure.Tensor
}

// Evaluate implements Field.
func (h *OnHost) Evaluate(d backend.Device, x []measure.Vector, want []measure.Tensor) error {
	n := len(x)
	h.x, h.want = slices.Grow(h.x[:0], n)[:n], slices.Grow(h.want[:0], n)[:n]
	if err := backend.Download(d, h.x, x); err != nil {
		return err
	}
	parallel.Ranges(n, min(max(1, h.Threads), 1+n/1000), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			h.want[i] = h.At(h.x[i])
		}
	})
	return backend.Upload(d, want, h.want)
}
