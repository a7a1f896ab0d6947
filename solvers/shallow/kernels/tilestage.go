package kernels

import (
	"math"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// TileStage advances the cells of tile t by one of the stages of a step of second order, as SlopedFlux and StageCell
// do, with the slopes of all cells in a table. Like TileStep it computes the length of its step itself; the last
// stage passes the clock to the next step.
//
//atoll:kernel tile min scheme=PVM,IRRoe,Roe,OneLayer last=false,true blocks=4
func TileStage[F num.Float](t int, scheme Scheme, last bool, p *Params[F], m *TiledMesh[F], clock, next *Clock[F],
	limit, cleared *atomics.Least[F], start, w []State[F], slopes *SlopeTable[F], manning []F, force *Forcing[F],
	out []State[F], flux *[TileEdges]Flux[F], n *Counters) F {
	tile := m.Tiles[t]
	now := clock.atStepStart(limit)
	edges, cells := m.count(t, now.Stop)
	for range onceForFirst(t) {
		if last {
			now.passTo(next, p.Lag)
			cleared.Reset()
		}
	}
	least := F(math.Inf(1))
	for k := range edges {
		var f Face[F]
		e := tile.Edge + k
		at := m.EdgeCells[e]
		var l, r Slopes[F]
		slopes.get(int(at.Left), scheme != OneLayer, &l)
		slopes.get(int(at.inner()), scheme != OneLayer, &r)
		f.ReconstructSides(scheme, at, &m.Normals[e], &m.Arms[e], p, m.Beds, &l, &r)
		f.Waves(scheme, p)
		f.Viscosity(scheme, p)
		f.WriteFlux(scheme, at, &m.Normals[e], p, &m.Boundary, now.Dt, k < tile.Own, &flux[k], n)
	}
	for k := range cells {
		cell := m.Cells[tile.Cell+k]
		b := collect(scheme == OneLayer, cell.Slots, flux)
		i := cell.Cell
		var own Slopes[F]
		slopes.get(int(i), scheme != OneLayer, &own)
		longest := b.stage(scheme == OneLayer, int(i), last, p, now.Dt, m.Beds[i].Area, &start[i], &w[i], &own, manning,
			force, &out[i])
		least = min(least, longest)
	}
	return least
}
