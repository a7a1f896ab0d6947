package levelset

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
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
	synced := func(run func()) func(context.Context) error {
		return func(context.Context) error { run(); return backend.Sync(s.dev) }
	}
	syncedErr := func(run func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			if err := run(ctx); err != nil {
				return err
			}
			return backend.Sync(s.dev)
		}
	}
	stages := []Stage{
		{"advection, " + s.cfg.Advect, "cell", cells, syncedErr(s.advect)},
		{"reinitialisation, " + s.cfg.Reinit, "cell", cells, syncedErr(s.reinitialise)},
	}
	w := s.swarm
	if w == nil {
		return stages
	}
	correctBy := func(method string) func(context.Context) error {
		return syncedErr(func(ctx context.Context) error {
			before := s.cfg.Correct
			s.cfg.Correct = method
			defer func() { s.cfg.Correct = before }()
			return s.correct(ctx, now)
		})
	}
	return append(stages,
		Stage{"particles, advection", "particle", w.n, synced(func() { s.dev.Run(w.loops().advect, 0, w.n) })},
		Stage{"particles, escape and correction", "particle", w.n,
			synced(func() { s.dev.Run(w.loops().correct[now], 0, w.n) })},
		Stage{"particles, in one pass", "particle", w.n, synced(func() { s.dev.Run(w.loops().advectAndCorrect, 0, w.n) })},
		Stage{"correction, fused", "particle", w.n, correctBy("fused")},
		Stage{"correction, sorted", "particle", w.n, correctBy("sorted")},
	)
}
