package smooth

import "github.com/atoll-hpc/atoll/backend"

// hostVertices returns the vertices in memory that the host can read; ghosts may be outdated.
func (s *points[F, V]) hostVertices() ([]V, error) {
	if !s.separate {
		return s.v, nil
	}
	n := s.sub.Owned
	return s.host, backend.Download(s.Env().Device, s.host[:n], s.v[:n])
}

// allVertices returns all vertices of the part including ghosts, on the host.
func (s *points[F, V]) allVertices() ([]V, error) {
	if !s.separate {
		return s.v, nil
	}
	return s.host, backend.Download(s.Env().Device, s.host, s.v)
}

func (s *points[F, V]) Coordinates() ([][]float64, error) {
	v, err := s.hostVertices()
	if err != nil {
		return nil, err
	}
	return s.coordinates(v[:s.sub.Owned]), nil
}

func (s *points[F, V]) Positions() ([][]float64, error) {
	v := s.v
	if s.separate { // not into the host's copy, which exchanges use
		v = make([]V, len(s.v))
		if err := backend.Download(s.Env().Device, v, s.v); err != nil {
			return nil, err
		}
	}
	return s.coordinates(v), nil
}

func (s *points[F, V]) coordinates(v []V) [][]float64 {
	x := make([][]float64, s.dim)
	for k := range x {
		x[k] = make([]float64, len(v))
		for i := range v {
			x[k][i] = float64(s.numbers(&v[i])[k])
		}
	}
	return x
}
