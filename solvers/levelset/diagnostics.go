package levelset

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
)

// Diagnostics are measurements of the whole state. They are the same on every rank and for any number of ranks, since
// all are counts and maxima.
type Diagnostics struct {
	Volume     float64 // volume inside, from samples of the interpolated level set; in the plane an area
	VolumeLoss float64 // relative loss of volume since the start
	Changed    float64 // volume that is inside at the start or now, but not both
	GradError  float64 // the largest ||∇φ|-1| in the inner half of the band
	Particles  int64
	Escaped    int64 // of Particles
	Left       int64 // particles that have left the grid
	Deleted    int64 // particles removed by reseeding
	Flips      int64 // changes of sign by reinitialisation that were prevented
}

// samples returns the number of samples along each axis of a cell.
func samples(dim int) int {
	if dim == 2 {
		return 16
	}
	return 6
}

// hostField returns the current level set with ghosts in memory that the host can read.
func (s *solver[F]) hostField() ([]F, error) {
	if !s.separateMemory {
		return s.f[now], nil
	}
	return s.hostCopy, backend.Download(s.dev, s.hostCopy, s.f[now])
}

// Field returns the level set of the block's cells.
func (s *solver[F]) Field(context.Context) ([]float64, error) {
	field, err := s.hostField()
	if err != nil {
		return nil, err
	}
	out := make([]float64, 0, s.block.Cells())
	for c := range s.block.OwnedIndices() {
		out = append(out, float64(field[c]))
	}
	return out, nil
}

// View is the view of the block's level set.
func (s *solver[F]) View() solvers.View { return solvers.BlockView(s.dev, s.f[now], s.block) }
