package smooth

import (
	"sync/atomic"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// countMoved returns how many of the rank's vertices are not at their initial position.
func (s *surveyor[F, V]) countMoved() (int64, error) {
	v, err := s.hostVertices()
	if err != nil {
		return 0, err
	}
	var moved atomic.Int64
	parallel.Ranges(s.sub.Owned, parallel.Parts(s.sub.Owned, 20_000), func(_, lo, hi int) {
		n := int64(0)
		for i := lo; i < hi; i++ {
			for k, x := range s.numbers(&v[i])[:s.dim] {
				if x != F(s.origin[k][i]) {
					n++
					break
				}
			}
		}
		moved.Add(n)
	})
	return moved.Load(), nil
}

// countActive returns the number of the rank's vertices that the last sweep visited.
func (s *surveyor[F, V]) countActive() (n int64, err error) {
	if s.Sweeps() == 0 {
		return 0, nil
	}
	if !s.params.Cull {
		for set := range s.sub.Sets {
			n += int64(s.sub.Sent[set].Hi - s.sub.Sent[set].Lo + s.sub.Unsent[set].Hi - s.sub.Unsent[set].Lo)
		}
		return n, nil
	}
	seen := s.seen[:s.sub.Owned]
	if s.separate {
		seen = make([]int32, s.sub.Owned)
		if err := backend.Download(s.Env().Device, seen, s.seen[:s.sub.Owned]); err != nil {
			return 0, err
		}
	}
	for _, visit := range seen { // the sets of earlier sweeps have lower numbers
		if int(visit) > (s.Sweeps()-1)*s.sub.Sets {
			n++
		}
	}
	return n, nil
}

// Quality measures all cells, and returns a view of their qualities, valid until the next call that measures them.
func (s *solver[F]) Quality() solvers.View {
	s.measure()
	return solvers.ViewOf[F](s.Env().Device, s.shapes.Data, unsafe.Offsetof(kernels.Shape[F]{}.Quality))
}

// measure measures all cells.
func (s *solver[F]) measure() {
	s.Env().Device.Run(s.measureCells.Loop, s.measureCells.Lo, s.measureCells.Hi)
}

// Qualities returns the quality of the part's cells, in the order of Part.CellGlobal.
func (s *solver[F]) Qualities() ([]float64, error) {
	s.measure()
	shapes, err := s.shapes.Host()
	if err != nil {
		return nil, err
	}
	q := make([]float64, len(shapes))
	for i := range q {
		q[i] = float64(shapes[i].Quality)
	}
	return q, nil
}
