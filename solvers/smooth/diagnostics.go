package smooth

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// countMoved returns how many of the rank's vertices are not at their initial position.
func (s *engine[F, V]) countMoved() (int64, error) {
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
func (s *engine[F, V]) countActive() (n int64, err error) {
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
		if err := backend.Download(s.dev, seen, s.seen[:s.sub.Owned]); err != nil {
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

// measuredShapes measures all cells and returns them on the host.
func (s *solver[F]) measuredShapes() ([]kernels.Shape[F], error) {
	s.dev.Run(s.measureCell, 0, len(s.cells))
	return onHost(s.dev, s.shapes, &s.hostShapes)
}

// onHost returns an array in memory that the host can read, valid until the next call. An array in separate memory
// is copied to the buffer.
func onHost[T any](dev backend.Device, from []T, buffer *[]T) ([]T, error) {
	if _, separate := dev.(backend.Memory); !separate {
		return from, nil
	}
	*buffer = slices.Grow((*buffer)[:0], len(from))[:len(from)]
	return *buffer, backend.Download(dev, *buffer, from)
}

func (s *solver[F]) Quality() solvers.View {
	s.dev.Run(s.measureCell, 0, len(s.cells))
	return solvers.ViewOf[F](s.dev, s.shapes, unsafe.Offsetof(kernels.Shape[F]{}.Quality))
}

func (s *solver[F]) Qualities() ([]float64, error) {
	shapes, err := s.measuredShapes()
	if err != nil {
		return nil, err
	}
	q := make([]float64, len(shapes))
	for i := range q {
		q[i] = float64(shapes[i].Quality)
	}
	return q, nil
}
