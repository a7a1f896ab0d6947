package levelset

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// Stage is a part of a step that is measured alone. The state is not valid after Run.
type Stage struct {
	Name string
	Unit string // what Size counts: cell or particle
	Size int    // number of units in the block
	Run  func(ctx context.Context) error
}

// Stages returns the parts of a step of a block without neighbours, with both implementations of the correction.
func (s *solver[F]) Stages() []Stage {
	cells := s.block.Cells()
	program := func(f func(p *engine.Program)) func(context.Context) error {
		do := s.Prepared(f)
		return func(ctx context.Context) error {
			if err := do(ctx); err != nil {
				return err
			}
			return s.sync()
		}
	}
	stages := []Stage{{"advection, " + s.cfg.Advect, "cell", cells, program(s.advect)},
		{"reinitialisation, " + s.cfg.Reinit, "cell", cells, program(s.reinitialise)}}
	w := s.swarm
	if w == nil {
		return stages
	}
	n := w.set.Count
	loop := func(of func(l *swarmLoops) backend.Loop) func(context.Context) error {
		return func(context.Context) error { w.run(of); return s.sync() }
	}
	apply := s.Prepared(func(p *engine.Program) { s.applyBounds(p, now) })
	correctBy := func(method string) func(context.Context) error {
		return func(ctx context.Context) error {
			before := s.cfg.Correct
			s.cfg.Correct = method
			defer func() { s.cfg.Correct = before }()
			if err := w.setBounds(now); err != nil {
				return err
			}
			if err := apply(ctx); err != nil {
				return err
			}
			return s.sync()
		}
	}
	return append(stages,
		Stage{"particles, advection", "particle", n, loop(func(l *swarmLoops) backend.Loop { return l.advect })},
		Stage{"particles, escape and correction", "particle", n,
			loop(func(l *swarmLoops) backend.Loop { return l.correct[now] })},
		Stage{"particles, in one pass", "particle", n,
			loop(func(l *swarmLoops) backend.Loop { return l.advectAndCorrect })},
		Stage{"correction, fused", "particle", n, correctBy("fused")},
		Stage{"correction, sorted", "particle", n, correctBy("sorted")},
	)
}
