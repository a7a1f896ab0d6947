package solvers

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
)

// Plain is a type that a simple Restarter can embed: it has a size, a clock, arrays on the device, and declared fields,
// of which the state consists. It has no shapes, no timed phases, and no quantities besides the totals of its fields.
type Plain struct {
	backend.Arrays
	CaseSize Size // of the whole case, not of this rank
	Now      Clock
	Declared []Field
}

func (p *Plain) Size() Size                             { return p.CaseSize }
func (p *Plain) Fields() []Field                        { return p.Declared }
func (p *Plain) State(context.Context) ([]State, error) { return HashedState(p.Declared) }

func (p *Plain) Clock() Clock                                      { return p.Now }
func (*Plain) Quiesce(context.Context) error                       { return nil }
func (*Plain) Shapes() []Shape                                     { return nil }
func (*Plain) Measure(context.Context) ([]Quantity, error)         { return nil, nil }
func (*Plain) Phases() map[string]float64                          { return map[string]float64{} }
func (*Plain) Scalars(context.Context) (map[string]float64, error) { return nil, nil }

// Close frees the arrays.
func (p *Plain) Close() { p.Free() }

// Restore sets the clock and fills the fields.
func (p *Plain) Restore(_ context.Context, at Clock, _ map[string]float64, fill func() error) error {
	p.Now = at
	return fill()
}
