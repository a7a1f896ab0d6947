package shallow

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
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
	rows     []kernels.Row
	changing []kernels.Changing

	// Of second order: the state between the two stages of a step, and the slopes of all cells.
	between []kernels.State[F]
	slopes  []kernels.Slopes[F]

	meter meter[F]

	taken []func() error // what gives each array back
}

// turns is how many steps pass until all comes round: states, clocks and minima are used in turn.
const turns = 4

// take makes an array on the device.
func take[T any](dev backend.Device, taken *[]func() error, n int, what string) ([]T, error) {
	a, err := backend.Make[T](dev, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	*taken = append(*taken, func() error { return backend.Free(dev, a) })
	return a, nil
}

// placer copies arrays of the host to the device, until the first error.
type placer struct {
	dev   backend.Device
	taken *[]func() error
	err   error
}

func onDevice[T any](p *placer, from []T, what string) []T {
	if _, apart := p.dev.(backend.Memory); !apart || p.err != nil {
		return from
	}
	var to []T
	if to, p.err = take[T](p.dev, p.taken, len(from), what); p.err != nil {
		return nil
	}
	p.err = backend.Upload(p.dev, to, from)
	return to
}

func fresh[T any](p *placer, n int, what string) []T {
	if p.err != nil {
		return nil
	}
	var to []T
	to, p.err = take[T](p.dev, p.taken, n, what)
	return to
}

// place puts the arrays on the device: the mesh, or tiles where there are any.
func (a *arrays[F]) place(dev backend.Device, mesh kernels.Mesh[F], tiles *kernels.TiledMesh[F], out *outlets[F],
	state []kernels.State[F], manning []F, owned int) error {
	p := &placer{dev: dev, taken: &a.taken}
	beds := onDevice(p, mesh.Beds, "bed")
	a.boundary = kernels.Boundary[F]{
		Of: onDevice(p, mesh.Boundary.Of, "boundary"), Given: onDevice(p, mesh.Boundary.Given, "boundary"),
		Now: onDevice(p, mesh.Boundary.Now, "boundary"), Passed: onDevice(p, mesh.Boundary.Passed, "boundary"),
	}
	a.force = out.force
	a.force.Now = a.boundary.Now
	a.force.Pattern, a.force.Soaking = onDevice(p, out.force.Pattern, "rain"), onDevice(p, out.force.Soaking, "soil")
	a.force.Turning, a.force.Lost = onDevice(p, out.force.Turning, "rotation"), onDevice(p, out.force.Lost, "losses")
	a.rows, a.changing = onDevice(p, out.rows, "series"), onDevice(p, out.changing, "series")
	a.mesh = kernels.Mesh[F]{
		Beds: beds, Owned: mesh.Owned, Boundary: a.boundary, Stencils: onDevice(p, mesh.Stencils, "cells"),
	}
	if tiles == nil {
		a.mesh.Ends, a.mesh.Normals = onDevice(p, mesh.Ends, "edges"), onDevice(p, mesh.Normals, "edges")
		a.mesh.Links, a.mesh.Arms = onDevice(p, mesh.Links, "cells"), onDevice(p, mesh.Arms, "edges")
		a.flux = fresh[kernels.Flux[F]](p, len(mesh.Ends), "fluxes")
	} else {
		a.tiles = kernels.TiledMesh[F]{
			Tiles: onDevice(p, tiles.Tiles, "tiles"), Cells: onDevice(p, tiles.Cells, "cells"),
			Ends:    onDevice(p, tiles.Ends, "edges"),
			Normals: onDevice(p, tiles.Normals, "edges"), Beds: beds, Arms: onDevice(p, tiles.Arms, "edges"),
			Boundary: a.boundary,
		}
	}
	a.manning = onDevice(p, manning, "friction")
	a.state[0] = onDevice(p, state, "state")
	a.state[1] = fresh[kernels.State[F]](p, len(state), "next state")
	if mesh.Stencils != nil {
		a.between = fresh[kernels.State[F]](p, len(state), "state between stages")
		a.slopes = fresh[kernels.Slopes[F]](p, len(state), "slopes")
	}
	a.clock = fresh[kernels.Clock[F]](p, turns, "clock")
	a.counters = fresh[kernels.Counters](p, 1, "counters")
	a.least = fresh[atomics.Least[F]](p, turns, "time step")
	a.meter.values = fresh[float64](p, owned, "diagnostics")
	a.meter.work = primitives.On(dev)
	for what := range kernels.Measures {
		for k := range a.meter.loops[what] {
			a.meter.loops[what][k] = kernels.NewMeasureLoop(what, &a.params, beds, a.state[k], a.meter.values)
		}
	}
	return p.err
}

// free gives the arrays back. What cannot be freed goes with the device.
func (a *arrays[F]) free() {
	for _, give := range a.taken {
		_ = give()
	}
	a.taken = nil
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
	friction           backend.Loop
	present            [2]backend.Loop // of series, in both stages
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
