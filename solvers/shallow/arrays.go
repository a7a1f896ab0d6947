package shallow

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// arrays is what the kernels of a rank work on. All slices live on the device; on one with memory of its own the host
// must not look into them. A step goes either edge by edge and cell by cell, or tile by tile.
type arrays[F num.Float] struct {
	params   kernels.Params[F]
	state    [2][]kernels.State[F] // of this step and of the next, in turn
	manning  []F
	counters []kernels.Counters // one

	// What steps hand on to each other: the clock that step k finds is at k modulo turns, and the longest step that its
	// waves allow at k+1.
	clock []kernels.Clock[F]
	least []atomics.Least[F]

	mesh kernels.Mesh[F]
	flux []kernels.Flux[F]

	tiles kernels.TiledMesh[F]

	// What comes and goes through the boundary, and the series that it follows.
	boundary kernels.Boundary[F]
	force    kernels.Forcing[F]
	up       kernels.Uplift[F]
	peaks    kernels.Peaks
	rows     []kernels.Row
	changing []kernels.Changing

	// Of second order: the state between the two stages of a step, and the slopes of all cells.
	between []kernels.State[F]
	slopes  []kernels.Slopes[F]

	observer observer

	taken backend.Arrays
}

// turns is how many steps pass until all comes round: states, clocks and minima are used in turn.
const turns = 4

// place puts the arrays on the device: the mesh, or tiles where there are any.
func (a *arrays[F]) place(dev backend.Device, mesh kernels.Mesh[F], tiles *kernels.TiledMesh[F], out *outlets[F],
	state []kernels.State[F], manning []F, owned int) error {
	a.taken.Device = dev
	p := &a.taken
	beds := backend.Uploaded(p, mesh.Beds, "bed")
	a.placeInputs(out)
	a.mesh = kernels.Mesh[F]{
		Beds: beds, Owned: mesh.Owned, Boundary: a.boundary, Stencils: backend.Uploaded(p, mesh.Stencils, "cells"),
	}
	if tiles == nil {
		a.mesh.Ends, a.mesh.Normals = backend.Uploaded(p, mesh.Ends, "edges"), backend.Uploaded(p, mesh.Normals, "edges")
		a.mesh.Links, a.mesh.Arms = backend.Uploaded(p, mesh.Links, "cells"), backend.Uploaded(p, mesh.Arms, "edges")
		a.flux = backend.Fresh[kernels.Flux[F]](p, len(mesh.Ends), "fluxes")
	} else {
		a.tiles = kernels.TiledMesh[F]{
			Tiles: backend.Uploaded(p, tiles.Tiles, "tiles"), Cells: backend.Uploaded(p, tiles.Cells, "cells"),
			Ends:    backend.Uploaded(p, tiles.Ends, "edges"),
			Normals: backend.Uploaded(p, tiles.Normals, "edges"), Beds: beds, Arms: backend.Uploaded(p, tiles.Arms, "edges"),
			Boundary: a.boundary,
		}
	}
	a.manning = backend.Uploaded(p, manning, "friction")
	a.state[0] = backend.Uploaded(p, state, "state")
	a.state[1] = backend.Fresh[kernels.State[F]](p, len(state), "next state")
	if mesh.Stencils != nil {
		a.between = backend.Fresh[kernels.State[F]](p, len(state), "state between stages")
		a.slopes = backend.Fresh[kernels.Slopes[F]](p, len(state), "slopes")
	}
	a.clock = backend.Fresh[kernels.Clock[F]](p, turns, "clock")
	a.counters = backend.Fresh[kernels.Counters](p, 1, "counters")
	a.least = backend.Fresh[atomics.Least[F]](p, turns, "time step")
	return a.placeObserver(beds, owned)
}

// placeInputs puts what comes from outside on the device: what is given at the boundary, what works on the water, and
// the series that both follow.
func (a *arrays[F]) placeInputs(out *outlets[F]) {
	p, from := &a.taken, &out.boundary
	a.boundary = kernels.Boundary[F]{
		Of: backend.Uploaded(p, from.Of, "boundary"), Given: backend.Uploaded(p, from.Given, "boundary"),
		Now: backend.Uploaded(p, from.Now, "boundary"), Passed: backend.Uploaded(p, from.Passed, "boundary"),
	}
	a.force = out.force
	a.force.Now = a.boundary.Now
	a.force.Pattern = backend.Uploaded(p, out.force.Pattern, "rain")
	a.force.Soaking = backend.Uploaded(p, out.force.Soaking, "infiltration")
	a.force.Turning = backend.Uploaded(p, out.force.Turning, "rotation")
	a.force.Lost = backend.Uploaded(p, out.force.Lost, "losses")
	a.force.Pressure = backend.Uploaded(p, out.force.Pressure, "pressure of the air")
	a.up = out.up
	a.up.Rises = backend.Uploaded(p, out.up.Rises, "uplift")
	a.rows, a.changing = backend.Uploaded(p, out.rows, "series"), backend.Uploaded(p, out.changing, "series")
}

// wavesOf is where step k finds what the waves allow it.
func (a *arrays[F]) wavesOf(k int) int {
	if a.params.Lag {
		k += turns - 1
	}
	return k % turns
}

// loops are the kernels of a step: of all fluxes and then all cells, or of tiles; at second order half of the friction,
// and two stages.
type loops struct {
	flux, update, tile backend.Loop
	friction, move     backend.Loop
	present            [2]backend.Loop // of series, in both stages
	keep, keepOfStep   backend.Loop    // of what is largest: at the clock's time, and in a step
	sample             backend.Loop    // of what the step leaves in some cells, if any
	stages             [2]stage
}

// schemes are the finite volume schemes by their names in case files.
var schemes = map[string]kernels.Scheme{"pvm-ifcp": kernels.PVM, "ir-roe": kernels.IRRoe, "roe": kernels.Roe}

// loops prepares the kernels of step k of the turns.
func (a *arrays[F]) loops(scheme string, k int) (l loops, err error) {
	from, to := a.state[k%2], a.state[1-k%2]
	clock, next := &a.clock[k], &a.clock[(k+1)%turns]
	waves, least, spare := &a.least[a.wavesOf(k)], &a.least[(k+1)%turns], &a.least[(k+2)%turns]
	counters := &a.counters[0]
	s, ok := schemes[scheme]
	if !ok {
		return l, fmt.Errorf("scheme %q is not known; choose roe, ir-roe or pvm-ifcp", scheme)
	}
	for stage := range l.present {
		l.present[stage] = kernels.NewPresentLoop(stage == 1, clock, waves, a.rows, a.changing, a.boundary.Now)
	}
	l.keep = kernels.NewKeepPeaksLoop(&a.params, clock, &a.peaks, a.mesh.Beds, from)
	l.keepOfStep = kernels.NewKeepPeaksOfStepLoop(&a.params, clock, waves, &a.peaks, a.mesh.Beds, from)
	l.move = kernels.NewMoveBedLoop(&a.up, clock, waves, a.mesh.Beds, a.mesh.Stencils)
	if a.slopes != nil {
		l.friction = kernels.NewHalfFrictionLoop(&a.params, clock, waves, a.manning, from)
		l.stages[0] = a.stage(s, false, k, from, a.between)
		l.stages[1] = a.stage(s, true, k, a.between, to)
		return l, nil
	}
	l.flux = kernels.NewEdgeFluxLoop(s, &a.params, &a.mesh, clock, from, a.flux, counters)
	l.tile = kernels.NewTileStepLoop(s, &a.params, &a.tiles, clock, next, waves, spare, from, a.manning, &a.force, to,
		counters, least)
	l.update = kernels.NewUpdateCellLoop(&a.params, &a.mesh, clock, from, a.flux, a.manning, &a.force, to, least)
	return l, nil
}
