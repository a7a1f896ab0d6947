// Package basin has the code that the checks of shallow water share: test problems in basins (Flow) and their runs
// (Basin) on one rank and on twins (the same runs on several ranks or GPUs, whose states must have the same bits), mass
// budgets, and gauges.
package basin

import (
	"context"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/weather"
)

// Schemes are the names of all schemes of two layers.
var Schemes = []string{"roe", "ir-roe", "pvm-ifcp"}

// Gravity is the gravitational acceleration of all checks, m/s².
const Gravity = 9.81

// State is the state of a cell: depth of the bed and thicknesses in m, velocities in m/s.
type State struct{ Depth, H1, U1, V1, H2, U2, V2 float64 }

// Flow is a test problem of two layers in a basin with walls.
type Flow struct {
	Mesh      *mesh.Mesh
	Config    shallow.Config
	Precision string // float64 if empty
	Initial   func(x, y float64) State
	Manning   float64 // s/m^(1/3); 0 for no friction
	Coriolis  float64 // parameter, 1/s; 0 for no rotation

	CoriolisAt func(x, y float64) float64 // instead of Coriolis; nil for none

	OverTime func(part *mesh.Part) (weather.Fields, error) // nil for none

	Ranks []int // numbers of ranks on which it is computed again, unless the check is quick, besides the options' twins

	Coefficients map[string]float64 // others, which are the same in all cells

	Uplift   func(x, y float64) float64 // rise of the bed, m; nil for none
	Pressure func(x, y float64) float64 // of the air, divided by the density of the water, m²/s²; nil for none
}

// Basin is a running flow.
type Basin struct {
	*shallow.Solver
	page      *verify.Page
	Part      *mesh.Part
	localCell []int32 // number in the part of each cell of the mesh
	device    *cpu.Device
	more      []*cpu.Device // of twins that the check demands
	comm      dist.Comm
	twins     []*twin

	precision        string
	budget           *budget // of the check; nil for none
	startDiagnostics shallow.Diagnostics
	modified         bool
}

// Start sets up a flow on one rank, from values at the centroids, and its twins.
func Start(ctx context.Context, p *verify.Page, f Flow) (*Basin, error) {
	f.Config.Boundary = make([]bool, len(f.Mesh.Groups))
	if f.Precision == "" {
		f.Precision = "float64"
	}
	b := &Basin{page: p, precision: f.Precision, comm: local.New(1)[0], device: cpu.New(p.Options.Threads)}
	err := f.eachPart(1, func(_ int, part *mesh.Part, plan *halo.Plan) (err error) {
		b.Part = part
		cfg, err := f.configOf(part)
		if err != nil {
			return err
		}
		b.Solver, err = shallow.New(ctx, solvers.Env{Comm: b.comm, Device: b.device}, f.Precision, cfg,
			shallow.Setting{Part: part, Plan: plan, Initial: f.InitialState(part)})
		return err
	})
	twins := p.Options.Twins
	if !p.Options.Quick {
		twins = slices.Concat(twins, b.ownTwins(f.Ranks))
	}
	for _, t := range twins {
		if err == nil {
			var w *twin
			if w, err = twinOf(ctx, t, f); err == nil {
				b.twins = append(b.twins, w)
			}
		}
	}
	if err == nil {
		err = b.openBudget(ctx)
	}
	if err != nil {
		b.free()
		return nil, err
	}
	b.localCell = make([]int32, len(b.Part.Global))
	for i, g := range b.Part.Global {
		b.localCell[g] = int32(i)
	}
	return b, nil
}

// configOf returns the parameters of a part.
func (f *Flow) configOf(part *mesh.Part) (cfg shallow.Config, err error) {
	cfg = f.Config
	if f.OverTime != nil {
		cfg.Forcing.OverTime, err = f.OverTime(part)
	}
	return cfg, err
}

// eachPart partitions the mesh of a flow and calls each with the part of every rank.
func (f *Flow) eachPart(ranks int, each func(rank int, part *mesh.Part, plan *halo.Plan) error) error {
	d, err := decompose.New(f.Mesh, decompose.Options{Ranks: ranks, Order: partition.RCM, Method: partition.HilbertCut})
	if err != nil {
		return err
	}
	return d.Each(each)
}

// InitialState returns the initial state of the cells of a part.
func (f *Flow) InitialState(part *mesh.Part) shallow.Initial {
	n := len(part.Cells)
	fields := make([][]float64, 7)
	for k := range fields {
		fields[k] = make([]float64, n)
	}
	for i := range n {
		s := f.Initial(part.Centroid(i))
		for k, v := range []float64{s.Depth, s.H1, s.U1, s.V1, s.H2, s.U2, s.V2} {
			fields[k][i] = v
		}
	}
	in := shallow.Initial{
		Depth: fields[0], H1: fields[1], U1: fields[2], V1: fields[3], H2: fields[4], U2: fields[5], V2: fields[6],
	}
	v := coefficients.Values{coefficients.Uplift: valuesIn(part, f.Uplift),
		coefficients.Pressure: valuesIn(part, f.Pressure)}
	v[coefficients.Coriolis] = valuesIn(part, f.CoriolisAt)
	in.Coefficients = v
	if f.Manning > 0 {
		v[coefficients.Manning] = slices.Repeat([]float64{f.Manning}, n)
	}
	if f.Coriolis != 0 {
		v[coefficients.Coriolis] = slices.Repeat([]float64{f.Coriolis}, n)
	}
	for name, value := range f.Coefficients {
		v[name] = slices.Repeat([]float64{value}, n)
	}
	return in
}

// valuesIn returns the values of a field at the centroids of a part's cells, nil for no field.
func valuesIn(part *mesh.Part, field func(x, y float64) float64) (values []float64) {
	if field == nil {
		return nil
	}
	for i := range part.Cells {
		values = append(values, field(part.Centroid(i)))
	}
	return values
}

// Step takes a step of the flow and of its twins.
func (b *Basin) Step(ctx context.Context, until float64) (float64, error) {
	for _, t := range b.twins {
		if err := t.step(ctx, until); err != nil {
			return 0, err
		}
	}
	return b.Solver.Step(ctx, until)
}

// ModifyState changes the state of the flow and of its twins.
func (b *Basin) ModifyState(ctx context.Context, change func(cell int, w *[6]float64)) error {
	b.modified = true
	for _, t := range b.twins {
		if err := t.modifyState(ctx, b.localCell, change); err != nil {
			return err
		}
	}
	return b.Solver.ModifyState(ctx, change)
}

// Close ends a flow and checks that its twins have the same state, and that its budget closes.
func (b *Basin) Close(ctx context.Context) {
	b.closeBudget(ctx)
	for _, t := range b.twins {
		t.compare(ctx, b)
	}
	b.free()
}

func (b *Basin) free() {
	for _, t := range b.twins {
		t.free()
	}
	if b.Solver != nil {
		b.Solver.Close()
	}
	for _, d := range append(b.more, b.device) {
		d.Close()
	}
	b.comm.Close()
}

// Until steps to time t; each, if not nil, is called after every step with its length.
func (b *Basin) Until(ctx context.Context, t float64, each func(dt float64) error) error {
	for b.Time() < t {
		if err := ctx.Err(); err != nil {
			return err
		}
		dt, err := b.Step(ctx, t)
		if err != nil {
			return err
		}
		if each != nil {
			if err := each(dt); err != nil {
				return err
			}
		}
	}
	return nil
}

// Evolve starts a flow, steps to time t in s and calls measure with the basin.
func Evolve(ctx context.Context, p *verify.Page, f Flow, t float64, measure func(b *Basin) error) error {
	b, err := Start(ctx, p, f)
	if err != nil {
		return err
	}
	defer b.Close(ctx)
	if err := b.Until(ctx, t, nil); err != nil {
		return err
	}
	return measure(b)
}

// Mean returns the average over the area of f, which is called with each cell and its centroid.
func (b *Basin) Mean(f func(cell int, x, y float64) float64) float64 {
	var sum, area float64
	for i := range b.Part.Owned {
		x, y := b.Part.Centroid(i)
		a := b.Part.Area(i)
		sum, area = sum+a*f(i, x, y), area+a
	}
	return sum / area
}

// MeanBetween returns the average of a field over the cells with from < x < to.
func (b *Basin) MeanBetween(field string, from, to float64) float64 {
	var sum, area float64
	for i := range b.Part.Owned {
		if x, _ := b.Part.Centroid(i); x > from && x < to {
			a := b.Part.Area(i)
			sum, area = sum+a*b.Value(field, i), area+a
		}
	}
	return sum / area
}

// MeanError returns the average over the area of |field - exact|.
func (b *Basin) MeanError(field string, exact func(x, y float64) float64) float64 {
	return b.Mean(func(i int, x, y float64) float64 { return math.Abs(b.Value(field, i) - exact(x, y)) })
}

// Strip returns a mesh of a channel along x from x0 to x1, nx squares long and `rows` squares wide, each divided into
// two triangles, for one-dimensional problems.
func Strip(x0, x1 float64, nx, rows int) (*mesh.Mesh, error) {
	width := (x1 - x0) / float64(nx) * float64(rows)
	return mesh.Rectangle(x0, 0, x1, width, 2*nx*rows, MeshSeed)
}

// Square returns a mesh of [-half, half]² with 2n² cells.
func Square(half float64, n int, seed uint64) (*mesh.Mesh, error) {
	return mesh.Rectangle(-half, -half, half, half, 2*n*n, seed)
}

// MeshSeed is the default seed of meshes in checks.
const MeshSeed = 7

// InflowFrom returns the volume of the lower layer that a source has added, m³.
func InflowFrom(d shallow.Diagnostics, name string) float64 {
	for _, s := range d.Sources {
		if s.Name == name {
			return s.Volume2
		}
	}
	return 0
}
