package kernels

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/wet"
)

// A tile is a part of the mesh that a block of a GPU's threads advances: the fluxes of all edges of its cells are
// written to shared memory, from which the cells read them, so that they are never transferred. Edges between tiles
// are computed by both; in a compact tile that is one in eleven.
const (
	TileCells = 256
	TileEdges = 384
)

// Tile holds the first cell and the first edge of a tile; they end at those of the next tile. The first Own of the
// edges have their left cell in the tile.
type Tile struct{ Cell, Edge, Own, _ int32 }

// TileCell is a cell of a tile. Slots holds ten bits for each of its edges in the order of its vertices: the number of
// the edge in the tile, times 2, plus 1 where the cell is the edge's right.
type TileCell struct{ Cell, Slots int32 }

// TiledMesh is a rank's part of the mesh cut into tiles. Beds and states are indexed by cell; the rest is in the
// order of tiles.
type TiledMesh[F num.Float] struct {
	Tiles     []Tile // and one more at the end
	Cells     []TileCell
	EdgeCells []EdgeCells
	Normals   []Normal[F]
	Beds      []Bed[F]
	Arms      []Arms[F] // vectors from the centroids of an edge's cells to its middle, for second order
	Boundary  Boundary[F]
	Wet       wet.Tiles
}

// TileStep advances the cells of tile t from w to out by a scheme, and returns the longest step that they allow, as
// EdgeFlux and UpdateCell do. It computes the length of its step itself: from the clock at the beginning of the
// previous step, and the limit of the step. The first tile passes the clock to the next step, and clears the limit of
// a later step. If keep is set it updates the cells' extremes with w, as UpdatePeaks does. Nothing else
// happens once the clock has stopped.
//
//atoll:kernel tile min scheme=PVM,IRRoe,Roe,OneLayer keep=false,true blocks=5,5,4,6 blocks32=10,10,8,10
func TileStep[F num.Float](t int, scheme Scheme, keep bool, p *Params[F], m *TiledMesh[F], clock, next *Clock[F], limit,
	cleared *atomics.Least[F], w []State[F], manning []F, force *Forcing[F], peaks *Peaks, out []State[F],
	lower, upper *[TileEdges]Flux[F], n *Counters) F {
	tile := m.Tiles[t]
	now := clock.AtStepStart(limit)
	edges, cells := m.count(t, now.Stop)
	for range onceIf(t == 0) {
		now.passTo(next, clock.Pending, p.Lag)
		if !now.Stop { // the limits of the last steps stay
			cleared.Reset()
		}
	}
	least := F(math.Inf(1))
	for k := range edges {
		var f Face[F]
		e := tile.Edge + k
		f.LoadSides(scheme, m.EdgeCells[e], &m.Normals[e], p, m.Beds, w)
		f.Waves(scheme, p)
		f.Viscosity(scheme, p)
		f.WriteFluxes(scheme, m.EdgeCells[e], &m.Normals[e], p, &m.Boundary, now.Dt, k < tile.Own, k, lower[:], upper[:], n)
	}
	for k := range cells {
		cell := m.Cells[tile.Cell+k]
		i := int(cell.Cell)
		from, area := w[i], m.Beds[i].Area
		if keep {
			updatePeaks(i, p, now.Time, peaks, m.Beds, &from)
		}
		b := collect(scheme == OneLayer, cell.Slots, lower, upper)
		longest := b.advance(scheme == OneLayer, i, p, now.Dt, area, &from, manning, force, &out[i])
		least = min(least, longest)
	}
	return least
}

// onceIf returns 1 if something is so, otherwise 0.
func onceIf(so bool) int {
	if so {
		return 1
	}
	return 0
}

// count returns the numbers of edges and cells of tile t to process: none if nothing happens there.
func (m *TiledMesh[F]) count(t int, idle bool) (edges, cells int32) {
	if idle {
		return 0, 0
	}
	return m.Tiles[t+1].Edge - m.Tiles[t].Edge, m.Tiles[t+1].Cell - m.Tiles[t].Cell
}

// wet reports whether a bit of the state is not 0.
func (c *State[F]) wet(oneLayer bool) bool {
	bits := bitsOf(c.H2) | bitsOf(c.Q2x) | bitsOf(c.Q2y)
	if !oneLayer {
		bits |= bitsOf(c.H1) | bitsOf(c.Q1x) | bitsOf(c.Q1y)
	}
	return bits != 0
}

func bitsOf[F num.Float](x F) uint64 { return math.Float64bits(float64(x)) }

// collect collects the fluxes of a cell's edges in the order of its vertices.
func collect[F num.Float](oneLayer bool, slots int32, lower, upper *[TileEdges]Flux[F]) balance[F] {
	var b balance[F]
	const slot = 1<<9 - 1
	b.add(oneLayer, slots>>1&slot, slots>>11&slot, slots>>21&slot, slots&1, slots>>10&1, slots>>20&1, lower[:], upper[:])
	return b
}

// TileStage advances the cells of tile t by one of the stages of a step of second order, as SlopedFlux and StageCell
// do, with the slopes of all cells in a table. Like TileStep it computes the length of its step itself; the last
// stage passes the clock to the next step. If skip is set nothing else happens in a tile that is idle.
//
//atoll:kernel tile min scheme=PVM,IRRoe,Roe,OneLayer last=false,true skip=false,true blocks=3,3,3,5 blocks32=8
func TileStage[F num.Float](t int, scheme Scheme, last, skip bool, p *Params[F], m *TiledMesh[F], clock, next *Clock[F],
	limit, cleared *atomics.Least[F], marks *wet.Stage, start, w []State[F], slopes *SlopeTable[F], manning []F,
	force *Forcing[F], out []State[F], lower, upper *[TileEdges]Flux[F], wetCells *[1]int32, n *Counters) F {
	tile := m.Tiles[t]
	now := clock.AtStepStart(limit)
	edges, cells := m.count(t, now.Stop || skip && !force.BringsWater(p) && m.Wet.Idle(t, marks))
	for range onceIf(t == 0) {
		if last {
			now.passTo(next, clock.Pending, p.Lag)
		}
		if last && !now.Stop {
			cleared.Reset()
		}
	}
	least := F(math.Inf(1))
	for k := range edges {
		if skip && k == 0 {
			wetCells[0] = 0
		}
		var f Face[F]
		e := tile.Edge + k
		at := m.EdgeCells[e]
		var l, r Slopes[F]
		slopes.get(int(at.Left), scheme != OneLayer, &l)
		slopes.get(int(at.inner()), scheme != OneLayer, &r)
		f.ReconstructSides(scheme, at, &m.Normals[e], &m.Arms[e], p, m.Beds, &l, &r)
		f.Waves(scheme, p)
		f.Viscosity(scheme, p)
		f.WriteFluxes(scheme, at, &m.Normals[e], p, &m.Boundary, now.Dt, k < tile.Own, k, lower[:], upper[:], n)
	}
	for k := range cells {
		cell := m.Cells[tile.Cell+k]
		b := collect(scheme == OneLayer, cell.Slots, lower, upper)
		i := cell.Cell
		var own Slopes[F]
		slopes.get(int(i), scheme != OneLayer, &own)
		longest := b.stage(scheme == OneLayer, int(i), last, p, now.Dt, m.Beds[i], &start[i], &w[i], &own, manning, force,
			&out[i])
		least = min(least, longest)
		if skip && out[i].wet(scheme == OneLayer) {
			atomic.AddInt32(&wetCells[0], 1)
		}
	}
	for range onceIf(skip && cells > 0) {
		m.Wet.Note(t, marks, wetCells[0])
	}
	return least
}
