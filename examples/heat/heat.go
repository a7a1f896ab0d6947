// Package heat is a complete solver, of ∂T/∂t = κ ΔT on a grid with an insulated boundary: see docs/new-solver.md.
package heat

import (
	"context"
	_ "embed"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/examples/heat/kernels"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

var temperature = solvers.Field{Name: "T", Unit: "K", Doc: "temperature", Hashed: true, Saved: true,
	Total: &solvers.Quantity{Name: "heat", Unit: "K·m³", Doc: "∫T dV; in the plane K·m²"}}

//go:embed decay.toml
var decay string

func init() {
	solvers.Register(solvers.Kind{
		Name: "heat", Title: "Conduction of heat", Decode: decode, New: newHeat, Fields: []solvers.Field{temperature},
		Needs: func(_ *config.Case, held solvers.Counts) int64 {
			t := engine.NewTable(nil)
			arrays(t, held.Held, nil)
			return t.Bytes()
		},
		Checks: []solvers.Check{{Name: "decay", About: "A wave between insulated walls", MinOrder: 1.9, MaxError: 2e-3,
			Refinements: []string{"grid.cells=[8, 8]", "grid.cells=[16, 16]", "grid.cells=[32, 32]", "grid.cells=[64, 64]"},
			Exact:       map[string]string{"T": "300 + 10*cos(pi*x)*cos(pi*y)*exp(-0.2*pi^2*t)"}, Case: decay, MaxDrift: 1e-13}},
	})
}

type sections struct {
	grid         config.Grid
	conductivity float64 // κ in m²/s
	start        config.Field
}

func decode(r *config.Section, c *config.Case) {
	s := &sections{grid: config.DecodeGrid(r.Sub("grid"))}
	physics, initial := r.Sub("physics"), r.Sub("initial")
	s.conductivity = physics.Number("conductivity", config.Positive)
	s.start = initial.Expression("T", config.Required)
	physics.Finish()
	initial.Finish()
	c.Sections = s
	outputs := config.Outputs{Fields: []string{"T"}, Default: []string{"T"}, Formats: []string{"vti"}}
	c.DecodeTransient(r, s.grid.Dim, outputs)
}

func (s *sections) Print(p *config.Printer) {
	s.grid.Print(p)
	p.Section("[physics]")
	p.Pair("conductivity", s.conductivity)
	p.Section("[initial]")
	p.Pair("T", s.start)
}

// cycle is the number of steps that may be queued at a time.
const cycle = 16

// arrays are a rank's arrays: the temperature before and after a step, which alternate.
func arrays(t *engine.Table, held int, start func() []float64) [2]*engine.Array[float64] {
	return [2]*engine.Array[float64]{engine.Input(t, "temperature", held, start),
		engine.Add[float64](t, "temperature", held)}
}

func newHeat(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
	s := c.Sections.(*sections)
	b, err := domain.NewBlock(ctx, &env, c, &s.grid, 1, nil)
	if err != nil {
		return nil, err
	}
	start, err := b.Evaluate(ctx, &s.start)
	if err := solvers.Agree(ctx, env.Comm, err); err != nil {
		return nil, err
	}
	l := &kernels.Lattice{Cells: b.Grid.N, Periodic: b.Grid.Periodic, First: b.Index(-b.Lo[0], -b.Lo[1], -b.Lo[2])}
	l.Stride[0], l.Stride[1], l.Stride[2] = b.Strides()
	sum := 0.0
	for d := range b.Grid.Dim {
		l.Rate[d] = s.conductivity / (b.Grid.Spacing(d) * b.Grid.Spacing(d))
		sum += l.Rate[d]
	}
	table := engine.NewTable(env.Device)
	e, t := engine.New(env, table), arrays(table, b.Len(), func() []float64 { return start })
	clock := engine.NewGiven(table, cycle, engine.EqualSteps(0.4/sum), // explicit Euler is stable up to 0.5
		func(s engine.Step) float64 { return s.After.Dt })
	ghosts, field := e.BoxGhosts(b.Plan, 1), temperature
	field.Space = b.Space()
	field = engine.ShownOnBlock(e, field, b.Block, t[:]...)
	return e, e.Define(ctx, engine.Definition{
		Size: b.Size(c, 0, "float64", ""), Clock: clock, Cycle: cycle, Window: cycle, Record: cycle,
		Fields: []solvers.Field{field},
		Step: func(p *engine.Program, k int) {
			now, next := t[k%2], t[1-k%2]
			p.Exchange(ghosts, now)
			p.Run(engine.Over(kernels.NewConductLoop(b.Box(), l, clock.For(k), now.Data, next.Data), b.Box()))
		},
	})
}
