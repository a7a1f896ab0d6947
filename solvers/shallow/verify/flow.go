package verify

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
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

var schemes = []string{"roe", "ir-roe", "pvm-ifcp"}

const gravity = 9.81

// state is what a cell holds: depth of the bed and thicknesses in m, velocities in m/s.
type state struct{ depth, h1, u1, v1, h2, u2, v2 float64 }

// flow is a problem of two layers in a basin with walls.
type flow struct {
	mesh      *mesh.Mesh
	config    shallow.Config
	precision string // float64 if empty
	initial   func(x, y float64) state
	manning   float64 // s/m^(1/3); 0 for no friction
	coriolis  float64 // parameter, 1/s; 0 for no rotation

	uplift   func(x, y float64) float64 // by which the bed rises, m; nil for nothing
	pressure func(x, y float64) float64 // of the air over the density of the water, m²/s²; nil for nothing
}

// settings are the constants of most checks.
func settings(scheme string, ratio float64) shallow.Config {
	return shallow.Config{
		Scheme: scheme, Gravity: gravity, DensityRatio: ratio, CFL: 0.9, EntropyFix: 0.05, DryDepth: 1e-6,
	}
}

// basin is a flow under way.
type basin struct {
	shallow.Solver
	page   *verify.Page
	part   *mesh.Part
	local  []int32 // of each cell of the mesh, its number in the part
	device *cpu.Device
	comm   dist.Comm
	twins  []*twin

	precision string
	budget    *budget // of the check, nil for none
	first     shallow.Diagnostics
	nudged    bool
}

// start sets up a flow on one rank, from values at the centroids, and its twins.
func start(ctx context.Context, p *verify.Page, f flow) (*basin, error) {
	f.config.Boundary = make([]bool, len(f.mesh.Groups))
	if f.precision == "" {
		f.precision = "float64"
	}
	b := &basin{page: p, precision: f.precision, comm: local.New(1)[0], device: cpu.New(p.Options.Threads)}
	err := f.parts(1, func(_ int, part *mesh.Part, plan *halo.Plan) (err error) {
		b.part = part
		b.Solver, err = shallow.New(ctx, f.precision, f.config, part, plan, f.at(part), b.comm, b.device)
		return err
	})
	for _, t := range p.Options.Twins {
		if err == nil {
			var w *twin
			if w, err = twinOf(ctx, t, f); err == nil {
				b.twins = append(b.twins, w)
			}
		}
	}
	if err == nil {
		err = b.open(ctx)
	}
	if err != nil {
		b.free()
		return nil, err
	}
	b.local = make([]int32, len(b.part.Global))
	for i, g := range b.part.Global {
		b.local[g] = int32(i)
	}
	return b, nil
}

// parts cuts the mesh of a flow.
func (f *flow) parts(ranks int, each func(rank int, part *mesh.Part, plan *halo.Plan) error) error {
	d, err := decompose.New(f.mesh, decompose.Options{Ranks: ranks, Order: partition.RCM, Cut: partition.HilbertCut})
	if err != nil {
		return err
	}
	return d.Each(each)
}

// at is the initial state of the cells of a part.
func (f *flow) at(part *mesh.Part) shallow.Initial {
	n := len(part.Cells)
	fields := make([][]float64, 7)
	for k := range fields {
		fields[k] = make([]float64, n)
	}
	for i := range n {
		s := f.initial(part.Centroid(i))
		for k, v := range []float64{s.depth, s.h1, s.u1, s.v1, s.h2, s.u2, s.v2} {
			fields[k][i] = v
		}
	}
	in := shallow.Initial{
		Depth: fields[0], H1: fields[1], U1: fields[2], V1: fields[3], H2: fields[4], U2: fields[5], V2: fields[6],
	}
	if f.manning > 0 {
		in.Manning = slices.Repeat([]float64{f.manning}, n)
	}
	if f.coriolis != 0 {
		in.Coriolis = slices.Repeat([]float64{f.coriolis}, n)
	}
	in.Uplift, in.Pressure = everywhereOf(part, f.uplift), everywhereOf(part, f.pressure)
	return in
}

// everywhereOf are the values of a field at the cells of a part, nil for none.
func everywhereOf(part *mesh.Part, field func(x, y float64) float64) (values []float64) {
	if field == nil {
		return nil
	}
	for i := range part.Cells {
		values = append(values, field(part.Centroid(i)))
	}
	return values
}

// Step takes a step of the flow and of its twins.
func (b *basin) Step(ctx context.Context, until float64) (float64, error) {
	for _, t := range b.twins {
		if err := t.step(ctx, until); err != nil {
			return 0, err
		}
	}
	return b.Solver.Step(ctx, until)
}

// Nudge changes the state of the flow and of its twins.
func (b *basin) Nudge(ctx context.Context, change func(cell int, w *[6]float64)) error {
	b.nudged = true
	for _, t := range b.twins {
		if err := t.nudge(ctx, b.local, change); err != nil {
			return err
		}
	}
	return b.Solver.Nudge(ctx, change)
}

// close ends a flow. Its twins must have arrived at the same state, and its budget must close.
func (b *basin) close(ctx context.Context) {
	b.settle(ctx)
	for _, t := range b.twins {
		t.compare(ctx, b)
	}
	b.free()
}

func (b *basin) free() {
	for _, t := range b.twins {
		t.free()
	}
	if b.Solver != nil {
		b.Solver.Close()
	}
	b.device.Close()
	b.comm.Close()
}

// until steps to time t; each, if not nil, is called after every step with its length.
func (b *basin) until(ctx context.Context, t float64, each func(dt float64) error) error {
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

// evolve starts a flow, steps to time t and hands the basin to look.
func evolve(ctx context.Context, p *verify.Page, f flow, t float64, look func(b *basin) error) error {
	b, err := start(ctx, p, f)
	if err != nil {
		return err
	}
	defer b.close(ctx)
	if err := b.until(ctx, t, nil); err != nil {
		return err
	}
	return look(b)
}

// mean is the average over the area of f, given each cell and its centroid.
func (b *basin) mean(f func(cell int, x, y float64) float64) float64 {
	var sum, area float64
	for i := range b.part.Owned {
		x, y := b.part.Centroid(i)
		a := b.part.Area(i)
		sum, area = sum+a*f(i, x, y), area+a
	}
	return sum / area
}

// meanError is the average over the area of |field - exact|.
func (b *basin) meanError(field string, exact func(x, y float64) float64) float64 {
	return b.mean(func(i int, x, y float64) float64 { return math.Abs(b.Value(field, i) - exact(x, y)) })
}

// strip is a channel along x, nx boxes long and rows wide, in triangles: cheap ground for problems of one dimension.
func strip(x0, x1 float64, nx, rows int) (*mesh.Mesh, error) {
	width := (x1 - x0) / float64(nx) * float64(rows)
	return mesh.Rectangle(x0, 0, x1, width, 2*nx*rows, meshSeed)
}

// square is [-half, half]² in 2n² cells.
func square(half float64, n int, seed uint64) (*mesh.Mesh, error) {
	return mesh.Rectangle(-half, -half, half, half, 2*n*n, seed)
}

// meshSeed is that of the meshes where a check does not say otherwise.
const meshSeed = 7
