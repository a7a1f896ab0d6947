package smooth

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
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

func (s *solidSolver[F]) sumQualities(sum *dist.Accumulator) (int, error) {
	shapes, err := s.shaped()
	addUp(sum, shapes, func(c *solid.Shape[F]) float64 { return float64(c.Quality) })
	return len(shapes), err
}

// survey adds quality and volume of tetrahedra, lengths of edges and areas of boundary faces to the tally.
func (s *solidSolver[F]) survey(t *quality.Tally) error {
	shapes, err := s.shaped()
	if err != nil {
		return err
	}
	s.run(s.others)
	lengths, err := onHost(s.dev, s.lengths, &s.hostLengths)
	if err != nil {
		return err
	}
	areas, err := onHost(s.dev, s.areas, &s.hostAreas)
	if err != nil {
		return err
	}
	t.Each(len(shapes), func(t *quality.Tally, i int) {
		t.AddCell(s.part.CellGlobal[i], float64(shapes[i].Quality), float64(shapes[i].Volume))
	})
	t.Each(len(lengths), func(t *quality.Tally, i int) { t.AddEdge(float64(lengths[i])) })
	for _, a := range areas {
		t.Perimeter.Add(float64(a))
	}
	return nil
}
