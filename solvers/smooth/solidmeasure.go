package smooth

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

// Quality is that of solver.
func (s *solidSolver[F]) Quality() solvers.View {
	s.measure()
	return solvers.ViewOf[F](s.Env().Device, s.shapes.Data, unsafe.Offsetof(solid.Shape[F]{}.Quality))
}

// measure measures all cells.
func (s *solidSolver[F]) measure() {
	s.Env().Device.Run(s.measureCells.Loop, s.measureCells.Lo, s.measureCells.Hi)
}

// Qualities is that of solver.
func (s *solidSolver[F]) Qualities() ([]float64, error) {
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
