package levelset

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
)

// Diagnostics are global quantities, the same on every rank and for any number of ranks: all are counts and maxima.
type Diagnostics struct {
	Volume     float64 // inside, by samples of the interpolated level set; in the plane an area
	VolumeLoss float64 // since the start, as a part of it
	Changed    float64 // volume that is inside now or at the start, but not both
	GradError  float64 // the largest ||∇φ|-1| in the inner half of the band
	Particles  int64
	Escaped    int64 // of these
	Left       int64 // particles that left the grid
	Deleted    int64 // particles that reseeding removed
	Flips      int64 // changes of sign by reinitialisation that were refused
}

// samples is how many of them there are along each axis of a cell.
func samples(dim int) int {
	if dim == 2 {
		return 16
	}
	return 6
}

// hostField returns the level set where the host can read it, with its ghosts.
func (s *solver[F]) hostField() ([]F, error) {
	if !s.separate {
		return s.f[now], nil
	}
	return s.host, backend.Download(s.dev, s.host, s.f[now])
}

// Field returns the level set of the block's cells.
func (s *solver[F]) Field(context.Context) ([]float64, error) {
	field, err := s.hostField()
	if err != nil {
		return nil, err
	}
	out := make([]float64, 0, s.block.Cells())
	for c := range s.block.Own() {
		out = append(out, float64(field[c]))
	}
	return out, nil
}

// View is that of the level set of the block.
func (s *solver[F]) View() solvers.View { return solvers.BlockView(s.dev, s.f[now], s.block) }
