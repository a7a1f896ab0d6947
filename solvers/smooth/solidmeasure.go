package smooth

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

// shaped computes quality and volume of all cells and copies them to the host.
func (s *solidSolver[F]) shaped() ([]solid.Shape[F], error) {
	s.dev.Run(s.cells.loop, s.cells.lo, s.cells.hi)
	return onHost(s.dev, s.shapes, &s.hostShapes)
}

func (s *solidSolver[F]) Quality() solvers.View {
	s.dev.Run(s.cells.loop, s.cells.lo, s.cells.hi)
	return solvers.ViewOf[F](s.dev, s.shapes, unsafe.Offsetof(solid.Shape[F]{}.Quality))
}

func (s *solidSolver[F]) Qualities() ([]float64, error) {
	shapes, err := s.shaped()
	if err != nil {
		return nil, err
	}
	q := make([]float64, len(shapes))
	for i := range q {
		q[i] = float64(shapes[i].Quality)
	}
	return q, nil
}
