package smooth

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

func (s *engine[F, V]) Diagnose(ctx context.Context) (quality.Diagnostics, error) {
	if s.diagnosed {
		return s.lastDiagnostics, nil
	}
	var t quality.Tally
	if err := s.measure(&t); err != nil {
		return quality.Diagnostics{}, err
	}
	var err error
	s.lastDiagnostics, err = t.Reduce(ctx, s.comm, s.Sweeps(), &s.start)
	s.diagnosed = err == nil
	return s.lastDiagnostics, err
}

// measure measures the cells, edges and vertices of the part.
func (s *engine[F, V]) measure(t *quality.Tally) error {
	t.Clear()
	if err := s.survey(t); err != nil {
		return err
	}
	v, err := s.hostVertices()
	if err != nil {
		return err
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
	t.Moved = moved.Load()
	if t.Active, err = s.countActive(); err != nil {
		return err
	}
	var n [1]kernels.Counters
	if err := backend.Download(s.dev, n[:], s.counters); err != nil {
		return err
	}
	t.Limited, t.Refused = n[0].Limited, n[0].Refused
	return nil
}

// survey measures triangles, edges and the boundary.
func (s *solver[F]) survey(t *quality.Tally) error {
	shapes, err := s.measuredShapes()
	if err != nil {
		return err
	}
	s.dev.Run(s.measureEdge, 0, len(s.edges))
	sides, err := onHost(s.dev, s.sides, &s.hostSides)
	if err != nil {
		return err
	}
	t.AddInParallel(len(shapes), func(t *quality.Tally, i int) {
		t.AddCell(s.part.CellGlobal[i], float64(shapes[i].Quality), float64(shapes[i].Area))
	})
	t.AddInParallel(len(sides), func(t *quality.Tally, i int) {
		t.AddEdge(float64(sides[i].Metric))
		if s.part.OnBoundary[i] {
			t.Perimeter.Add(float64(sides[i].Length))
		}
	})
	return nil
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
	for _, visit := range seen {
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

// meanQuality returns the mean quality of the whole mesh.
func (s *engine[F, V]) meanQuality(ctx context.Context) (float64, error) {
	s.qualitySum = dist.Accumulator{}
	cells, err := s.sumQualities(&s.qualitySum)
	if err != nil {
		return 0, err
	}
	n, sum, err := sumOverRanks(ctx, s.comm, cells, &s.qualitySum)
	return sum / float64(n), err
}

func (s *solver[F]) sumQualities(sum *dist.Accumulator) (int, error) {
	shapes, err := s.measuredShapes()
	addUp(sum, shapes, func(c *kernels.Shape[F]) float64 { return float64(c.Quality) })
	return len(shapes), err
}

// addUp adds a number of each element to an exact sum, on all processors.
func addUp[T any](sum *dist.Accumulator, elements []T, number func(*T) float64) {
	var lock sync.Mutex
	parallel.Ranges(len(elements), parallel.Parts(len(elements), 20_000), func(_, lo, hi int) {
		var part dist.Accumulator
		for i := lo; i < hi; i++ {
			part.Add(number(&elements[i]))
		}
		lock.Lock()
		defer lock.Unlock()
		sum.Merge(&part)
	})
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
