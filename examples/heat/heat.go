// Package heat is a complete solver, of ∂T/∂t = κ ΔT on a grid with an insulated boundary: see docs/new-solver.md.
package heat

import (
	"cmp"
	"context"
	_ "embed"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/examples/heat/kernels"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
)

var temperature = solvers.Field{Name: "T", Unit: "K", Doc: "temperature", Hashed: true, Saved: true,
	Total: &solvers.Quantity{Name: "heat", Unit: "K·m³", Doc: "∫T dV; in the plane K·m²"}}

//go:embed decay.toml
var decay string

func init() {
	solvers.Register(solvers.Kind{
		Name: "heat", Title: "Conduction of heat", Decode: decode, New: newHeat, Fields: []solvers.Field{temperature},
		Needs: func(_ *config.Case, held solvers.Counts) int64 { return 8 * (2*int64(held.Held) + 1) },
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

// heat is the part of a running case that a rank computes.
type heat struct {
	solvers.Plain
	t       [2][]float64 // before and after a step, exchanged after each
	dt      []float64    // one element: length of the step in s
	next    [1]float64   // the same in the host's memory
	ghosts  halo.GhostExchanger[float64]
	loops   [2]backend.Loop // loops[n] computes t[1-n], the state after a step, from t[n]
	maxStep float64         // largest step in s
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
	h := &heat{Plain: solvers.Plain{Arrays: backend.Arrays{Device: env.Device}}}
	h.t[0] = backend.Uploaded(&h.Arrays, start, "temperature")
	h.t[1] = backend.Fresh[float64](&h.Arrays, len(start), "temperature")
	h.dt = backend.Fresh[float64](&h.Arrays, 1, "step")
	h.ghosts, err = halo.ConnectBox[float64](ctx, b.Plan, env.Comm, env.Device, 1, env.Halo)
	if err := cmp.Or(h.Err(), err); err != nil {
		h.Close()
		return nil, err
	}
	h.Owns(h.ghosts)
	l := &kernels.Lattice{Cells: b.Grid.N, Periodic: b.Grid.Periodic, First: b.Index(-b.Lo[0], -b.Lo[1], -b.Lo[2])}
	l.Stride[0], l.Stride[1], l.Stride[2] = b.Strides()
	sum := 0.0
	for d := range b.Grid.Dim {
		l.Rate[d] = s.conductivity / (b.Grid.Spacing(d) * b.Grid.Spacing(d))
		sum += l.Rate[d]
	}
	h.maxStep = 0.4 / sum // explicit Euler is stable up to 0.5
	for n := range h.loops {
		h.loops[n] = kernels.NewConductLoop(b.Box(), l, h.dt, h.t[n], h.t[1-n])
	}
	field := temperature
	field.Space = b.Space()
	field.View = func() solvers.View { return solvers.BlockView(env.Device, h.t[h.Now.Steps%2], b.Block) }
	h.Declared, h.CaseSize = []solvers.Field{field}, b.Size(c, h.Bytes(), "float64", h.ghosts.Kind())
	return h, nil
}

func (h *heat) Advance(ctx context.Context, until, pause float64, steps int) (done bool, err error) {
	for ; steps > 0 && h.Now.Time < min(until, pause); steps-- {
		current, after := h.Now.Steps%2, h.Now.Toward(until, h.maxStep)
		h.next[0] = after.Dt
		if err := cmp.Or(backend.Upload(h.Device, h.dt, h.next[:]), halo.Exchange(ctx, h.ghosts, h.t[current])); err != nil {
			return false, err
		}
		h.Device.Run(h.loops[current], 0, h.Declared[0].Space.Owned)
		h.Now = after
	}
	return false, nil
}
