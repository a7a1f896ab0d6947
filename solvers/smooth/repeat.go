package smooth

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// If a rank is alone, or its device exchanges ghosts with other devices, several sweeps are recorded once and then
// queued with one call, without the host. The device counts sweeps, for kernels that need the number.

// sweepsPerRecording is even, so that sweeps by tiles end in the array in which they began.
const sweepsPerRecording = layout.MaxBatch

// windowInterval is the number of sweeps between updates of the tiles' windows on the metric. During the first of these
// intervals windows are updated before every recording, since vertices then move far.
const windowInterval = 64

// maxQueued bounds the number of sweeps that are queued at a time, so that a run can be interrupted.
const maxQueued = 1024

// repeats reports whether many sweeps are queued at a time: by tiles, or recorded. Those of hybrid need the mean
// quality before each sweep; for barrier see raisesFloor.
func (s *mover[F, V]) repeats() bool {
	return s.tiled || s.several.Recorded() && s.cfg.Smoother != "hybrid" && s.stages == nil
}

// repeatSweeps takes up to `sweeps` sweeps in recordings, and returns how many it took: a multiple of
// sweepsPerRecording. The last few are not by tiles, whose sweeps begin and end with copies.
func (s *mover[F, V]) repeatSweeps(ctx context.Context, sweeps int) (made int, err error) {
	if sweeps < sweepsPerRecording || !s.repeats() {
		return 0, nil
	}
	if err := backend.Upload(s.Env().Device, s.control, s.hostControl[:]); err != nil {
		return 0, err
	}
	if s.tiled {
		if err := s.aroundTiles.before(ctx); err != nil {
			return 0, err
		}
	}
	for ; made+sweepsPerRecording <= sweeps; made += sweepsPerRecording {
		if made%maxQueued == 0 {
			if err := s.wait(ctx); err != nil {
				return made, err
			}
		}
		if s.tiled && (made < windowInterval || made%windowInterval == 0) {
			if err := s.aroundTiles.centre(ctx); err != nil {
				return made, err
			}
		}
		if err := s.several.Play(ctx); err != nil {
			return made, err
		}
		s.setSweeps(s.hostControl[0].Sweep + sweepsPerRecording)
	}
	if s.tiled {
		return made, s.aroundTiles.after(ctx)
	}
	return made, nil
}

// wait waits until the device has done what was queued, or until the run is cancelled.
func (s *mover[F, V]) wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return backend.Sync(s.Env().Device)
}

// raisesFloor reports whether the device raises the floor of barrier, so that the host waits for measurements alone.
func (s *mover[F, V]) raisesFloor() bool { return s.stages != nil && s.floored.Free() }

// repeatWithFloor takes a number of sweeps of barrier, before each of which it raises the floor to the worst quality.
func (s *mover[F, V]) repeatWithFloor(ctx context.Context, sweeps int) error {
	if sweeps == 0 {
		return nil
	}
	s.hostWorst[0].Reset()
	if err := s.worst.Set(s.hostWorst[:]); err != nil {
		return err
	}
	for range sweeps {
		if err := s.floored.Play(ctx); err != nil {
			return err
		}
	}
	s.stages.sweeps += sweeps
	var after [1]kernels.Control[F]
	err := backend.Download(s.Env().Device, after[:], s.control)
	s.hostControl[0].Floor = after[0].Floor
	return err
}
