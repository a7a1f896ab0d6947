package run_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
)

// heat is a solver of the least kind: explicit steps of dT/dt = ΔT on a grid of the plane, in cells of side 1.
type heat struct {
	solvers.Plain
	env       solvers.Env
	c         *config.Case
	b         *domain.Block
	cells     *solvers.Space
	ghosts    halo.Ghosts[float64]
	now, next []float64
	clock     solvers.Clock
	start     float64
}

type heatSections struct {
	grid config.Grid
	hot  config.Field
}

func (s *heatSections) Print(p *config.Printer) {
	s.grid.Print(p)
	p.Section("[initial]")
	p.Pair("T", s.hot)
}

var heatFields = []solvers.Field{{Name: "T", Unit: "K", Doc: "temperature"}}

func init() {
	solvers.Register(solvers.Kind{Name: "heat", Title: "Conduction of heat", Fields: heatFields,
		Decode: func(root *config.Section, c *config.Case) {
			s := &heatSections{grid: config.DecodeGrid(root.Sub("grid"))}
			initial := root.Sub("initial")
			s.hot = initial.Expression("T", config.Required)
			initial.Finish()
			c.Sections, c.Time = s, config.DecodeTime(root.Sub("time"))
			c.Output = config.DecodeOutput(root.Sub("output"), c.Name, config.Written{Fields: solvers.FieldNames(heatFields),
				Usual: []string{"T"}, Formats: []string{"vti"}, End: c.Time.End})
			c.Gauges = config.DecodeGauges(root, 2)
		},
		New: func(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
			s := c.Sections.(*heatSections)
			h := &heat{env: env, c: c}
			var err error
			if h.b, err = domain.Cut(&s.grid, 1, env.Comm.Rank(), env.Comm.Size()); err == nil {
				h.cells, h.now, h.next = h.b.Space(), make([]float64, h.b.Len()), make([]float64, h.b.Len())
				for i := range h.b.Cells() {
					x, y, _ := h.b.Centre(i%h.b.N[0], i/h.b.N[0], 0)
					if h.now[h.at(i)], err = s.hot.Program.Eval(x, y, 0, 0); err != nil {
						break
					}
				}
			}
			if err := solvers.Agree(ctx, env.Comm, err); err != nil {
				return nil, err
			}
			h.ghosts = halo.NewBoxDirect[float64](h.b.Plan, env.Comm, 1)
			h.start, err = h.heat(ctx)
			return h, err
		}})
}

func (h *heat) at(i int) int { return h.b.Index(i%h.b.N[0], i/h.b.N[0], 0) }

func (h *heat) heat(ctx context.Context) (float64, error) {
	var sum dist.Accumulator
	for i := range h.b.Cells() {
		sum.Add(h.now[h.at(i)])
	}
	err := dist.AllreduceSum(ctx, h.env.Comm, &sum)
	return sum.Float64(), err
}

func (h *heat) Size() solvers.Size {
	cells := int64(h.b.Grid.Cells())
	return solvers.Size{Unit: "cell", Entities: cells, Bytes: 16 * cells, Precision: "float64", Halo: "direct",
		End: h.c.Time.End, MaxSteps: h.c.Time.MaxSteps}
}

func (h *heat) Advance(ctx context.Context, until, _ float64, _ int) (bool, error) {
	if err := h.ghosts.Start(ctx, h.now); err != nil {
		return false, err
	}
	if err := h.ghosts.Finish(ctx); err != nil {
		return false, err
	}
	dt := min(0.1, until-h.clock.Time)
	_, sy, _ := h.b.Strides()
	for i := range h.b.Cells() {
		c, sum := h.at(i), 0.0
		for axis, n := range []int{c - 1, c + 1, c - sy, c + sy} {
			by := [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}[axis]
			if _, _, _, inside := h.b.Global(i%h.b.N[0]+by[0], i/h.b.N[0]+by[1], 0); inside {
				sum += h.now[n] - h.now[c]
			}
		}
		h.next[c] = h.now[c] + dt*sum
	}
	h.now, h.next = h.next, h.now
	h.clock = solvers.Clock{Time: h.clock.Time + dt, Steps: h.clock.Steps + 1, Dt: dt}
	return false, nil
}

func (h *heat) Clock() solvers.Clock { return h.clock }

func (h *heat) Fields() []solvers.Field {
	f := heatFields[0]
	f.On, f.Hashed, f.Saved = h.cells, true, true
	f.View = func() solvers.View { return solvers.BlockView(h.env.Device, h.now, h.b.Block) }
	return []solvers.Field{f}
}

func (h *heat) Measure(ctx context.Context) ([]solvers.Quantity, error) {
	now, err := h.heat(ctx)
	return []solvers.Quantity{{Name: "heat", Unit: "K", In: solvers.Column | solvers.Metric, Value: now},
		{Name: "heat_drift", In: solvers.Drift, Value: (now - h.start) / h.start}}, err
}

func (h *heat) State(context.Context) ([]solvers.State, error) {
	return solvers.HashedState(h.Fields())
}
func (h *heat) Close() { _ = h.ghosts.Close() }

const warm = `
solver = "heat"
grid = { bounds = [0, 0, 12, 9], cells = [12, 9] }
initial = { T = "x > 6 ? 300 : 280 + y" }
time = { end = 2 }
output = { every = 1, conservation_every = 5 }
gauge = [{ name = "middle", at = [6, 4.5] }]
`

// TestSolverFromItsDeclaration: what a solver declares makes its frames, gauges, tables, hash and drift, the same on
// any ranks.
func TestSolverFromItsDeclaration(t *testing.T) {
	var first [3]string
	for _, ranks := range []int{1, 2, 3, 6} {
		dir := t.TempDir()
		s, err := runtest.On(t, warm, ranks, 1, runtest.Local, dir)
		if err != nil {
			t.Fatal(err)
		}
		if s.Steps < 20 || s.Cells != 108 || s.Conservation["heat"] > 1e-14 || s.Conservation["heat"] < -1e-14 {
			t.Errorf("%d ranks: summary %+v", ranks, s)
		}
		got := [3]string{s.StateSHA256}
		for k, file := range []string{"gauges/middle.csv", "conservation.csv"} {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			got[1+k] = string(text)
		}
		if ranks == 1 {
			first = got
		}
		if got != first {
			t.Errorf("%d ranks: %q, on one %q", ranks, got, first)
		}
		frames, err := vtk.ReadPVD(filepath.Join(dir, "case.pvd"))
		if err != nil || len(frames) != 3 {
			t.Fatal(frames, err)
		}
		image, err := vtk.ReadImage(filepath.Join(dir, frames[2].File))
		if err != nil {
			t.Fatal(err)
		}
		if a, ok := image.CellData.Find("T"); !ok || a.Tuples() != 108 || a.Float64s()[0] < 280 || a.Float64s()[11] > 300 {
			t.Errorf("%d ranks: T %v", ranks, a)
		}
	}
}
