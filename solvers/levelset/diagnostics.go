package levelset

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// Diagnostics are global quantities, the same on every rank and for any number of ranks: all are counts and maxima.
type Diagnostics struct {
	Volume     float64 // inside, by samples of the interpolated level set; in the plane an area
	VolumeLoss float64 // since the start, as a part of it
	Changed    float64 // volume that is inside now or at the start, but not both
	GradError  float64 // the largest ||∇φ|-1| in the inner half of the band
	Particles  int64
	Escaped    int64 // of them
	Left       int64 // particles that have left the grid
	Deleted    int64 // particles that reseeding took
	Flips      int64 // changes of sign by reinitialisation that were refused
}

// samples is how many of them there are along each axis of a cell.
func samples(dim int) int {
	if dim == 2 {
		return 16
	}
	return 6
}

// Diagnose measures the state.
func (s *solver[F]) Diagnose(ctx context.Context) (d Diagnostics, err error) {
	if err := s.sound(); err != nil {
		return d, err
	}
	if err := backend.Upload(s.dev, s.counts, make([]kernels.Counts, 1)); err != nil {
		return d, err
	}
	if err := backend.Upload(s.dev, s.slope, make([]atomics.Most[F], 1)); err != nil {
		return d, err
	}
	s.run(s.loops.inside)
	s.run(s.loops.steep)
	if s.swarm != nil {
		s.dev.Run(s.swarm.loops().census, 0, s.swarm.n)
	}
	var n [1]kernels.Counts
	var slope [1]atomics.Most[F]
	own, err := s.tally()
	err = errors.Join(err, backend.Download(s.dev, n[:], s.counts), backend.Download(s.dev, slope[:], s.slope))
	if err != nil {
		return d, err
	}
	sums := []int64{n[0].Inside, n[0].Differ, n[0].Pieces, n[0].Escaped, own.Left, own.Deleted, own.Flips, n[0].Strays,
		own.sown}
	if err := s.comm.AllreduceInt64(ctx, dist.Sum, sums); err != nil {
		return d, err
	}
	if in, strays, sown := sums[2]+sums[4]+sums[5], sums[7], sums[8]; in != sown || strays != 0 {
		return d, fmt.Errorf("step %d: of %d particles that were sown %d are left, have gone or were deleted, and %d are in "+
			"blocks that do not own their place", s.steps, sown, in, strays)
	}
	steepest := []float64{float64(slope[0].Value())}
	if err := s.comm.AllreduceFloat64(ctx, dist.Max, steepest); err != nil {
		return d, err
	}
	g := s.block.Grid
	sample := g.CellVolume()
	for range g.Dim {
		sample /= float64(samples(g.Dim))
	}
	d = Diagnostics{Volume: float64(sums[0]) * sample, Changed: float64(sums[1]) * sample, GradError: steepest[0],
		Particles: sums[2], Escaped: sums[3], Left: sums[4], Deleted: sums[5], Flips: sums[6]}
	if s.volume > 0 {
		d.VolumeLoss = (s.volume - d.Volume) / s.volume
	}
	return d, nil
}

// sound tells where the level set is not finite.
func (s *solver[F]) sound() error {
	field, err := s.view()
	if err != nil {
		return err
	}
	n := 0
	for c := range s.block.Own() {
		if v := field[c]; v-v != 0 {
			return fmt.Errorf("rank %d: the level set of cell %d is %v in step %d", s.comm.Rank(), s.block.Number(n), v, s.steps)
		}
		n++
	}
	return nil
}

// view returns the level set where the host can read it, with its ghosts.
func (s *solver[F]) view() ([]F, error) {
	if !s.apart {
		return s.f[now], nil
	}
	return s.host, backend.Download(s.dev, s.host, s.f[now])
}

// Field returns the level set of the block's cells.
func (s *solver[F]) Field(context.Context) ([]float64, error) {
	field, err := s.view()
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
