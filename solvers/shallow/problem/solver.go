package problem

import (
	"context"
	"fmt"
	"runtime/debug"
	"unsafe"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// flow is a case under way.
type flow struct {
	shallow.Solver
	c      *config.Case
	comm   dist.Comm
	size   solvers.Size
	cells  *solvers.Space
	ledger *ledger
}

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (_ solvers.Solver, err error) {
	w := c.Sections.(*Sections)
	part, plan, err := domain.Distribute(ctx, c, w.Mesh, env.Comm)
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // the whole mesh, before the solver takes its share
	cfg, initial, err := setUp(ctx, c, part)
	cfg.Halo = env.Halo
	if err := solvers.Agree(ctx, env.Comm, err); err != nil {
		return nil, err
	}
	held := solvers.Counts{Dim: 2, Owned: part.Owned, Held: len(part.Cells)}
	if err := env.Room(ctx, c, held); err != nil {
		return nil, err
	}
	// The input is good. The solver may fail on this rank alone while others talk to it, so there is no agreeing here.
	solver, err := shallow.New(ctx, w.Physics.Precision, cfg, part, plan, initial, env.Comm, env.Device)
	if err != nil {
		return nil, err
	}
	d := &flow{Solver: solver, c: c, comm: env.Comm, cells: domain.Cells(part)}
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
		Unit: "cell", Entities: cells[0], Bytes: solver.Bytes(), Precision: w.Physics.Precision, Halo: solver.Halo(),
		End: c.Time.End, MaxSteps: c.Time.MaxSteps,
	}
	if w.Physics.DryDepth == 0 {
		d.size.Found = fmt.Sprintf("dry_depth = %.3g m fits the water", solver.DryDepth())
	}
	start, err := solver.Diagnose(ctx)
	if err != nil {
		return nil, err
	}
	d.ledger = newLedger(start, w.Physics.Layers)
	return d, nil
}

func (d *flow) layers() int { return d.c.Sections.(*Sections).Physics.Layers }

func (d *flow) Size() solvers.Size { return d.size }

func (d *flow) Advance(ctx context.Context, until, pause float64, steps int) (done bool, err error) {
	d.Pause(pause)
	return false, d.Solver.Advance(ctx, until, steps)
}

func (d *flow) Clock() solvers.Clock {
	return solvers.Clock{Time: d.Time(), Steps: d.Steps(), Dt: d.Dt()}
}

func (d *flow) Shapes() []solvers.Shape { return nil }

// memory is the least that the solver takes on a device of its own memory for a part: both states, the beds,
// friction, and the cells and edges in tiles, of which each edge is in one at least; at
// second order a third state, the slopes and what they are made from.
func memory(c *config.Case, held solvers.Counts) int64 {
	p := &c.Sections.(*Sections).Physics
	kept := int64(0)
	if c.Sections.(*Sections).Maxima.Keep {
		kept = int64(unsafe.Sizeof(kernels.Peak{})) * int64(held.Owned)
	}
	if p.Precision == "float32" {
		return kept + memoryOf[float32](held, p.Order, p.Manning.Expr != "0")
	}
	return kept + memoryOf[float64](held, p.Order, p.Manning.Expr != "0")
}

func memoryOf[F num.Float](held solvers.Counts, order int, friction bool) int64 {
	var number F
	all := 2*unsafe.Sizeof(kernels.State[F]{}) + unsafe.Sizeof(kernels.Bed[F]{})
	if friction {
		all += unsafe.Sizeof(number)
	}
	edge := unsafe.Sizeof(kernels.Ends{}) + unsafe.Sizeof(kernels.Normal[F]{})
	if order == 2 {
		all += unsafe.Sizeof(kernels.State[F]{}) + unsafe.Sizeof(kernels.Slopes[F]{})
		edge += unsafe.Sizeof(kernels.Arms[F]{})
	}
	owned := unsafe.Sizeof(kernels.TileCell{}) + 3*edge/2
	if order == 2 {
		owned += unsafe.Sizeof(kernels.Stencil[F]{})
	}
	return int64(all)*int64(held.Held) + int64(owned)*int64(held.Owned)
}
