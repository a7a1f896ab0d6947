package vof

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

func (s *solver[F]) View() solvers.View {
	return solvers.BlockView(s.dev, s.fields[s.currentField()], s.block)
}

// state returns the volume fractions as a field.
func (s *solver[F]) state() []solvers.Field {
	cells := &solvers.Space{Name: "cell", Owned: s.block.Cells(), Key: s.block.Number}
	return []solvers.Field{{Name: "f", Space: cells, View: s.View, Hashed: true}}
}

// State returns the volume fractions of the block.
func (s *solver[F]) State(context.Context) ([]solvers.State, error) {
	return solvers.HashedState(s.state())
}

// Hash returns the hash of the volume fractions.
func (s *solver[F]) Hash(ctx context.Context) (string, error) { return solvers.Hash(ctx, s.comm, s) }

// Scalars returns the longest step so far.
func (s *solver[F]) Scalars(context.Context) (map[string]float64, error) {
	return map[string]float64{"longest": s.longest}, nil
}

func (s *solver[F]) Restore(ctx context.Context, at solvers.Clock, scalars map[string]float64,
	fill func() error) error {
	s.instant = instant{at.Time, at.Steps, at.Dt, scalars["longest"]}
	if err := fill(); err != nil {
		return err
	}
	for _, kinds := range s.kinds { // after a restart any tile or brick may be mixed
		if err := backend.Upload(s.dev, kinds, slices.Repeat([]int32{kernels.Mixed2}, len(kinds))); err != nil {
			return err
		}
	}
	if s.narrowBand != nil {
		s.narrowBand.activateAll()
	}
	s.ghostsCurrent, s.listValid, s.lister.bounds = false, false, false
	return s.refreshGhosts(ctx)
}
