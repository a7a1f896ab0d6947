package twophase

import (
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/ghosts"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels/levels"
	"github.com/atoll-hpc/atoll/solvers/twophase/multigrid"
)

// arrays are the arrays of a rank. The same declarations estimate its memory. Those of velocities and accelerations
// have a component for each axis, over faces. Arrays that only a part of a step needs share the memory of the
// pressure's solver, which fills its own in the last part.
type arrays[F num.Float] struct {
	f            [2]*engine.Array[F] // volume fraction, before and after a sweep
	start        *engine.Array[F]    // the same when the step began
	volume, mass *engine.Array[F]    // that pass faces
	lines        *engine.Array[geom.Line[F]]
	planes       *engine.Array[geom.Plane[F]]
	jump         *engine.Array[F]
	firstInRow   *engine.Array[int32]   // of a list of cells with a jump: see kernels.Listing
	u            [3]*engine.Array[F]    // velocity, free of divergence
	v            [2][3]*engine.Array[F] // while a step changes it, before and after a sweep
	acceleration [3]*engine.Array[F]    // by gravity, surface tension and the pressure
	ahead        [3]*engine.Array[F]    // change of the velocity by that and by viscosity in half a step
	pressure     *multigrid.Solver[F]
	viscous      *viscousArrays[F]
	solids       *solids[F]

	speed      *engine.Array[atomics.Most[F]]
	passed     *engine.Array[int64] // in a step, through the lower and the upper side across each axis: see kernels.Pass
	clipped    *engine.Result[kernels.Clipped]
	divergence *engine.Result[atomics.Most[F]]

	fractionSides, jumpSides, pressureSides ghosts.Arrays[F]
	velocitySides                           [3][3]ghosts.Arrays[F] // by sideRule, and component
}

// viscousArrays are the arrays of the implicit viscous step. Without viscosity there are only the counts, which are 0.
type viscousArrays[F num.Float] struct {
	change, residual, inverse, z, direction, product [3]*engine.Array[F]

	sums      *multigrid.Sums[F]
	largest   *engine.Array[atomics.Most[F]]
	heaviest  *engine.Array[atomics.Most[F]] // the largest coefficient of the matrix's diagonal
	iteration *engine.Array[levels.Iteration]
	done      *engine.Array[int32]
}

// declare declares the arrays of a block.
func declare[F num.Float](t *engine.Table, c *Config, b *grid.Block, boxes halo.Boxes, rank int) (a arrays[F],
	err error) {
	n := b.Len()
	add := func(what string) *engine.Array[F] { return engine.Add[F](t, what, n) }
	a.f[0] = add("fractions")
	if b.Grid.Dim == 2 {
		a.lines = engine.Add[geom.Line[F]](t, "planes", n)
	} else {
		a.planes = engine.Add[geom.Plane[F]](t, "planes", n)
	}
	var open [3][2]bool
	for d := range b.Grid.Dim {
		a.u[d], a.v[0][d], a.acceleration[d] = add("velocity"), add("velocity"), add("velocity")
		for side := range 2 {
			open[d][side] = !b.Grid.Periodic[d] && c.Sides[d][side].Kind == Outflow
		}
	}
	if a.pressure, err = multigrid.Declare[F](t, b, boxes, rank, open); err != nil {
		return a, err
	}
	a.shareTransport(b.Grid.Dim, c.looksAhead(), func() *engine.Array[F] { return add("transport") })
	// The velocity of the step's beginning is not needed after the transport, and written again by the projection.
	a.viscous = declareViscous(t, c, b, append(a.pressure.Scratch(), a.u[:b.Grid.Dim]...))
	a.solids = declareSolids[F](t, c, b)
	if c.Tension != 0 {
		a.firstInRow = engine.Add[int32](t, "rows", b.N[1]*b.N[2])
	}
	a.speed = engine.Add[atomics.Most[F]](t, "counters", 1)
	a.passed = engine.Add[int64](t, "counters", 6)
	a.clipped = engine.NewResult[kernels.Clipped](t, "counters", true)
	a.divergence = engine.NewResult[atomics.Most[F]](t, "counters", false)
	a.fractionSides = ghosts.Declare[F](t, ghosts.ListOf(b, Ghosts, -1, c.cellGhost(true)))
	a.jumpSides = ghosts.Declare[F](t, ghosts.ListOf(b, 1, -1, c.cellGhost(false)))
	a.pressureSides = ghosts.Declare[F](t, ghosts.ListOf(b, 1, -1, c.pressureGhost))
	for rule := range a.velocitySides {
		for d := range b.Grid.Dim {
			ghost := c.velocityGhost(d, sideRule(rule))
			a.velocitySides[rule][d] = ghosts.Declare[F](t, ghosts.ListOf(b, velocityLayers, d, ghost))
		}
	}
	return a, nil
}

// linesOrPlanes are the lines of mixed cells in the plane, or in space their planes.
func (a *arrays[F]) linesOrPlanes() ([]geom.Line[F], []geom.Plane[F]) {
	if a.lines != nil {
		return a.lines.Data, nil
	}
	return nil, a.planes.Data
}

// sharing returns a function that returns one scratch array after the other, and new ones after the last.
func sharing[F num.Float](scratch []*engine.Array[F], add func() *engine.Array[F]) func() *engine.Array[F] {
	return func() *engine.Array[F] {
		if len(scratch) == 0 {
			return add()
		}
		first := scratch[0]
		scratch = scratch[1:]
		return first
	}
}

// shareTransport declares the arrays of the transport, and that of curvature.
func (a *arrays[F]) shareTransport(dim int, looksAhead bool, add func() *engine.Array[F]) {
	// After a restart, projecting to v[1] needs the coefficients too.
	scratch := a.pressure.Scratch()
	next := sharing(scratch[:len(scratch)-dim], add)
	a.jump = scratch[0]
	a.start, a.volume, a.mass, a.f[1] = next(), next(), next(), next()
	for d := range dim {
		a.v[1][d] = next()
	}
	if looksAhead {
		for d := range dim {
			a.ahead[d] = next()
		}
	}
}

// declareViscous declares the arrays of viscosity, of which most are scratch.
func declareViscous[F num.Float](t *engine.Table, c *Config, b *grid.Block,
	scratch []*engine.Array[F]) *viscousArrays[F] {
	next := sharing(scratch, func() *engine.Array[F] { return engine.Add[F](t, "viscosity", b.Len()) })
	v := &viscousArrays[F]{iteration: engine.Add[levels.Iteration](t, "viscosity", 1)}
	if c.Viscosity == [2]float64{} {
		return v
	}
	for d := range b.Grid.Dim {
		for _, a := range []*[3]*engine.Array[F]{&v.change, &v.residual, &v.inverse, &v.z, &v.direction, &v.product} {
			a[d] = next()
		}
	}
	v.sums = multigrid.NewSums[F](t)
	v.largest, v.heaviest = engine.Add[atomics.Most[F]](t, "viscosity", 1), engine.Add[atomics.Most[F]](t, "viscosity", 1)
	v.done = engine.Add[int32](t, "viscosity", 1)
	return v
}
