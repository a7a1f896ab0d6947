package smooth

import (
	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

func (s *solver[F]) Places() (x, y []float64, err error) {
	v := s.v
	if s.apart {
		v = make([]kernels.Vertex[F], len(s.part.X))
		if err := backend.Download(s.dev, v, s.v); err != nil {
			return nil, nil, err
		}
	}
	x, y = make([]float64, len(v)), make([]float64, len(v))
	for i := range v {
		x[i], y[i] = float64(v[i].X), float64(v[i].Y)
	}
	return x, y, nil
}
