package twophase

import (
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels"
	vof "github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// step makes the program of step k of the cycle: the volume fraction f goes from half a step before the velocity u to
// half a step after it, and u from t to t + dt. Before it the host chooses dt (longestStep) and evaluates what sides
// give, at the end of the step.
func (s *solver[F]) step(p *engine.Program, k int) {
	s.now = &s.clock.Data[k]
	p.Phase("transport")
	s.beginTransport(p)
	if s.cfg.looksAhead() { // fluids of one density
		s.lookAhead(p)
	}
	for n, axis := range s.order(k) {
		s.sweep(p, n, axis)
	}
	budget[F]{s}.reducePassed(p) // for tables
	s.endTransport(p)            // from here to project, u is scratch; what only the transport needs is lost
	p.Phase("viscosity")
	s.predictVelocity(p)
	viscosity[F]{s}.solve(p) // conjugate gradients: exchanges, reductions and a look of the host in each iteration
	p.Phase("forces")
	s.findJump(p)
	s.applyForces(p)
	p.Phase("pressure")
	s.project(p)
	s.measureSpeed(p)
	s.emptySolids(p, s.f[0]) // which extendFractions has filled
}

// order is the order of the axes of the sweeps in step k, which alternates so that no axis is preferred.
func (s *solver[F]) order(k int) []int {
	if s.block.Grid.Dim == 2 {
		return [][]int{{0, 1}, {1, 0}}[k%2]
	}
	return [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}, {2, 0, 1}, {1, 0, 2}}[k%6]
}

// cycle is the number of orders.
func (s *solver[F]) cycle() int { return 2 * (2*s.block.Grid.Dim - 3) }

// beginTransport sets the velocity that the step changes to that of its beginning: that in outflows, which sweeps do
// not change, in both arrays that sweeps alternate with. It also keeps the volume fraction of the beginning, for all
// sweeps.
func (s *solver[F]) beginTransport(p *engine.Program) {
	p.Queue(func() error {
		for d := range s.block.Grid.Dim {
			if err := s.v[0][d].Copy(s.u[d]); err != nil {
				return err
			}
			sides := s.cfg.Sides[d]
			if s.block.Grid.Periodic[d] || sides[0].Kind != Outflow && sides[1].Kind != Outflow {
				continue
			}
			if err := s.v[1][d].Copy(s.u[d]); err != nil {
				return err
			}
		}
		return s.start.Copy(s.f[0])
	})
}

// lookAhead computes the change of the velocity by forces in half a step, with the viscosities and walls of the
// implicit step: in steady parallel flow it is 0.
func (s *solver[F]) lookAhead(p *engine.Program) {
	s.extendFractions(p, s.f[0])
	for d := range s.block.Grid.Dim {
		q := viscosity[F]{s}.viscousOf(d, s.u)
		p.Run(engine.Over(kernels.NewLookAheadLoop(s.faces(d), q, s.now, s.acceleration[d].Data, s.ahead[d].Data),
			s.faces(d)))
		if walls := s.solids; walls != nil {
			p.Run(engine.Whole(kernels.NewLookAheadWallsLoop(q, walls.walls(d), s.now, s.ahead[d].Data),
				len(walls.wall[d].faces.Data)))
		}
	}
	s.refreshVelocity(p, s.ahead, zeroGiven)
}

// sweep is sweep n of a step: it moves the fluids along an axis, and with them all components of the momentum.
func (s *solver[F]) sweep(p *engine.Program, n, axis int) {
	from, to := n%2, (n+1)%2
	q := s.sweepOf(axis, from)
	s.extendFractions(p, s.f[from])
	s.reconstruct(p, s.f[from], 2)
	p.Run(engine.Over(kernels.NewFluxLoop(s.cells(1), q, s.now), s.cells(1)))
	s.setInflow(p, axis, q)
	p.Run(engine.Over(kernels.NewAdvanceLoop(s.cells(0), q, s.now), s.cells(0)))
	budget[F]{s}.addPassed(p, axis)
	s.refreshFractions(p, s.f[to])
	for d := range s.block.Grid.Dim {
		m := &kernels.Momentum[F]{Lattice: s.lattice, Fluids: s.fluids, Along: s.stride(axis), Across: s.stride(d),
			Before: s.f[from].Data, After: s.f[to].Data, Start: s.start.Data, Mass: s.mass.Data,
			U: s.u[axis].Data, Begun: s.u[d].Data, V: s.v[from][d].Data, Out: s.v[to][d].Data, LooksAhead: s.cfg.looksAhead()}
		if m.LooksAhead {
			m.Ahead = s.ahead[d].Data
		}
		p.Run(engine.Over(kernels.NewCarryLoop(s.faces(d), m, s.now), s.faces(d)))
	}
	if n < s.block.Grid.Dim-1 {
		s.refreshVelocity(p, s.v[to], keepOutflow)
	}
}

func (s *solver[F]) sweepOf(axis, from int) *kernels.Sweep[F] {
	lines, planes := s.linesOrPlanes()
	return &kernels.Sweep[F]{Lattice: s.lattice, Fluids: s.fluids, Axis: int32(axis), Stride: s.stride(axis),
		F: s.f[from].Data, Start: s.start.Data, U: s.u[axis].Data, Volume: s.volume.Data, Mass: s.mass.Data,
		Out: s.f[1-from].Data, Lines: lines, Planes: planes}
}

// setInflow sets the fluxes of a sweep through sides where fluid of a given fraction enters.
func (s *solver[F]) setInflow(p *engine.Program, axis int, q *kernels.Sweep[F]) {
	for side := range 2 {
		with := s.cfg.Sides[axis][side]
		if !s.cfg.passes(s.block.Grid, axis, side) || with.Kind != Inflow && !with.Backflow ||
			s.block.HasNeighbours(axis)[side] {
			continue
		}
		box := s.cells(1) // momentum along the side needs its ghosts
		box.Lo[axis] = side * s.block.N[axis]
		box.Hi[axis] = box.Lo[axis] + 1
		p.Run(engine.Over(kernels.NewEnterLoop(box, q, F(1-2*side), s.now), box))
	}
}

// reconstruct computes the planes of mixed cells, with some layers of ghosts.
func (s *solver[F]) reconstruct(p *engine.Program, f *engine.Array[F], layers int) {
	box := s.cells(layers)
	l := vof.Lattice{Origin: s.lattice.First, SY: s.lattice.SY, SZ: s.lattice.SZ}
	if s.lines != nil {
		p.Run(engine.Over(vof.NewReconstruct2Loop(box, &vof.Sweep2[F]{Lattice: l, Normal: s.normal,
			DifferenceStep: s.difference(), F: f.Data, Planes: s.lines.Data}), box))
		if s.cfg.Rings {
			p.Run(engine.Over(kernels.NewFitRingsLoop(box, &s.lattice, f.Data, s.lines.Data), box))
		}
		return
	}
	p.Run(engine.Over(vof.NewReconstruct3Loop(box, &vof.Sweep3[F]{Lattice: l, Normal: s.normal,
		DifferenceStep: s.difference(), F: f.Data, Planes: s.planes.Data}), box))
}

// endTransport leaves the volume fraction in f[0] and the velocity in v[0], clips the fraction, removes small pieces if
// that is due, on the host, and extends the fraction into solids, until the end of the step, and beyond sides.
func (s *solver[F]) endTransport(p *engine.Program) {
	if dim := s.block.Grid.Dim; dim%2 == 1 {
		p.Queue(func() error {
			for d := range dim {
				if err := s.v[0][d].Copy(s.v[1][d]); err != nil {
					return err
				}
			}
			return s.f[0].Copy(s.f[1])
		})
	}
	s.emptySolids(p, s.f[0])
	p.Run(engine.Over(kernels.NewClipLoop(s.cells(0), &s.lattice, s.roundOff(), s.f[0].Data, s.clipped.At()), s.cells(0)))
	s.refreshFractions(p, s.f[0])
	tagging[F]{s}.remove(p)
	s.extendFractions(p, s.f[0])
}

// predictVelocity adds the acceleration of the last step, the pressure's gradient included, for the viscous stress.
func (s *solver[F]) predictVelocity(p *engine.Program) {
	for d := range s.block.Grid.Dim {
		p.Run(engine.Over(kernels.NewAccelerateLoop(s.faces(d), &s.lattice, s.now, s.acceleration[d].Data,
			s.v[0][d].Data), s.faces(d)))
	}
}

// findJump finds the jump of the pressure across the interface.
func (s *solver[F]) findJump(p *engine.Program) {
	if !s.cfg.jumps() {
		return
	}
	s.reconstruct(p, s.f[0], 1)
	q := &kernels.Interface[F]{Lattice: s.lattice, Tension: s.fluids.Tension, F: s.f[0].Data, Jump: s.jump.Data}
	for d := range s.block.Grid.Dim {
		q.Buoyancy[d] = F(2 * s.cfg.lift(s.block.Grid, d))
	}
	q.Lines, q.Planes = s.linesOrPlanes()
	own, refresh := s.cells(0), []engine.Task{s.jumpSides.Fill(s.jump)}
	p.Run(engine.Over(kernels.NewFindJumpLoop(own, q), own))
	if s.cfg.Tension != 0 {
		p.ExchangeThen(s.oneLayer, refresh, s.jump)
		conservation[F]{s}.keep(p)
	}
	if q.Buoyancy != [3]F{} {
		p.Run(engine.Over(kernels.NewWeighLoop(own, q), own))
	}
	p.ExchangeThen(s.oneLayer, refresh, s.jump)
}

// applyForces replaces the acceleration of the last step, which predictVelocity has added, by that of the present
// surface tension and gravity, in the velocity too.
func (s *solver[F]) applyForces(p *engine.Program) {
	for d := range s.block.Grid.Dim {
		p.Run(engine.Over(kernels.NewExertLoop(s.faces(d), s.facesOf(d), s.now), s.faces(d)))
		s.zeroClosedFaces(p, d, s.acceleration[d])
	}
}

func (s *solver[F]) facesOf(d int) *kernels.Faces[F] {
	return &kernels.Faces[F]{Lattice: s.lattice, Fluids: s.fluids, Axis: int32(d), Across: s.stride(d), Spacing: s.spacing,
		Gravity: F(s.cfg.Gravity[d]), Lift: F(s.cfg.lift(s.block.Grid, d)), Jumps: s.cfg.jumps(), F: s.f[0].Data,
		Jump: s.jump.Data, P: s.pressure.X.Data, A: s.pressure.A[d].Data, V: s.v[0][d].Data, Force: s.acceleration[d].Data}
}

// project makes the velocity free of divergence by the pressure, and adds its gradient to the acceleration.
func (s *solver[F]) project(p *engine.Program) {
	s.refreshVelocity(p, s.v[0], extendOutflow)
	s.pressure.ClearScratch(p) // not X; also loses jump, whose memory it is
	s.setCoefficients(p)
	s.pressure.SetUp(p)
	v := s.v[0]
	p.Run(engine.Over(kernels.NewDivergeLoop(s.cells(0), &s.lattice, s.now, v[0].Data, v[1].Data, thirdComponent(v),
		s.pressure.B.Data), s.cells(0)),
		engine.Whole(kernels.NewSetPressureToleranceLoop(s.cfg.residual(), s.now, s.pressure.Iteration.At()), 1))
	p.Run(s.pressureSides.Fill(s.pressure.X))
	s.pressure.Solve(p) // from the last pressure by conjugate gradients with multigrid: the host looks at each iteration
	s.emptySolids(p, s.pressure.X)
	p.Exchange(s.oneLayer, s.pressure.X)
	for d := range s.block.Grid.Dim {
		box := s.allFaces(d)
		p.Run(engine.Over(kernels.NewProjectLoop(box, s.facesOf(d), s.now, s.u[d].Data), box))
	}
	s.refreshVelocity(p, s.u, keepOutflow)
}

// setCoefficients computes the coefficients of the pressure's equation, 1/ρ at faces.
func (s *solver[F]) setCoefficients(p *engine.Program) {
	for d := range s.block.Grid.Dim {
		box := s.allFaces(d)
		p.Run(engine.Over(kernels.NewCoupleLoop(box, s.facesOf(d), s.sidesOf(d)), box))
		s.zeroClosedFaces(p, d, s.pressure.A[d])
	}
}

// measureSpeed finds the largest Σ|u| of a cell, which limits the next step.
func (s *solver[F]) measureSpeed(p *engine.Program) {
	p.Run(engine.Over(kernels.NewSpeedLoop(s.cells(0), &s.lattice, s.u[0].Data, s.u[1].Data, thirdComponent(s.u),
		s.speed.At()), s.cells(0)))
	engine.ReduceExtreme(p, s.oneLayer, s.speed, 0)
}

// thirdComponent is that of a velocity, or nil in the plane.
func thirdComponent[F num.Float](v [3]*engine.Array[F]) []F {
	if v[2] == nil {
		return nil
	}
	return v[2].Data
}

// refreshFractions fills all ghosts of a volume fraction.
func (s *solver[F]) refreshFractions(p *engine.Program, f *engine.Array[F]) {
	p.ExchangeThen(s.allLayers, []engine.Task{s.fractionSides.Fill(f)}, f)
}

// refreshVelocity fills two layers of ghosts of all components in one message, and sets the faces in sides.
func (s *solver[F]) refreshVelocity(p *engine.Program, v [3]*engine.Array[F], rule sideRule) {
	var tasks []engine.Task
	var all []engine.Exchanged
	for d := range s.block.Grid.Dim {
		if s.solids != nil { // before it, what sides mirror; after it, what they give
			tasks = append(tasks, s.solids.closed[d].Fill(v[d]))
		}
		tasks, all = append(tasks, s.velocitySides[rule][d].Fill(v[d])), append(all, v[d])
		if s.solids != nil {
			tasks = append(tasks, s.solids.closed[d].Fill(v[d]))
		}
	}
	p.ExchangeThen(s.faceLayers, tasks, all...)
}

// cells is the index range of the block's cells, with some layers of ghosts.
func (s *solver[F]) cells(layers int) (box abi.Box) {
	box.Hi = s.block.N
	for d := range s.block.Grid.Dim {
		box.Lo[d] -= layers
		box.Hi[d] += layers
	}
	return box
}

// allFaces is the index range of the block's faces across an axis.
func (s *solver[F]) allFaces(axis int) abi.Box { return abi.Box{Hi: s.block.Faces(axis)} }

// faces is allFaces without those in sides.
func (s *solver[F]) faces(axis int) abi.Box {
	box := abi.Box{Hi: s.block.N}
	if !s.block.HasNeighbours(axis)[0] {
		box.Lo[axis] = 1
	}
	return box
}

// sidesOf are the indices of the faces in the sides across an axis.
func (s *solver[F]) sidesOf(axis int) *kernels.Sides {
	b := s.block
	if b.Grid.Periodic[axis] {
		return &kernels.Sides{First: -1 << 30, Last: -1 << 30}
	}
	of := s.cfg.Sides[axis]
	return &kernels.Sides{First: int32(-b.Lo[axis]), Last: int32(b.Grid.N[axis] - b.Lo[axis]),
		FirstOpen: of[0].Kind == Outflow, LastOpen: of[1].Kind == Outflow}
}

// stride is that of kernels.
func (s *solver[F]) stride(axis int) int32 { return int32(stride(s.block, axis)) }

func stride(b *grid.Block, axis int) int {
	x, y, z := b.Strides()
	return [3]int{x, y, z}[axis]
}
