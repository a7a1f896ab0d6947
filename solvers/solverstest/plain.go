// Package solverstest has solvers for tests of what runs them.
package solverstest

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
)

// Plain is a type that a simple Restarter can embed: it has a size, a clock, arrays on the device, and declared fields,
// of which the state consists. It has no shapes, no timed phases, and no quantities besides the totals of its fields.
type Plain struct {
	backend.Arrays
	CaseSize solvers.Size // of the whole case, not of this rank
	Now      solvers.Clock
	Declared []solvers.Field
}

func (p *Plain) Size() solvers.Size      { return p.CaseSize }
func (p *Plain) Fields() []solvers.Field { return p.Declared }
func (p *Plain) State(context.Context) ([]solvers.State, error) {
	return solvers.HashedState(p.Declared)
}

func (p *Plain) Clock() solvers.Clock                              { return p.Now }
func (*Plain) Quiesce(context.Context) error                       { return nil }
func (*Plain) Shapes() []solvers.Shape                             { return nil }
func (*Plain) Measure(context.Context) ([]solvers.Quantity, error) { return nil, nil }
func (*Plain) Phases() map[string]float64                          { return map[string]float64{} }
func (*Plain) Scalars(context.Context) (map[string]float64, error) { return nil, nil }

// Close frees the arrays.
func (p *Plain) Close() { p.Free() }

// Restore sets the clock and fills the fields.
func (p *Plain) Restore(_ context.Context, at solvers.Clock, _ map[string]float64, fill func() error) error {
	p.Now = at
	return fill()
}
