package problem

import (
	"context"
	"runtime"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
	w := c.Sections.(*Sections)
	warnings, err := checkCoordinates(c)
	if err != nil {
		return nil, &solvers.BadInput{Err: err}
	}
	part, plan, err := domain.Distribute(ctx, c, w.Mesh, env.Comm, w.Boundary.names()...)
	if err != nil {
		return nil, err
	}
	// The whole mesh is no longer needed.
	if env.Comm.Size() == 1 {
		runtime.GC() // the arrays of the solver use its memory
	} else {
		cpu.ReleaseMemory() // for other ranks on this machine
	}
	var markers domain.Markers
	cfg, initial, err := setUp(ctx, c, part, &markers)
	if err := solvers.Agree(ctx, env.Comm, err); err != nil {
		return nil, err
	}
	if err := checkFiles(ctx, env.Comm, c, &markers); err != nil {
		return nil, err
	}
	share := solvers.Counts{Dim: 2, Owned: part.Owned, Held: len(part.Cells)}
	if err := env.CheckMemory(ctx, c, share); err != nil {
		return nil, err
	}
	cells := []int64{int64(part.Owned)}
	if err := env.Comm.AllreduceInt64(ctx, dist.Sum, cells); err != nil {
		return nil, err
	}
	layers := w.Physics.Layers
	at := shallow.Setting{Part: part, Plan: plan, Initial: initial, Flows: flowsOfTwo}
	if at.Fields, at.Names = fieldsOf(layers); layers == 1 {
		at.Flows = flowsOfOne
	}
	at.Size = solvers.Size{Unit: "cell", Dim: 2, Entities: cells[0], Precision: w.Physics.Precision, End: c.Time.End,
		MaxSteps: c.Time.MaxSteps, Warnings: append(warnings, part.Notes...)}
	var l *ledger
	at.Quantities = func(d *shallow.Diagnostics) []solvers.Quantity {
		if l == nil { // the state at the start
			l = newLedger(*d, layers)
		}
		return l.quantities(d)
	}
	// The input is valid. If the solver fails on this rank alone, the others are in collective calls by then, so errors
	// are not agreed on here.
	s, err := shallow.New(ctx, env, w.Physics.Precision, cfg, at)
	if err != nil {
		return nil, err
	}
	start, err := s.Diagnose(ctx)
	if err != nil {
		s.Close()
		return nil, err
	}
	s.Warn(absentLayers(&start, layers)...)
	return s.Engine, nil
}

// absentLayers returns warnings about layers that are absent everywhere and have no source.
func absentLayers(start *shallow.Diagnostics, layers int) (warnings []string) {
	if len(start.Sources) > 0 {
		return nil
	}
	switch {
	case layers == 1 && start.H2Max == 0:
		warnings = append(warnings, "[initial] h: there is no water and no inflow")
	case layers == 2 && start.H1Max == 0:
		warnings = append(warnings, "[initial] the upper layer is absent everywhere: set layers = 1 for one layer")
	case layers == 2 && start.H2Max == 0:
		warnings = append(warnings, "[initial] the lower layer is absent everywhere: set layers = 1 for one layer")
	}
	return warnings
}
