package smooth

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

// measuredShapes measures all cells and returns their qualities and volumes on the host.
func (s *solidSolver[F]) measuredShapes() ([]solid.Shape[F], error) {
	s.dev.Run(s.measureCells.loop, s.measureCells.lo, s.measureCells.hi)
	return onHost(s.dev, s.shapes, &s.hostShapes)
}

func (s *solidSolver[F]) Quality() solvers.View {
	s.dev.Run(s.measureCells.loop, s.measureCells.lo, s.measureCells.hi)
	return solvers.ViewOf[F](s.dev, s.shapes, unsafe.Offsetof(solid.Shape[F]{}.Quality))
}

func (s *solidSolver[F]) Qualities() ([]float64, error) {
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
