package smooth

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
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

func (s *solidSolver[F]) sumQualities(sum *dist.Accumulator) (int, error) {
	shapes, err := s.measuredShapes()
	addUp(sum, shapes, func(c *solid.Shape[F]) float64 { return float64(c.Quality) })
	return len(shapes), err
}

// survey adds quality and volume of tetrahedra, lengths of edges and areas of boundary faces to the tally.
func (s *solidSolver[F]) survey(t *quality.Tally) error {
	shapes, err := s.measuredShapes()
	if err != nil {
		return err
	}
	s.run(s.measureOthers)
	lengths, err := onHost(s.dev, s.lengths, &s.hostLengths)
	if err != nil {
		return err
	}
	areas, err := onHost(s.dev, s.areas, &s.hostAreas)
	if err != nil {
		return err
	}
	t.AddInParallel(len(shapes), func(t *quality.Tally, i int) {
		t.AddCell(s.part.CellGlobal[i], float64(shapes[i].Quality), float64(shapes[i].Volume))
	})
	t.AddInParallel(len(lengths), func(t *quality.Tally, i int) { t.AddEdge(float64(lengths[i])) })
	for _, a := range areas {
		t.Perimeter.Add(float64(a))
	}
	return nil
}
