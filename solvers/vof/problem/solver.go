package problem

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/balance"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
	w := c.Sections.(*Sections)
	cfg := methodOf(c)
	block, err := domain.NewBlock(ctx, &env, c, &w.Grid, cfg.Ghosts(w.Grid.Dim), func(b *domain.Block) error {
		if err := cmp.Or(cfg.Check(b.Block), cfg.CheckPlan(b.Plan)); err != nil {
			return fmt.Errorf("[method] %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	p := &builder{env: env, c: c, cfg: cfg}
	if _, separate := env.Device.(backend.Memory); !moves(w, env.Comm.Size(), separate) {
		return p.build(ctx, block, nil)
	}
	s, err := balance.New(ctx, env, block, balance.Problem{Every: w.Method.Rebalance, Price: stepsOfMove, AtStart: true,
		Build: p.build, Fits: p.fits})
	if err != nil {
		return nil, err // and no solver that is a nil pointer
	}
	return s, nil
}

// moves reports whether blocks move: those of several ranks on processors whose sweeps go by cells, unless the case
// says how the grid is divided.
func moves(w *Sections, ranks int, separate bool) bool {
	m := &w.Method
	return m.Rebalance > 0 && ranks > 1 && !separate && m.Sweep != "tiles" && m.Exchange != "steps" &&
		w.Grid.Blocks == [3]int{}
}

// stepsOfMove is how many steps take as long as a move, which evaluates the velocity.
const stepsOfMove = 30

// builder makes the solver of a case on blocks.
type builder struct {
	env solvers.Env
	c   *config.Case
	cfg vof.Config
}

// build makes the solver on a block, from the case if carried is nil.
func (p *builder) build(ctx context.Context, block *domain.Block, carried *balance.Carried) (balance.Inner, error) {
	w, c := p.c.Sections.(*Sections), p.c
	at := vof.Setting{Block: block, Size: block.Size(c, 0, w.Method.Precision, ""), FlowError: new(error),
		Carried: carried}
	var err error
	if at.Flow, err = flow.FromCase(ctx, c, &w.Velocity, block.Block, p.env.Comm, at.FlowError); err != nil {
		return nil, err
	}
	if carried != nil {
		cpu.ReleaseMemory() // of what blocks have saved and sent
	} else if err := p.start(ctx, &at); err != nil {
		return nil, err
	}
	if at.Final, err = finalBody(c); err != nil {
		return nil, err
	}
	e, err := vof.New(ctx, p.env, w.Method.Precision, p.cfg, at)
	if err != nil {
		return nil, err // and no solver that is a nil pointer
	}
	return e, nil
}

// start sets the initial and the exact volume fractions.
func (p *builder) start(ctx context.Context, at *vof.Setting) (err error) {
	w, b := p.c.Sections.(*Sections), at.Block.Block
	at.Start, at.Size.Warnings, err = fractions(ctx, p.env.Comm, "[initial]", &w.Initial, p.c.Path, b)
	if err != nil || w.Exact == nil {
		return err
	}
	var more []string
	at.Exact, more, err = fractions(ctx, p.env.Comm, "[exact]", w.Exact, p.c.Path, b)
	at.Size.Warnings = append(at.Size.Warnings, more...)
	return err
}

// fits returns an error if the method does not work on a block.
func (p *builder) fits(block *domain.Block, _, _ int64) error {
	return cmp.Or(p.cfg.Check(block.Block), p.cfg.CheckPlan(block.Plan))
}

// finalBody returns the exact body at the end: that of the case, or the initial one. Bodies from STL files have none,
// since their normals are discontinuous.
func finalBody(c *config.Case) (*shape.Body, error) {
	w := c.Sections.(*Sections)
	text := w.Initial.Shape
	if w.Exact != nil {
		text = w.Exact.Shape
	}
	if strings.Contains(text, "stl(") {
		return nil, nil
	}
	body, _, err := shape.Parse(text, w.Grid.Dim, c.Path)
	return &body, err
}

// methodOf returns the configuration of the solver, including what the outputs need.
func methodOf(c *config.Case) vof.Config {
	cfg := c.Sections.(*Sections).Method.Config()
	cfg.Curvature = slices.Contains(c.Output.Fields, "curvature") || slices.Contains(c.Output.Fields, "curvature_error")
	return cfg
}

// fractions computes the volume fractions of a block for a section of the case, with warnings, the same on all ranks.
func fractions(ctx context.Context, comm dist.Comm, section string, v *Initial, path func(string) string,
	b *grid.Block) (f []float64, warnings []string, err error) {
	body, failed, err := shape.Parse(v.Shape, b.Grid.Dim, path)
	if err == nil {
		levels := v.Levels
		if v.Fractions == "quadrature" {
			levels = -1
		}
		f, err = shape.Fill(ctx, b, body, levels, v.Leaf == "plane")
		err = cmp.Or(failed(), err)
	}
	if err != nil {
		err = fmt.Errorf("%s shape: %w", section, err)
	}
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return nil, nil, err
	}
	warnings, err = domain.CheckBody(ctx, comm, section+" shape", &body, f)
	return f, warnings, err
}
