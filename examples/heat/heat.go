// Package heat is a complete solver, of ∂T/∂t = κ ΔT on a grid with an insulated boundary: see docs/new-solver.md.
package heat

import (
	"context"
	_ "embed"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/examples/heat/kernels"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

var fields = []solvers.Field{
	{Name: "T", Unit: "K", Doc: "temperature", Hashed: true, Saved: true,
		Total: &solvers.Quantity{Name: "heat", Unit: "K·m³", Doc: "∫T dV; in the plane K·m²"}},
	{Name: "peak", Unit: "K", Doc: "highest temperature so far", Hashed: true, Saved: true},
}

var quantities = []solvers.Quantity{
	{Name: "hottest", Unit: "K", Doc: "highest temperature so far in any cell", Outputs: solvers.Column | solvers.Metric},
	{Name: "cooling", Doc: "number of cells that were warmer before", Outputs: solvers.Column | solvers.Metric},
}

//go:embed decay.toml
var decay string

func init() {
	solvers.Register(solvers.Kind{
		Name: "heat", Title: "Conduction of heat", Decode: decode, New: newHeat, Fields: fields, Quantities: quantities,
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
	outputs := config.Outputs{Fields: solvers.FieldNames(fields), Default: []string{"T"}, Formats: []string{"vti"}}
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

// state are a rank's arrays: the temperature before and after a step, which alternate, its peak, and what is measured.
type state struct {
	t     [2]*engine.Array[float64]
	peak  *engine.Array[float64]
	found *engine.Result[kernels.Found]
}

// arrays declares the arrays for a number of cells, ghosts included. The host has the temperature at the start.
func arrays(t *engine.Table, held int, start func() []float64) state {
	return state{t: [2]*engine.Array[float64]{engine.Input(t, "temperature", held, start),
		engine.Add[float64](t, "temperature", held)},
		peak:  engine.Input(t, "peak", held, func() []float64 { return slices.Clone(start()) }),
		found: engine.NewResult[kernels.Found](t, "found", false)}
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
	e, a := engine.New(env, table), arrays(table, b.Len(), func() []float64 { return start })
	clock := engine.NewGiven(table, cycle, engine.EqualSteps(0.4/sum), // explicit Euler is stable up to 0.5
		func(s engine.Step) float64 { return s.After.Dt })
	ghosts, shown, space := e.BoxGhosts(b.Plan, 1), slices.Clone(fields), b.Space()
	shown[0].Space, shown[1].Space = space, space
	shown[0] = engine.ShownOnBlock(e, shown[0], b.Block, a.t[:]...)
	shown[1] = engine.ShownOnBlock(e, shown[1], b.Block, a.peak)
	box := b.Box()
	return e, e.Define(ctx, engine.Definition{
		Size: b.Size(c, 0, "float64", ""), Clock: clock, Cycle: cycle, Window: cycle, Record: cycle, Fields: shown,
		Step: func(p *engine.Program, k int) {
			now, next := a.t[k%2], a.t[1-k%2]
			p.Exchange(ghosts, now)
			p.Run(engine.Over(kernels.NewConductLoop(box, l, clock.For(k), now.Data, next.Data, a.peak.Data), box))
		},
		Measured: func(m *engine.Measures) {
			m.Program = func(p *engine.Program, k int, _ bool) {
				p.Run(engine.Whole(kernels.NewMeasureLoop(exact.Box(box), l, a.t[k%2].Data, a.peak.Data, a.found.At()),
					kernels.ReduceChunks(box.Size())))
			}
			found := engine.Measured(m, a.found)
			m.Quantities = func(_ context.Context, o *engine.Observation) ([]solvers.Quantity, error) {
				all := found.All(o) // of all ranks
				return solvers.Measured(quantities, all.Hottest.Value(), float64(all.Cooling)), nil
			}
		},
	})
}
