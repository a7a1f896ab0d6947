package shallow

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/wet"
	"github.com/atoll-hpc/atoll/solvers/shallow/tiers"
	"github.com/atoll-hpc/atoll/solvers/shallow/weather"
)

// arrays are what the kernels of a rank work on. A step goes either edge by edge and cell by cell, or tile by tile. The
// same declarations estimate the memory of a rank.
type arrays[F num.Float] struct {
	params   kernels.Params[F]
	state    [2]*engine.Array[kernels.State[F]] // before and after a step, alternating
	manning  []F
	counters *engine.Result[kernels.Counters]

	// Clocks and limits by step of the cycle: see cycleStep.
	clocks *engine.Array[kernels.Clock[F]]
	limits *engine.Array[atomics.Least[F]]

	mesh         kernels.Mesh[F]
	lower, upper []kernels.Flux[F] // fluxes of each layer of water through edges
	tiles        kernels.TiledMesh[F]
	wetTiles     [][]int32 // marks of tiles for the two states, and for that between stages: see package wet

	// Boundary conditions, forcing, and the time series that both follow.
	boundary    kernels.Boundary[F]
	conveyances *engine.Array[F] // of boundary
	shares      []kernels.Share[F]
	distributed []kernels.Distribution
	forcing     kernels.Forcing[F]
	uplift      kernels.Uplift[F]
	peaks       kernels.Peaks
	works       *hydraulics.Works[F]
	weather     *weather.Works[F]
	rows        []kernels.Row
	series      []kernels.Series

	// Of second order: the state between the two stages of a step, and the slopes of all cells. Tiles read slopes
	// from a table; steps by edges, and exchanges between ranks, use an array.
	middle     *engine.Array[kernels.State[F]]
	slopes     *engine.Array[kernels.Slopes[F]]
	slopeTable kernels.SlopeTable[F]

	tiers *tiers.Tiers[F] // of local time steps; nil if all cells take the same step

	surveyed *engine.Result[kernels.Surveyed]
}

// sizes are what the lengths of a rank's arrays depend on.
type sizes struct {
	Inputs
	owned, held, edges, tiles int  // cells, the latter with ghosts; tiles if steps go by tiles
	order, layers             int  // of the scheme; of water
	localSteps                int  // lengths of steps
	tiled                     bool // steps go by tiles
	exchanged                 bool // other ranks need slopes
	maxima                    bool // extremes are recorded
}

// hosted are the arrays that the host computes.
type hosted[F num.Float] struct {
	mesh    kernels.Mesh[F]
	tiles   kernels.TiledMesh[F]
	out     outlets[F]
	state   []kernels.State[F]
	manning []F
	peaks   kernels.Peaks
}

// put declares an array that the host has computed; a table that only counts needs no list, but its length n.
func put[T any](t *engine.Table, what string, n int, list []T) []T {
	return engine.Input(t, what, n, func() []T { return list }).Data
}

// given returns n for what a case has, and 0 otherwise.
func given(has bool, n int) int {
	if has {
		return n
	}
	return 0
}

// declare declares the arrays of a rank: the mesh, or tiles, the state, and what acts on it.
func declare[F num.Float](t *engine.Table, n *sizes, from *hosted[F]) (a arrays[F]) {
	second := n.order == 2
	beds := put(t, "bed", n.held, from.mesh.Beds)
	a.declareBoundary(t, from)
	a.declareForcing(t, n, from)
	a.mesh = kernels.Mesh[F]{Beds: beds, Owned: from.mesh.Owned, Boundary: a.boundary,
		Stencils: put(t, "cells", given(second, n.owned), from.mesh.Stencils),
		SlopesAt: put(t, "cells", given(second && (!n.tiled || n.exchanged), n.held), from.mesh.SlopesAt)}
	if n.tiled {
		m := &from.tiles
		a.tiles = kernels.TiledMesh[F]{Tiles: put(t, "tiles", n.tiles+1, m.Tiles), Cells: put(t, "cells", n.owned, m.Cells),
			EdgeCells: put(t, "edges", n.edges, m.EdgeCells), Normals: put(t, "edges", n.edges, m.Normals),
			Arms: put(t, "edges", given(second, n.edges), m.Arms), Beds: beds, Boundary: a.boundary,
			Wet: wet.Tiles{First: put(t, "tiles", given(second, n.tiles+1), m.Wet.First),
				Awake:  put(t, "tiles", given(second, n.tiles), m.Wet.Awake),
				Beside: put(t, "tiles", len(m.Wet.Beside), m.Wet.Beside),
				Of:     put(t, "tiles", given(second, n.owned), m.Wet.Of)}}
	} else {
		m := &from.mesh
		a.mesh.EdgeCells, a.mesh.Normals = put(t, "edges", n.edges, m.EdgeCells), put(t, "edges", n.edges, m.Normals)
		a.mesh.FluxAt, a.mesh.CellEdges = put(t, "edges", n.edges, m.FluxAt), put(t, "cells", n.owned, m.CellEdges)
		a.mesh.Arms = put(t, "edges", given(second, n.edges), m.Arms)
		a.lower = engine.Add[kernels.Flux[F]](t, "fluxes", n.edges).Data
		a.upper = engine.Add[kernels.Flux[F]](t, "fluxes", given(n.layers != 1, n.edges)).Data
	}
	a.declareState(t, n, from.state)
	a.declarePeaks(t, n, from.peaks)
	a.works = hydraulics.Declare(t, from.out.structures)
	cells := weather.Cells{Rain: given(n.RainField, n.owned), Wind: given(n.WindField, n.owned),
		Pressure: given(n.PressureField, n.owned)}
	a.weather = weather.Declare(t, cells, from.out.weather, weather.Outputs[F]{Prescribed: a.boundary.Prescribed,
		Ahead: a.boundary.Ahead, Rain: a.forcing.Pattern})
	a.weather.Blow(&a.forcing.Air)
	if n.localSteps > 1 {
		a.tiers = tiers.Declare[F](t, n.localSteps, n.order, n.owned, n.held)
	}
	a.clocks = engine.Add[kernels.Clock[F]](t, "clock", cycleLength)
	a.limits = engine.Add[atomics.Least[F]](t, "time step", cycleLength)
	a.counters = engine.NewResult[kernels.Counters](t, "counters", true)
	a.surveyed = engine.NewResult[kernels.Surveyed](t, "diagnostics", false)
	return a
}

// declareState declares the states, and the slopes of second order.
func (a *arrays[F]) declareState(t *engine.Table, n *sizes, start []kernels.State[F]) {
	a.state[0] = engine.Add[kernels.State[F]](t, "state", n.held)
	a.state[1] = engine.Input(t, "state", n.held, func() []kernels.State[F] { return start }) // see takeFirstStep
	if n.order < 2 {
		return
	}
	a.middle = engine.Add[kernels.State[F]](t, "state between stages", n.held)
	for range given(n.tiled, len(a.state)+1) {
		a.wetTiles = append(a.wetTiles, engine.Add[int32](t, "tiles", n.tiles).Data)
	}
	if !n.tiled || n.exchanged { // tiles have a table
		a.slopes = engine.Add[kernels.Slopes[F]](t, "slopes", n.held)
	}
	if n.tiled {
		a.slopeTable = kernels.SlopeTable[F]{Cells: n.held,
			Pairs: engine.Add[kernels.Vec2[F]](t, "slopes", kernels.SlopePairs*n.held).Data}
	}
}

// declareBoundary declares boundary conditions and the time series. They are few: no estimate counts them.
func (a *arrays[F]) declareBoundary(t *engine.Table, from *hosted[F]) {
	const what = "boundary"
	out, b := &from.out, &from.out.boundary
	a.conveyances = engine.Input(t, what, len(b.Conveyances), func() []F { return b.Conveyances })
	a.boundary = kernels.Boundary[F]{ConditionOf: put(t, what, 0, b.ConditionOf),
		Conditions: put(t, what, 0, b.Conditions), Prescribed: put(t, what, 0, b.Prescribed),
		Ahead: put(t, what, 0, b.Ahead), Outlets: put(t, what, 0, b.Outlets),
		Curves: put(t, what, 0, b.Curves), Conveyances: a.conveyances.Data, Sums: put(t, what, 0, b.Sums),
		Passed: put(t, what, 0, b.Passed)}
	a.shares, a.distributed = put(t, what, 0, out.shares), put(t, what, 0, out.distributed)
	a.rows, a.series = put(t, "series", 0, out.rows), put(t, "series", 0, out.series)
}

// declareForcing declares what acts on owned cells.
func (a *arrays[F]) declareForcing(t *engine.Table, n *sizes, from *hosted[F]) {
	f := &from.out.forcing
	a.manning, a.forcing, a.uplift = from.manning, *f, from.out.uplift
	a.forcing.Prescribed, a.forcing.Ahead = a.boundary.Prescribed, a.boundary.Ahead
	coefficients.Arrays[F]{Manning: &a.manning, Forcing: &a.forcing, Uplift: &a.uplift}.Declare(t, n.Coefficients, n.owned,
		n.held)
	if !n.Coefficients[coefficients.RainPattern] {
		a.forcing.Pattern = put(t, "rain", given(n.RainField, n.owned), f.Pattern)
	}
	a.forcing.Lost = put(t, "losses", given(n.losesWater(), n.owned), f.Lost)
}

// declarePeaks declares the extremes since the start.
func (a *arrays[F]) declarePeaks(t *engine.Table, n *sizes, from kernels.Peaks) {
	owned := given(n.maxima, n.owned)
	for _, array := range from.Arrays() {
		*array = put(t, "maxima", owned, *array)
	}
	from.Level = put(t, "maxima", given(n.Coefficients[coefficients.Uplift], owned), from.Level)
	from.Most, from.Marks = put(t, "maxima", owned, from.Most), put(t, "maxima", owned, from.Marks)
	a.peaks = from
}

// updatesPeaksInStep reports whether the kernel that advances tiles updates the extremes too, which saves a second read
// of the state. At second order that kernel does not read the state at the start of the step; when it runs, structures
// have already changed the state, and a moving bed has moved, so that levels would be wrong.
func (a *arrays[F]) updatesPeaksInStep() bool {
	return len(a.peaks.Most) > 0 && a.tiles.Tiles != nil && a.middle == nil && len(a.uplift.Rises) == 0 &&
		!a.works.Any()
}
