package vof

import (
	"context"

	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

// output returns the interface as output.
func (s *solver[F]) output(b *domain.Block) *plic.Output[F] {
	return &plic.Output[F]{Interface: &s.plic, Of: b, Cells: s.cells, Device: s.Env().Device,
		Names:     []string{"f", "normal", "alpha"},
		Fractions: func(ctx context.Context) ([]F, error) { return s.state().Data, s.fillGhosts(ctx) },
		Host:      s.hostField}
}
