package shallow

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// arrays are what the kernels of a rank work on. They are in the device's memory; the host must not access them if
// that is separate. A step goes either edge by edge and cell by cell, or tile by tile.
type arrays[F num.Float] struct {
	params   kernels.Params[F]
	state    [2][]kernels.State[F] // before and after a step, alternating
	manning  []F
	counters []kernels.Counters // one element

	// Clocks and limits by step of the cycle: see cycleStep.
	clock      []kernels.Clock[F]
	stepLimits []atomics.Least[F]

	mesh kernels.Mesh[F]
	flux []kernels.Flux[F]

	tiles kernels.TiledMesh[F]

	// Boundary conditions, forcing, and the time series that both follow.
	boundary    kernels.Boundary[F]
	shares      []kernels.Share[F]
	distributed []kernels.Distribution

	forcing kernels.Forcing[F]
	uplift  kernels.Uplift[F]
	peaks   kernels.Peaks
	rows    []kernels.Row
	series  []kernels.Series

	// Of second order: the state between the two stages of a step, and the slopes of all cells. Tiles read slopes
	// from a table; steps by edges, and exchanges between ranks, use an array.
	middle     []kernels.State[F]
	slopes     []kernels.Slopes[F]
	slopeTable kernels.SlopeTable[F]

	observer observer

	allocated backend.Arrays
}

// upload allocates the arrays on the device: the mesh, or tiles if there are any. exchanged is true if other ranks
// need slopes.
func (a *arrays[F]) upload(dev backend.Device, mesh kernels.Mesh[F], tiles *kernels.TiledMesh[F], out *outlets[F],
	state []kernels.State[F], manning []F, owned int, exchanged bool) error {
	a.allocated.Device = dev
	p := &a.allocated
	beds := backend.Uploaded(p, mesh.Beds, "bed")
	a.uploadInputs(out)
	a.mesh = kernels.Mesh[F]{
		Beds: beds, Owned: mesh.Owned, Boundary: a.boundary, Stencils: backend.Uploaded(p, mesh.Stencils, "cells"),
		SlopesAt: backend.Uploaded(p, mesh.SlopesAt, "cells"),
	}
	if tiles == nil {
		a.mesh.EdgeCells = backend.Uploaded(p, mesh.EdgeCells, "edges")
		a.mesh.Normals = backend.Uploaded(p, mesh.Normals, "edges")
		a.mesh.FluxAt = backend.Uploaded(p, mesh.FluxAt, "edges")
		a.mesh.CellEdges, a.mesh.Arms = backend.Uploaded(p, mesh.CellEdges, "cells"), backend.Uploaded(p, mesh.Arms, "edges")
		a.flux = backend.Fresh[kernels.Flux[F]](p, len(mesh.EdgeCells), "fluxes")
	} else {
		a.tiles = kernels.TiledMesh[F]{
			Tiles: backend.Uploaded(p, tiles.Tiles, "tiles"), Cells: backend.Uploaded(p, tiles.Cells, "cells"),
			EdgeCells: backend.Uploaded(p, tiles.EdgeCells, "edges"),
			Normals:   backend.Uploaded(p, tiles.Normals, "edges"), Beds: beds, Arms: backend.Uploaded(p, tiles.Arms, "edges"),
			Boundary: a.boundary,
		}
	}
	a.manning = backend.Uploaded(p, manning, "friction")
	a.state[0] = backend.Uploaded(p, state, "state")
	a.state[1] = backend.Fresh[kernels.State[F]](p, len(state), "next state")
	if mesh.Stencils != nil {
		a.middle = backend.Fresh[kernels.State[F]](p, len(state), "state between stages")
		if tiles == nil || exchanged { // tiles have a table
			a.slopes = backend.Fresh[kernels.Slopes[F]](p, len(state), "slopes")
		}
		if tiles != nil {
			a.slopeTable = kernels.SlopeTable[F]{Cells: len(state),
				Pairs: backend.Fresh[kernels.Vec2[F]](p, kernels.SlopePairs*len(state), "slopes")}
		}
	}
	a.clock = backend.Fresh[kernels.Clock[F]](p, cycleLength, "clock")
	a.counters = backend.Fresh[kernels.Counters](p, 1, "counters")
	a.stepLimits = backend.Fresh[atomics.Least[F]](p, cycleLength, "time step")
	return a.prepareObserver(beds, owned)
}

// uploadInputs uploads boundary conditions, forcing and their time series.
func (a *arrays[F]) uploadInputs(out *outlets[F]) {
	p, boundary := &a.allocated, &out.boundary
	a.boundary = kernels.Boundary[F]{
		ConditionOf: backend.Uploaded(p, boundary.ConditionOf, "boundary"),
		Conditions:  backend.Uploaded(p, boundary.Conditions, "boundary"),
		Prescribed:  backend.Uploaded(p, boundary.Prescribed, "boundary"),
		Ahead:       backend.Uploaded(p, boundary.Ahead, "boundary"),
		Outlets:     backend.Uploaded(p, boundary.Outlets, "boundary"),
		Curves:      backend.Uploaded(p, boundary.Curves, "boundary"),
		Conveyances: backend.Uploaded(p, boundary.Conveyances, "boundary"),
		Sums:        backend.Uploaded(p, boundary.Sums, "boundary"),
		Passed:      backend.Uploaded(p, boundary.Passed, "boundary"),
	}
	a.shares = backend.Uploaded(p, out.shares, "boundary")
	a.distributed = backend.Uploaded(p, out.distributed, "boundary")
	a.forcing = out.forcing
	a.forcing.Prescribed, a.forcing.Ahead = a.boundary.Prescribed, a.boundary.Ahead
	a.forcing.Pattern = backend.Uploaded(p, out.forcing.Pattern, "rain")
	a.forcing.Infiltration = backend.Uploaded(p, out.forcing.Infiltration, "infiltration")
	a.forcing.Soil = backend.Uploaded(p, out.forcing.Soil, "infiltration")
	a.forcing.Coriolis = backend.Uploaded(p, out.forcing.Coriolis, "rotation")
	a.forcing.Lost = backend.Uploaded(p, out.forcing.Lost, "losses")
	a.forcing.PressureGradient = backend.Uploaded(p, out.forcing.PressureGradient, "pressure of the air")
	a.uplift = out.uplift
	a.uplift.Rises = backend.Uploaded(p, out.uplift.Rises, "uplift")
	a.rows, a.series = backend.Uploaded(p, out.rows, "series"), backend.Uploaded(p, out.series, "series")
}

// limits returns the limits that step k reads, writes and clears.
func (a *arrays[F]) limits(k cycleStep) (limit, next, cleared *atomics.Least[F]) {
	return &a.stepLimits[k.limit(a.params.Lag)], &a.stepLimits[k.plus(1)], &a.stepLimits[k.plus(2)]
}

// loops are the loops of a step: all fluxes and then all cells, or tiles; at second order two stages.
type loops struct {
	flux, update, tile       backend.Loop
	moveBed                  backend.Loop
	series                   [2]backend.Loop // evaluation, in both stages
	convey, sumConveyances   backend.Loop
	peaks, peaksOfQueuedStep backend.Loop // updates of the extremes: by a step of the host, and in a queued step
	sample                   backend.Loop // records the sampled cells after the step, if there are any
	stages                   [2]stage
}

// schemeOf returns the finite volume scheme of a run: the kernels of one layer, or those of the scheme's name.
func schemeOf(c Config) (kernels.Scheme, error) {
	s, ok := map[string]kernels.Scheme{"pvm-ifcp": kernels.PVM, "ir-roe": kernels.IRRoe, "roe": kernels.Roe}[c.Scheme]
	switch {
	case !ok:
		return s, fmt.Errorf("scheme %q is not known; choose roe, ir-roe or pvm-ifcp", c.Scheme)
	case c.Layers == 1:
		return kernels.OneLayer, nil
	}
	return s, nil
}

// updatesPeaksInStep reports whether the kernel that advances tiles updates the extremes too, which saves a second read
// of the state. At second order that kernel does not read the state at the start of the step; a moving bed has already
// moved when it runs, so that levels would be wrong.
func (a *arrays[F]) updatesPeaksInStep() bool {
	return len(a.peaks.Most) > 0 && a.tiles.Tiles != nil && a.middle == nil && len(a.uplift.Rises) == 0
}

// loops prepares the loops of step k of the cycle.
func (a *arrays[F]) loops(s kernels.Scheme, k cycleStep) (l loops) {
	from, to := a.state[k.from()], a.state[k.to()]
	clock, next := &a.clock[k], &a.clock[k.plus(1)]
	limit, nextLimit, cleared := a.limits(k)
	counters := &a.counters[0]
	for stage := range l.series {
		l.series[stage] = kernels.NewEvaluateSeriesLoop(stage == 1, clock, limit, a.rows, a.series, a.boundary.Prescribed,
			a.boundary.Ahead)
	}
	l.convey = kernels.NewConveyLoop(a.shares, &a.boundary, from)
	l.sumConveyances = kernels.NewSumConveyancesLoop(a.distributed, &a.boundary)
	l.peaks = kernels.NewUpdatePeaksLoop(&a.params, clock, &a.peaks, a.mesh.Beds, from)
	l.peaksOfQueuedStep = kernels.NewUpdatePeaksInStepLoop(&a.params, clock, limit, &a.peaks, a.mesh.Beds, from)
	l.moveBed = kernels.NewMoveBedLoop(&a.uplift, clock, limit, a.mesh.Beds, a.mesh.Stencils)
	if a.middle != nil {
		l.stages[0] = a.stage(s, false, k, from, a.middle)
		l.stages[1] = a.stage(s, true, k, a.middle, to)
		return l
	}
	l.flux = kernels.NewEdgeFluxLoop(s, &a.params, &a.mesh, clock, from, a.flux, counters)
	l.tile = kernels.NewTileStepLoop(s, a.updatesPeaksInStep(), &a.params, &a.tiles, clock, next, limit, cleared, from,
		a.manning, &a.forcing, &a.peaks, to, counters, nextLimit)
	l.update = kernels.NewUpdateCellLoop(s == kernels.OneLayer, &a.params, &a.mesh, clock, from, a.flux, a.manning,
		&a.forcing, to, nextLimit)
	return l
}
