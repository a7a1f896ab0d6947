package vof

import (
	"errors"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/balance"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/cost"
)

// workload counts the work of a solver's block.
type workload[F num.Float] struct {
	*cost.Counter[F]
	s *solver[F]
}

// Workload returns what counts the work of the block.
func (s *solver[F]) Workload() balance.Model {
	return workload[F]{&cost.Counter[F]{Block: s.block, State: func() []F { return s.state().Data }}, s}
}

const carriedReference = "reference"

// Carried implements balance.Model: the volume fractions with which errors are computed.
func (l workload[F]) Carried() ([]solvers.Field, error) {
	if !l.s.narrowBand {
		return nil, errors.New("blocks move only where sweeps go over the cells of a narrow band")
	}
	return []solvers.Field{{Name: carriedReference, Space: l.s.cells,
		View: func() solvers.View { return solvers.ViewOf[float64](l.s.Env().Device, l.s.reference.Data, 0) }}}, nil
}

// CellOf implements balance.Model: nothing but cells changes ranks.
func (l workload[F]) CellOf([]byte) [3]int { return [3]int{} }

// carry continues what the solver on other blocks had besides its saved state.
func (s *solver[F]) carry(from *balance.Carried) error {
	old := from.From.(*solver[F])
	s.volume, s.referenceSum, s.measured = old.volume, old.referenceSum, old.measured
	return s.reference.Set(balance.NumbersOf[float64](from, carriedReference))
}
