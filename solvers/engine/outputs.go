package engine

import (
	"context"

	"github.com/atoll-hpc/atoll/solvers"
)

// Sampler has the methods of solvers.Sampler, or nil.
type Sampler struct {
	Sample  func(fields []string, entities []int) (bool, error)
	Sampled func() []float64
	Select  func(k int)
}

// outputs implements interfaces of package solvers for what a Definition may lack.
type outputs struct{ def *Definition }

// Shapes implements solvers.Solver.
func (o outputs) Shapes() []solvers.Shape { return o.def.Shapes }

// MeasureEnd implements solvers.Ender.
func (o outputs) MeasureEnd(ctx context.Context) ([]solvers.Quantity, error) {
	if o.def.End == nil {
		return nil, nil
	}
	return o.def.End(ctx)
}

// Conclude implements solvers.Concluder.
func (o outputs) Conclude(ctx context.Context) ([]solvers.Quantity, error) {
	if o.def.Conclude == nil {
		return nil, nil
	}
	return o.def.Conclude(ctx)
}

// Outlines implements solvers.Outliner.
func (o outputs) Outlines() []solvers.Outline { return o.def.Outlines }

// Flows returns the fluxes through transects: see solvers.Flow.
func (o outputs) Flows() []solvers.Flow { return o.def.Flows }

// Lists implements solvers.Lister.
func (o outputs) Lists() []solvers.List { return o.def.Lists }

// Sample implements solvers.Sampler.
func (o outputs) Sample(fields []string, entities []int) (bool, error) {
	if o.def.Sampler.Sample == nil {
		return false, nil
	}
	return o.def.Sampler.Sample(fields, entities)
}

// Sampled implements solvers.Sampler.
func (o outputs) Sampled() []float64 { return o.def.Sampler.Sampled() }

// SelectSample implements solvers.Sampler.
func (o outputs) SelectSample(k int) { o.def.Sampler.Select(k) }
