package smooth

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
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
		c.Add(int32(s.Env().Comm.Rank()), "%s: choose sets", reason)
	}
	err = faults.Agree(ctx, s.Env().Comm, c)
	var refusal *faults.Refusal
	if errors.As(err, &refusal) && s.cfg.Sweep != "tiles" {
		return nil
	}
	if err != nil {
		return err
	}
	s.tiled = true
	return s.batchTiles(ctx)
}

// prepareTiles prepares sweeps by tiles, or returns the reason why that is not possible.
func (s *solver[F]) prepareTiles() (reason string, err error) {
	if _, records := s.Env().Device.(backend.Recorder); !records {
		return fmt.Sprintf("device %s cannot record sweeps, which sweeps by tiles need", s.Env().Device.Name()), nil
	}
	if s.Env().Comm.Size() > 1 {
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
	if f, ok := s.Env().Device.(backend.Fitter); ok {
		if err := f.Fits(s.tiles.loops[0]); err != nil {
			return err.Error(), nil
		}
	}
	n, rails, m, h := len(s.v), len(t.Sliders), &s.tiles.mesh, &s.tiles.vertices[0]
	s.tiles.to = []engine.Task{engine.Whole(kernels.NewToTilesLoop(m, s.v, h), n),
		engine.Whole(kernels.NewRailToTilesLoop(m, s.v, h), rails)}
	s.tiles.from = []engine.Task{engine.Whole(kernels.NewFromTilesLoop(m, h, s.v), n),
		engine.Whole(kernels.NewRailFromTilesLoop(m, h, s.v), rails)}
	return "", s.arrangeTiles(t, independent)
}

// tiling has the arrays of sweeps by tiles.
type tiling[F num.Float] struct {
	count    int // number of tiles
	mesh     kernels.TiledMesh[F]
	vertices [2]kernels.TileVertices[F]       // two copies: each sweep reads one and writes the other
	windows  []kernels.Window                 // of the metric's samples
	loops    [2]backend.Loop                  // between the two copies of the vertices
	sweeps   [2]tileSweep                     // for each direction
	to, from []engine.Task                    // copy the vertices to the arrays of the tiles before such sweeps, and back
	centre   engine.Task                      // centres the windows of the tiles on their vertices
	messages *engine.Array[kernels.Vertex[F]] // vertices to send, followed by those received
	first    *engine.Exchange                 // of the vertices before the first sweep in them
}

// uploadTiles uploads tiles. Fixed vertices are written once.
func (s *solver[F]) uploadTiles(t *kernels.TiledMesh[F]) error {
	table, a, nodes := s.Table(), &s.tiles, len(s.field.Samples)
	a.mesh = kernels.TiledMesh[F]{Tiles: uploaded(table, "tiles", t.Tiles), Slots: uploaded(table, "tiles", t.Slots),
		Visits: uploaded(table, "tiles", t.Visits), Extras: uploaded(table, "tiles", t.Extras), Rails: s.mesh.Rails,
		Sliders: uploaded(table, "tiles", t.Sliders), Index: uploaded(table, "tiles", t.Index),
		NodeRow:  engine.Add[kernels.Row[F]](table, sizing.ArrayName, nodes).Data,
		NodeRest: engine.Add[F](table, sizing.ArrayName, nodes).Data}
	a.windows = engine.Add[kernels.Window](table, "tiles", len(t.Tiles)-1).Data
	const what = "vertices of tiles"
	for k := range a.vertices {
		n := len(s.v)
		a.vertices[k] = kernels.TileVertices[F]{Place: engine.Add[kernels.Place[F]](table, what, n).Data,
			Row: engine.Add[kernels.Row[F]](table, what, n).Data, M22: engine.Add[F](table, what, n).Data,
			Along: engine.Add[F](table, what, len(t.Sliders)).Data}
	}
	if err := table.Err(); err != nil {
		return err
	}
	dev := s.Env().Device
	for k := range a.vertices {
		dev.Run(kernels.NewToTilesLoop(&a.mesh, s.v, &a.vertices[k]), 0, len(s.v))
	}
	dev.Run(kernels.NewNodeToTilesLoop(&s.field, &a.mesh), 0, nodes)
	for k := range a.loops {
		a.loops[k] = kernels.NewTilePainLoop(&s.params, &a.mesh, &s.field, a.windows, &a.vertices[k], &a.vertices[1-k],
			&s.longestMove[0])
	}
	return nil
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
