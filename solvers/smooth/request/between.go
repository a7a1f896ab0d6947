package request

import (
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// Between returns the metric as a function of the position: between the vertices the tensors M^-½, whose eigenvalues
// are the sizes, are linear. For similar tensors this is near their log-Euclidean mean, and needs no logarithms.
func (n *Nodal) Between() (func(x [3]float64) metric.Tensor, error) {
	sizes := *n
	sizes.Tensors = make(metric.Field, len(n.Tensors))
	for v, t := range n.Tensors {
		sizes.Tensors[v] = t.InverseRoot(n.Dim)
	}
	if n.Dim == 3 {
		m, err := sizes.InSpace()
		if err != nil {
			return nil, err
		}
		return func(x [3]float64) metric.Tensor {
			t := m.At(x[0], x[1], x[2])
			return squaredInverse(3, &metric.Tensor{t[0], t[1], t[3], t[2], t[4], t[5]})
		}, nil
	}
	m, err := sizes.InPlane()
	if err != nil {
		return nil, err
	}
	return func(x [3]float64) metric.Tensor {
		m11, m12, m22 := m.At(x[0], x[1])
		return squaredInverse(2, &metric.Tensor{m11, m12, m22})
	}, nil
}

// squaredInverse is (SS)⁻¹.
func squaredInverse(dim int, s *metric.Tensor) metric.Tensor {
	var square measure.Tensor
	n := 0
	for i := range dim {
		for j := range i + 1 {
			for k := range dim {
				square[n] += s.Get(i, k) * s.Get(k, j)
			}
			n++
		}
	}
	return metric.Tensor(measure.Inverse(dim, &square))
}
