package shallow

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/wet"
)

// stepper makes the program of a step.
type stepper[F num.Float] struct {
	*rank[F]
	lengths  *lengths[F]
	extremes *extremes[F]
	samples  *samples[F]

	// The exchanges of the two states, of the state between the stages of a step, and of slopes.
	exchanges         [2]*engine.Exchange
	between, slopesOf *engine.Exchange
	joined            *engine.Joined[F] // conveyances of all ranks

	innerEdges int // edges [0, innerEdges) touch no ghost
	edges      int // number of edges
	bands      *bands.Bands
	spent      *engine.Spent // in the phases of kernels of bands
	coreTiles  int           // tiles [0, coreTiles) touch no ghost
	ntiles     int
	skips      bool // tiles without water are skipped

	lossless kernels.Forcing[F] // what acts on cells in local steps: they lose water when their steps end
}

// substep is a step by cells of one Euler step or two: all of a step, or one of those into which local steps divide it.
type substep[F num.Float] struct {
	forcing  *kernels.Forcing[F]
	counters *kernels.Counters
	due      func(piece int) bool // which pieces of core cells it computes; nil for all
	dry      func(lo, hi int)     // is called for cells that it skips since they are dry, unless it is nil
	partial  bool                 // the new state is not complete with it: it sends nothing
}

// step makes the program of step k of the cycle: an Euler step at first order, Heun's method at second order. Levels
// and waves at sides have the values of each stage, amounts such as rain, wind and discharges their means over the
// step; the bed moves before the last stage. What other ranks need is sent as soon as it is known, and received when
// the next stage or step needs it. The limits that the steps before have found set the length of the step (lengths);
// cycleStep has what a step reads, writes and clears. A kernel that has no limit runs only where the host has completed
// the clock (tick); those of queued steps complete it themselves.
func (s *stepper[F]) step(p *engine.Program, number int) {
	k := cycleStep(number)
	s.evaluateSeries(p, k, false)
	limit, next, _ := s.limitsOf(k) // of this step's length, and of the next one's, which what comes in lowers
	s.weather.Evaluate(p, &s.clocks.Data[k], limit, next)
	s.weather.RaiseLevels(p)
	s.extremes.updatePeaks(p, k) // before structures change the state; by tiles the kernel of the step may do it
	switch {
	case s.tiers != nil:
		s.localSteps(p, k)
	case s.middle == nil:
		s.operateStructures(p, k, &s.clocks.Data[k])
		s.moveBed(p, k)
		s.eulerStep(p, k, s.equalStep())
	default:
		s.operateStructures(p, k, &s.clocks.Data[k])
		s.stage(p, k, s.equalStep(), false)
		s.evaluateSeries(p, k, true)
		s.weather.RaiseLevels(p)
		s.moveBed(p, k)
		s.stage(p, k, s.equalStep(), true)
	}
	s.reduceLimit(p, k)
	p.Phase("update")
	s.samples.recordSample(p, k)
}

// equalStep is a step of one length for all cells.
func (s *stepper[F]) equalStep() *substep[F] {
	return &substep[F]{forcing: &s.forcing, counters: s.counters.At()}
}

// eulerStep computes all fluxes and updates all cells. By cells, fluxes between own cells are computed and core cells
// updated while ghosts arrive; by tiles, those whose cells other ranks need come first.
func (s *stepper[F]) eulerStep(p *engine.Program, k cycleStep, sub *substep[F]) {
	in, out := s.exchanges[k.from()], s.exchanges[k.to()]
	if s.tiled {
		p.Await(in)
		s.advanceTiles(p, s.tileStep(k), out)
		return
	}
	loops := [bands.Kernels]backend.Loop{bands.Flux: s.edgeFlux(k, sub), bands.Update: s.updateCell(k, sub)}
	to := s.state[k.to()].Data
	s.beginBands(p, sub, k.from(), k.from(), k.to())
	s.runBands(p, s.bands.Early, &loops, to)   // what needs no ghost, band by band, with the edges between bands
	s.runBands(p, s.bands.Updates, &loops, to) // core cells with edges of two bands
	p.Await(in)
	s.updateBoundary(p, &loops)
	if !sub.partial {
		p.Share(out)
	}
}

// stage is one of the two Euler stages of a step of second order: slopes, then fluxes and cells, those that need no
// ghosts while these and their slopes arrive, which a rank cannot compute: it lacks neighbours of its ghosts.
func (s *stepper[F]) stage(p *engine.Program, k cycleStep, sub *substep[F], last bool) {
	from, to := s.state[k.from()].Data, s.middle.Data
	in, out := s.exchanges[k.from()], s.between
	if last {
		from, to = s.middle.Data, s.state[k.to()].Data
		in, out = s.between, s.exchanges[k.to()]
	}
	if s.tiled {
		p.Await(in)
		marks := s.marksOf(k, last)
		s.tableSlopes(p, marks, from)
		s.advanceTiles(p, s.tileStage(k, last, marks, from, to), out)
		return
	}
	loops := s.stageLoops(k, sub, last, from, to)
	const middle = 2 // after the two states
	if last {
		s.beginBands(p, sub, middle, k.from(), k.to())
	} else {
		s.beginBands(p, sub, k.from(), k.from(), middle)
	}
	s.runBands(p, s.bands.Early, &loops, to)
	p.Await(in)
	p.Phase("slopes")
	p.Run(engine.Task{Loop: loops[bands.Slopes], Lo: s.part.Core, Hi: s.part.Owned}) // which Late needs too
	p.Share(s.slopesOf)                                                              // the slopes of boundary cells
	s.runBands(p, s.bands.Late, &loops, to)
	s.runBands(p, s.bands.Fluxes, &loops, to) // edges between bands
	s.runBands(p, s.bands.Updates, &loops, to)
	p.Await(s.slopesOf)
	s.updateBoundary(p, &loops)
	if !last || !sub.partial {
		p.Share(out)
	}
}

// tableSlopes writes the slopes of all cells to the table that tiles read, those of ghosts when they have arrived.
func (s *stepper[F]) tableSlopes(p *engine.Program, marks *wet.Stage, w []kernels.State[F]) {
	p.Phase("slopes")
	table := engine.Whole(kernels.NewTableSlopesLoop(s.oneLayer, s.skips, &s.params, &s.mesh, &s.tiles.Wet, marks, w,
		&s.slopeTable), s.part.Owned)
	if s.slopes == nil {
		p.Run(table)
		return
	}
	slopes := s.slopes.Data
	sent := kernels.NewCellSlopesLoop(s.oneLayer, &s.params, &s.mesh, w, slopes)
	p.Share(s.slopesOf, engine.Task{Loop: sent, Lo: s.part.Core, Hi: s.part.Owned})
	p.Run(table)
	p.Await(s.slopesOf)
	p.Run(engine.Task{Loop: kernels.NewTableReceivedLoop(s.oneLayer, slopes, &s.slopeTable), Lo: s.part.Owned,
		Hi: len(slopes)})
}

// advanceTiles advances the tiles whose cells other ranks need, and the others while these are sent. On linked devices
// the former run on a second stream: they must be complete before series or the bed change, which they read.
func (s *stepper[F]) advanceTiles(p *engine.Program, tile backend.Loop, out *engine.Exchange) {
	p.Phase("update")
	p.Share(out, engine.Task{Loop: tile, Lo: s.coreTiles, Hi: s.ntiles})
	p.Run(engine.Whole(tile, s.coreTiles))
	if out.Linked() {
		p.Await(out)
	}
}

// updateBoundary computes the fluxes of edges that touch a ghost, and updates the boundary cells.
func (s *stepper[F]) updateBoundary(p *engine.Program, loops *[bands.Kernels]backend.Loop) {
	p.Phase("flux")
	p.Run(engine.Task{Loop: loops[bands.Flux], Lo: s.innerEdges, Hi: s.edges})
	p.Phase("update")
	p.Run(engine.Task{Loop: loops[bands.Update], Lo: s.part.Core, Hi: s.part.Owned})
}

// operateStructures lets structures move water: all ranks join what they read, await ghosts, and send the state again.
func (s *stepper[F]) operateStructures(p *engine.Program, k cycleStep, clock *kernels.Clock[F]) {
	limit, next, _ := s.limitsOf(k)
	p.Phase("update")
	s.works.Operate(p, &hydraulics.Step[F]{Gravity: s.cfg.Gravity, Clock: clock, Limit: limit, Next: next,
		Prescribed: s.boundary.Prescribed, Ahead: s.boundary.Ahead, Beds: s.mesh.Beds, State: s.state[k.from()].Data,
		Exchange: s.exchanges[k.from()]})
}

// moveBed moves the bed in a step: before it at first order, between its stages at second order.
func (s *stepper[F]) moveBed(p *engine.Program, k cycleStep) {
	limit, _, _ := s.limitsOf(k)
	p.Run(engine.Whole(kernels.NewMoveBedLoop(&s.uplift, &s.clocks.Data[k], limit, s.mesh.Beds, s.mesh.Stencils),
		len(s.uplift.Rises)))
}

// evaluateSeries evaluates the time series in a stage of a step, the later one or not, and at its start distributes
// discharges over the edges of their groups: all ranks need the conveyances of all edges.
func (s *stepper[F]) evaluateSeries(p *engine.Program, k cycleStep, later bool) {
	p.Phase("update")
	limit, _, _ := s.limitsOf(k)
	p.Run(engine.Whole(kernels.NewEvaluateSeriesLoop(later, &s.clocks.Data[k], limit, s.rows, s.series,
		s.boundary.Prescribed, s.boundary.Ahead), len(s.series)))
	if later || len(s.distributed) == 0 {
		return
	}
	p.Run(engine.Whole(kernels.NewConveyLoop(s.shares, &s.boundary, s.state[k.from()].Data), len(s.shares)))
	p.Reduce(s.joined)
	p.Run(engine.Whole(kernels.NewSumConveyancesLoop(s.distributed, &s.boundary), len(s.distributed)))
}

// reduceLimit takes the shortest of all ranks' limits of the next step, by the waves of the states that this one has
// computed fluxes of, and by what comes in; or if steps lag of the one after it, while the next one is taken. Unless
// steps are queued, the host reads it (tick).
func (s *stepper[F]) reduceLimit(p *engine.Program, k cycleStep) {
	p.Phase("reduce")
	if s.params.Lag {
		p.ReduceBehind(s.lengths.limit[k.plus(1)])
	} else {
		p.Reduce(s.lengths.limit[k.plus(1)])
	}
}

func (s *stepper[F]) edgeFlux(k cycleStep, sub *substep[F]) backend.Loop {
	return kernels.NewEdgeFluxLoop(s.scheme, &s.params, &s.mesh, &s.clocks.Data[k], s.state[k.from()].Data, s.lower,
		s.upper, sub.counters)
}

func (s *stepper[F]) updateCell(k cycleStep, sub *substep[F]) backend.Loop {
	_, nextLimit, _ := s.limitsOf(k)
	return kernels.NewUpdateCellLoop(s.oneLayer, &s.params, &s.mesh, &s.clocks.Data[k], s.state[k.from()].Data, s.lower,
		s.upper, s.manning, sub.forcing, s.state[k.to()].Data, nextLimit)
}

func (s *stepper[F]) tileStep(k cycleStep) backend.Loop {
	limit, nextLimit, cleared := s.limitsOf(k)
	return kernels.NewTileStepLoop(s.scheme, s.updatesPeaksInStep(), &s.params, &s.tiles, &s.clocks.Data[k],
		&s.clocks.Data[k.plus(1)], limit, cleared, s.state[k.from()].Data, s.manning, &s.forcing, &s.peaks,
		s.state[k.to()].Data, s.counters.At(), nextLimit)
}

// marksOf returns the marks of tiles for a stage of a step of second order.
func (s *stepper[F]) marksOf(k cycleStep, last bool) *wet.Stage {
	from, between, to := s.wetTiles[k.from()], s.wetTiles[len(s.state)], s.wetTiles[k.to()]
	if last {
		return &wet.Stage{From: between, Start: from, To: to}
	}
	return &wet.Stage{From: from, Start: from, To: between}
}

func (s *stepper[F]) tileStage(k cycleStep, last bool, marks *wet.Stage, w, out []kernels.State[F]) backend.Loop {
	limit, nextLimit, cleared := s.limitsOf(k)
	return kernels.NewTileStageLoop(s.scheme, last, s.skips, &s.params, &s.tiles, &s.clocks.Data[k],
		&s.clocks.Data[k.plus(1)], limit, cleared, marks, s.state[k.from()].Data, w, &s.slopeTable, s.manning, &s.forcing,
		out, s.counters.At(), nextLimit)
}

// stageLoops makes the kernels of a stage by cells, from state w to out.
func (s *stepper[F]) stageLoops(k cycleStep, sub *substep[F], last bool, w, out []kernels.State[F]) (
	loops [bands.Kernels]backend.Loop) {
	start, clock, m, slopes := s.state[k.from()].Data, &s.clocks.Data[k], &s.mesh, s.slopes.Data
	_, nextLimit, _ := s.limitsOf(k)
	loops[bands.Slopes] = kernels.NewCellSlopesLoop(s.oneLayer, &s.params, m, w, slopes)
	loops[bands.Flux] = kernels.NewSlopedFluxLoop(s.scheme, &s.params, m, clock, slopes, s.lower, s.upper,
		sub.counters)
	loops[bands.Update] = kernels.NewStageCellLoop(last, s.oneLayer, &s.params, m, clock, start, w, slopes, s.lower,
		s.upper, s.manning, sub.forcing, out, nextLimit)
	if s.separate {
		return loops
	}
	loops[bands.Slopes] = backend.Preload(loops[bands.Slopes], backend.ElementsOf(m.Stencils), backend.ElementsOf(w))
	loops[bands.Flux] = backend.Preload(loops[bands.Flux], backend.ElementsOf(m.EdgeCells), backend.ElementsOf(m.Normals),
		backend.ElementsOf(m.Arms))
	loops[bands.Update] = backend.Preload(loops[bands.Update], backend.ElementsOf(m.CellEdges), backend.ElementsOf(start),
		backend.ElementsOf(out))
	return loops
}

// bandPhases are the phases of the kernels of bands.
var bandPhases = [bands.Kernels]string{bands.Slopes: "slopes", bands.Flux: "flux", bands.Update: "update"}

// beginBands finds where something happens in a stage that computes the states in one array from those in another and
// those at the start of the step. Arrays are numbered 0 and 1 as in state, and 2 for that between the stages.
func (s *stepper[F]) beginBands(p *engine.Program, sub *substep[F], from, start, to int) {
	if s.separate {
		return
	}
	p.Phase("update")
	at := bands.Stage{From: from, Start: start, To: to, Anywhere: func() bool { return s.forcing.BringsWater(&s.params) },
		Due: sub.due, Dry: sub.dry}
	for _, task := range s.activity.Begin(at) {
		p.Run(task)
	}
}

// runBands runs a list of runs with the kernels of a stage, which updates the states out; a device with separate memory
// takes all cells at a time.
func (s *stepper[F]) runBands(p *engine.Program, runs [][]bands.Run, loops *[bands.Kernels]backend.Loop,
	out []kernels.State[F]) {
	if s.separate {
		for _, r := range runs[0] {
			p.Phase(bandPhases[r.Kernel])
			p.Run(engine.Task{Loop: loops[r.Kernel], Lo: r.Lo, Hi: r.Hi})
		}
		return
	}
	for _, band := range runs {
		if len(band) > 0 {
			p.Phase("update")
			p.Run(engine.Task{Loop: &bands.Loop[F]{Kernels: *loops, Runs: runs, Spent: s.spent, Activity: s.activity, Out: out},
				Hi: len(runs), Spent: s.spent})
			return
		}
	}
}

// connectHalo sets up the exchanges of ghosts.
func (s *stepper[F]) connectHalo(ctx context.Context) (err error) {
	const stateTag, slopeTag = 1, 4 // of messages
	ghosts, slopes := s.MeshGhosts(s.at.Plan, stateTag), s.MeshGhosts(s.at.Plan, slopeTag)
	for k := range s.exchanges {
		if s.exchanges[k], err = ghosts.Of(ctx, s.state[k]); err != nil {
			return err
		}
	}
	if s.middle != nil {
		if s.between, err = ghosts.Of(ctx, s.middle); err != nil {
			return err
		}
	}
	if s.slopes != nil {
		if s.slopesOf, err = slopes.Of(ctx, s.slopes); err != nil {
			return err
		}
	}
	if s.tiers != nil {
		return s.tiers.Connect(ctx, ghosts)
	}
	return nil
}
