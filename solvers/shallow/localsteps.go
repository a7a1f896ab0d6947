package shallow

import (
	"errors"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/tiers"
)

// checkLocalSteps returns an error if local time steps cannot be taken on the device.
func (c *Config) checkLocalSteps(separate bool) error {
	switch {
	case c.LocalSteps < 2:
		return nil
	case separate:
		return &solvers.BadInput{Err: errors.New("[physics] local_steps is for processors: leave it out, or compute with " +
			"--backend cpu")}
	case c.Sweep == TileSweep || c.Lag:
		return errors.New("local steps need steps by cells that do not lag")
	}
	return nil
}

// prepareLocalSteps gives kernels the steps of cells. Those at open boundaries and at structures take the shortest one.
func (s *stepper[F]) prepareLocalSteps(out *outlets[F]) {
	if s.tiers == nil {
		return
	}
	s.tiers.Part, s.tiers.Activity, s.tiers.Ahead = s.part, s.activity, make([]F, len(s.boundary.Ahead))
	s.tiers.Pinned = append(out.structures.Cells(), out.cells...)
	s.mesh.Local = s.tiers.Steps()
	s.lossless = s.forcing
	s.lossless.Lost = nil
}

// localSubstep is a substep of local steps: of these only the first one counts.
func (s *stepper[F]) localSubstep(number int) *substep[F] {
	sub := &substep[F]{forcing: &s.lossless, counters: &s.tiers.Uncounted, due: s.tiers.Due(number),
		dry: s.tiers.Unbounded, partial: true}
	if number == 0 {
		sub.counters = s.counters.At()
	}
	return sub
}

// localSteps is a step in which each cell takes steps of the length of its tier: see package tiers. The clock of the
// step is that of the longest ones. Amounts have their means over it; levels at boundaries those of the stages of each
// substep, in which structures too move water.
func (s *stepper[F]) localSteps(p *engine.Program, k cycleStep) {
	t := s.tiers
	p.Phase("update")
	t.Choose(p, &s.clocks.Data[k])
	for j := range t.Substeps() {
		s.evaluateLevels(p, k, j, false)
		s.operateStructures(p, k, &t.Clocks[j])
		sub := s.localSubstep(j)
		if s.middle == nil {
			s.eulerStep(p, k, sub)
		} else {
			s.stage(p, k, sub, false)
			s.evaluateLevels(p, k, j, true)
			s.stage(p, k, sub, true)
		}
		p.Phase("update")
		p.Run(t.Finish(j, &s.clocks.Data[k], &s.forcing, tiers.States[F]{From: s.state[k.from()].Data,
			To: s.state[k.to()].Data, FromAt: k.from(), ToAt: k.to()}))
		if j < t.Substeps()-1 {
			p.Share(s.exchanges[k.from()])
		} else {
			p.Share(s.exchanges[k.to()])
		}
	}
}

// evaluateLevels evaluates the series of which steps do not use the mean, in a stage of a substep.
func (s *stepper[F]) evaluateLevels(p *engine.Program, k cycleStep, substep int, later bool) {
	limit, _, _ := s.limitsOf(k)
	loop := kernels.NewEvaluateSeriesLoop(later, &s.tiers.Clocks[substep], limit, s.rows, s.series,
		s.boundary.Prescribed, s.tiers.Ahead)
	for n := range s.series {
		if !s.series[n].Mean {
			p.Run(engine.Task{Loop: loop, Lo: n, Hi: n + 1})
		}
	}
}
