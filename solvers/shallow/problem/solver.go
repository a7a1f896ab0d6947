package problem

import (
	"context"
	"fmt"
	"runtime"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// caseSolver is the solver of a case on a rank.
type caseSolver struct {
	shallow.Solver
	c      *config.Case
	comm   dist.Comm
	size   solvers.Size
	cells  *solvers.Space
	ledger *ledger
}

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (_ solvers.Solver, err error) {
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
	cfg.Halo = env.Halo
	if err := solvers.Agree(ctx, env.Comm, err); err != nil {
		return nil, err
	}
	if err := markers.Refuse(ctx, env.Comm); err != nil {
		return nil, err
	}
	share := solvers.Counts{Dim: 2, Owned: part.Owned, Held: len(part.Cells)}
	if err := env.CheckMemory(ctx, c, share); err != nil {
		return nil, err
	}
	// The input is valid. If the solver fails on this rank alone, the others are in collective calls by then, so errors
	// are not agreed on here.
	solver, err := shallow.New(ctx, w.Physics.Precision, cfg, part, plan, initial, env.Comm, env.Device)
	if err != nil {
		return nil, err
	}
	d := &caseSolver{Solver: solver, c: c, comm: env.Comm, cells: domain.Cells(part)}
	defer func() {
		if err != nil {
			d.Close()
		}
	}()
	cells := []int64{int64(part.Owned)}
	if err := env.Comm.AllreduceInt64(ctx, dist.Sum, cells); err != nil {
		return nil, err
	}
	d.size = solvers.Size{
		Unit: "cell", Dim: 2, Entities: cells[0], Bytes: solver.Bytes(), Precision: w.Physics.Precision, Halo: solver.Halo(),
		End: c.Time.End, MaxSteps: c.Time.MaxSteps,
	}
	if w.Physics.DryDepth == 0 {
		d.size.Note = fmt.Sprintf("dry_depth is not given; chosen for the thickness of the water: %.3g m", solver.DryDepth())
	}
	start, err := solver.Diagnose(ctx)
	if err != nil {
		return nil, err
	}
	d.size.Warnings = append(append(warnings, part.Notes...), absentLayers(&start, w.Physics.Layers)...)
	d.ledger = newLedger(start, w.Physics.Layers)
	return d, nil
}

func (d *caseSolver) layers() int { return d.c.Sections.(*Sections).Physics.Layers }

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

func (d *caseSolver) Size() solvers.Size { return d.size }

func (d *caseSolver) Advance(ctx context.Context, until, pause float64, steps int) (done bool, err error) {
	d.Pause(pause)
	return false, d.Solver.Advance(ctx, until, steps)
}

func (d *caseSolver) Clock() solvers.Clock {
	return solvers.Clock{Time: d.Time(), Steps: d.Steps(), Dt: d.Dt()}
}

func (d *caseSolver) Shapes() []solvers.Shape { return nil }
