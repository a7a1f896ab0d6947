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
	if err := s.placeTiles(t); err != nil {
		return err
	}
	if f, ok := s.dev.(backend.Fitter); ok {
		if err := f.Fits(s.tiles.passes[0]); err != nil {
			if asked {
				return fmt.Errorf("%w: choose sets", err)
			}
			return nil
		}
	}
	s.tiles.n = len(t.Tiles) - 1
	n, rails, h := len(s.v), len(t.Sliders), &s.tiles.held[0]
	s.enter = []pass{{0, n, kernels.NewToTilesLoop(s.v, h)}, {0, rails, kernels.NewRailToTilesLoop(&s.tiles.mesh, s.v, h)}}
	s.leave = []pass{{0, n, kernels.NewFromTilesLoop(h, s.v)},
		{0, rails, kernels.NewRailFromTilesLoop(&s.tiles.mesh, h, s.v)}}
	return nil
}

// tiling is what sweeps by tiles work on.
type tiling[F kernels.Float] struct {
	n      int // tiles; 0 if sweeps go by sets
	mesh   kernels.TiledMesh[F]
	held   [2]kernels.Held[F]
	aim    backend.Loop    // finds which samples of the metric the tiles hold
	passes [2]backend.Loop // from the first of held to the second, and back
}

// placeTiles puts tiles on the device. Vertices that stay where they are are never written again.
func (s *solver[F]) placeTiles(t *kernels.TiledMesh[F]) error {
	b := s.placer()
	a := &s.tiles
	a.mesh = kernels.TiledMesh[F]{Tiles: onDevice(b, t.Tiles), Slots: onDevice(b, t.Slots), Visits: onDevice(b, t.Visits),
		Extras: onDevice(b, t.Extras), Rails: s.mesh.Rails, Sliders: onDevice(b, t.Sliders)}
	windows := onDevice(b, make([]kernels.Window, len(t.Tiles)-1))
	for k := range a.held {
		n := len(s.v)
		a.held[k] = kernels.Held[F]{Place: onDevice(b, make([]kernels.Place[F], n)),
			Row: onDevice(b, make([]kernels.Row[F], n)), Rest: onDevice(b, make([]F, n)),
			Along: onDevice(b, make([]F, len(t.Sliders)))}
		if b.err == nil {
			s.dev.Run(kernels.NewToTilesLoop(s.v, &a.held[k]), 0, n)
		}
	}
	a.aim = kernels.NewAimTilesLoop(&a.mesh, &s.field, &a.held[0], windows)
	for k := range a.passes {
		a.passes[k] = kernels.NewTilePainLoop(&s.params, &a.mesh, &s.field, windows, &a.held[k], &a.held[1-k], &s.most[0])
	}
	return b.err
}
