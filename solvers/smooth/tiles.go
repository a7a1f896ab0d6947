package smooth

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// tileSweeps prepares sweeps by tiles if they were asked for or would be fastest: on a device that repeats sweeps, for
// a rank that is alone. They go from the vertices to a copy of them and back.
func (s *solver[F]) tileSweeps() error {
	_, records := s.dev.(backend.Recorder)
	asked := s.cfg.Sweep == "tiles"
	switch {
	case !asked && (s.cfg.Sweep == "sets" || !records || s.comm.Size() > 1 || !tileable(&s.cfg)):
		return nil
	case s.comm.Size() > 1:
		return fmt.Errorf("sweeps by tiles are for one rank, not for %d: choose sets", s.comm.Size())
	case !records:
		return fmt.Errorf("device %s does not repeat sweeps, which those by tiles need: choose sets", s.dev.Name())
	}
	t, err := tile[F](s.part)
	if err != nil {
		return err
	}
	if t == nil {
		if asked {
			return fmt.Errorf("the mesh does not fit tiles of %d vertices, %d neighbours of each and %d sets: choose sets",
				kernels.TileSlots, kernels.TileDegree, kernels.TileSets)
		}
		return nil
	}
	if err := s.placeTiles(s.dev, t); err != nil {
		return err
	}
	if f, ok := s.dev.(backend.Fitter); ok {
		if err := f.Fits(s.passes[0]); err != nil {
			if asked {
				return fmt.Errorf("%w: choose sets", err)
			}
			return nil
		}
	}
	s.ntiles = len(t.Tiles) - 1
	return nil
}
