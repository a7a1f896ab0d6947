package smooth

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// tileSweeps prepares sweeps by tiles if they were requested or are fastest: on a device that can record. They
// alternate between two copies of the vertices. All ranks use tiles, or none.
func (s *solver[F]) tileSweeps(ctx context.Context) error {
	if s.cfg.Sweep == "sets" || !hasTileKernel(&s.cfg) {
		return nil
	}
	reason, err := s.prepareTiles()
	if err != nil {
		return err
	}
	var c faults.List
	if reason != "" {
		c.Add(int32(s.comm.Rank()), "%s: choose sets", reason)
	}
	err = faults.Agree(ctx, s.comm, c)
	var refusal *faults.Refusal
	if errors.As(err, &refusal) && s.cfg.Sweep != "tiles" {
		return nil
	}
	if err != nil || s.comm.Size() == 1 {
		s.tiled = err == nil
		return err
	}
	s.tiled = true
	return s.connectTiles()
}

// prepareTiles prepares sweeps by tiles, or returns the reason why that is not possible.
func (s *solver[F]) prepareTiles() (reason string, err error) {
	if _, records := s.dev.(backend.Recorder); !records {
		return fmt.Sprintf("device %s cannot record sweeps, which sweeps by tiles need", s.dev.Name()), nil
	}
	if s.comm.Size() > 1 {
		if !s.sub.Deep {
			return "sweeps by tiles on several ranks need deep ghosts (deep = true)", nil
		}
	}
	t, independent, err := layout.Tiles[F](s.part, s.nodesPerVertex())
	if err != nil {
		return "", err
	}
	if t == nil {
		return fmt.Sprintf("the mesh does not fit tiles of %d vertices, %d neighbours of each and %d sets",
			kernels.TileSlots, kernels.TileDegree, kernels.TileSets), nil
	}
	if err := s.uploadTiles(t); err != nil {
		return "", err
	}
	if f, ok := s.dev.(backend.Fitter); ok {
		if err := f.Fits(s.tiles.loops[0]); err != nil {
			return err.Error(), nil
		}
	}
	n, rails, m, h := len(s.v), len(t.Sliders), &s.tiles.mesh, &s.tiles.vertices[0]
	s.toTiles = []pass{{0, n, kernels.NewToTilesLoop(m, s.v, h)}, {0, rails, kernels.NewRailToTilesLoop(m, s.v, h)}}
	s.fromTiles = []pass{{0, n, kernels.NewFromTilesLoop(m, h, s.v)}, {0, rails, kernels.NewRailFromTilesLoop(m, h, s.v)}}
	return "", s.arrangeTiles(t, independent)
}

// tiling has the arrays of sweeps by tiles.
type tiling[F num.Float] struct {
	count    int // number of tiles
	mesh     kernels.TiledMesh[F]
	vertices [2]kernels.TileVertices[F] // two copies: each sweep reads one and writes the other
	windows  []kernels.Window           // of the metric's samples
	loops    [2]backend.Loop            // between the two copies of the vertices
	passes   [2]tilePasses              // for each direction
	exchange tileExchange[F]
}

// uploadTiles uploads tiles. Fixed vertices are written once.
func (s *solver[F]) uploadTiles(t *kernels.TiledMesh[F]) error {
	b := &s.allocated
	a, nodes := &s.tiles, len(s.field.Samples)
	a.mesh = kernels.TiledMesh[F]{Tiles: backend.Uploaded(b, t.Tiles, "tiles"), Slots: backend.Uploaded(b, t.Slots,
		"tiles"),
		Visits: backend.Uploaded(b, t.Visits, "tiles"), Extras: backend.Uploaded(b, t.Extras, "tiles"), Rails: s.mesh.Rails,
		Sliders: backend.Uploaded(b, t.Sliders, "tiles"), Index: backend.Uploaded(b, t.Index, "tiles"),
		NodeRow:  backend.Fresh[kernels.Row[F]](b, nodes, metricArray),
		NodeRest: backend.Fresh[F](b, nodes, metricArray)}
	a.windows = backend.Fresh[kernels.Window](b, len(t.Tiles)-1, "tiles")
	for k := range a.vertices {
		n := len(s.v)
		a.vertices[k] = kernels.TileVertices[F]{Place: backend.Fresh[kernels.Place[F]](b, n, "vertices of tiles"),
			Row:   backend.Fresh[kernels.Row[F]](b, n, "vertices of tiles"),
			M22:   backend.Fresh[F](b, n, "vertices of tiles"),
			Along: backend.Fresh[F](b, len(t.Sliders), "vertices of tiles")}
		if b.Err() == nil {
			s.dev.Run(kernels.NewToTilesLoop(&a.mesh, s.v, &a.vertices[k]), 0, n)
		}
	}
	if b.Err() == nil {
		s.dev.Run(kernels.NewNodeToTilesLoop(&s.field, &a.mesh), 0, nodes)
	}
	for k := range a.loops {
		a.loops[k] = kernels.NewTilePainLoop(&s.params, &a.mesh, &s.field, a.windows, &a.vertices[k], &a.vertices[1-k],
			&s.longestMove[0])
	}
	return b.Err()
}

// nodesPerVertex is the number of nodes of the metric's grid per vertex in the region of the rank's vertices.
func (s *solver[F]) nodesPerVertex() float64 {
	f := &s.field
	x, y := s.origin[0], s.origin[1]
	if f.Kind != lookup.Grid || len(x) == 0 {
		return 0
	}
	return (slices.Max(x) - slices.Min(x)) * float64(f.PerX) * (slices.Max(y) - slices.Min(y)) * float64(f.PerY) /
		float64(len(x))
}
