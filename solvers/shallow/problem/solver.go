package problem

import (
	"context"
	"runtime"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/coordinates"
)

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
	m := &model{env: env, c: c, w: c.Sections.(*Sections)}
	var err error
	if m.warnings, err = coordinates.Check(c); err != nil {
		return nil, &solvers.BadInput{Err: err}
	}
	if m.w.Adapt.Given {
		return m.withChangingMesh(ctx)
	}
	part, plan, err := domain.Distribute(ctx, c, m.w.Mesh, env.Comm, m.w.Boundary.names(), m.w.fields())
	if err != nil {
		return nil, err
	}
	// The whole mesh is no longer needed.
	if env.Comm.Size() == 1 {
		runtime.GC() // the arrays of the solver use its memory
	} else {
		cpu.ReleaseMemory() // for other ranks on this machine
	}
	_, err = m.Prepare(ctx, part, solvers.Clock{})
	if err := solvers.Agree(ctx, env.Comm, err); err != nil {
		return nil, err
	}
	return m.Build(ctx, part, plan, solvers.Clock{}, nil)
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
