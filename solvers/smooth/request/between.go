package request

import (
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/between"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// Between is a metric between the vertices at which it is given: the tensors M^-½, whose eigenvalues are the sizes, are
// linear there. For similar tensors this is near their log-Euclidean mean, and needs no logarithms.
type Between struct {
	Sizes *kernels.Field[float64] // M^-½ in the plane, for between.At; nil in space
	space *sizing.SolidMetric
}

// Between returns the metric between the vertices.
func (n *Nodal) Between() (*Between, error) {
	sizes := *n
	sizes.Tensors = make(metric.Field, len(n.Tensors))
	for v, t := range n.Tensors {
		sizes.Tensors[v] = t.InverseRoot(n.Dim)
	}
	if n.Dim == 3 {
		m, err := sizes.InSpace()
		return &Between{space: m}, err
	}
	m, err := sizes.InPlane()
	if err != nil {
		return nil, err
	}
	return &Between{Sizes: &m.Field}, nil
}

// At returns the metric at a position.
func (b *Between) At(x [3]float64) (t metric.Tensor) {
	if b.Sizes != nil {
		t[0], t[1], t[2] = between.At(b.Sizes, 1, x[0], x[1])
		return t
	}
	s := b.space.At(x[0], x[1], x[2])
	return squaredInverse(&metric.Tensor{s[0], s[1], s[3], s[2], s[4], s[5]})
}

// squaredInverse is (SS)⁻¹ in space.
func squaredInverse(s *metric.Tensor) metric.Tensor {
	var square measure.Tensor
	n := 0
	for i := range 3 {
		for j := range i + 1 {
			for k := range 3 {
				square[n] += s.Get(i, k) * s.Get(k, j)
			}
			n++
		}
	}
	return metric.Tensor(measure.Inverse(3, &square))
}
