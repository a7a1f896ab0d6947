package solvers

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
)

// Plain is what a simple Restarter gets by embedding it: size, clock, declared fields, which are its state, and the
// arrays of its device. It has neither shapes, nor quantities beside the totals of its fields, nor phases.
type Plain struct {
	backend.Arrays
	Whole    Size
	Now      Clock
	Declared []Field
}

func (p *Plain) Size() Size                             { return p.Whole }
func (p *Plain) Fields() []Field                        { return p.Declared }
func (p *Plain) State(context.Context) ([]State, error) { return HashedState(p.Declared) }

func (p *Plain) Clock() Clock                                      { return p.Now }
func (*Plain) Quiesce(context.Context) error                       { return nil }
func (*Plain) Shapes() []Shape                                     { return nil }
func (*Plain) Measure(context.Context) ([]Quantity, error)         { return nil, nil }
func (*Plain) Phases() map[string]float64                          { return map[string]float64{} }
func (*Plain) Scalars(context.Context) (map[string]float64, error) { return nil, nil }

// Close gives the arrays back.
func (p *Plain) Close() { p.Free() }

// Restore takes the clock and lets the fields be filled.
func (p *Plain) Restore(_ context.Context, at Clock, _ map[string]float64, fill func() error) error {
	p.Now = at
	return fill()
}
