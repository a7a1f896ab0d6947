package problem

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/remesh"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/carry"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/levels"
)

// Adapt is the section [adapt]: the mesh follows waves and shores during the run.
type Adapt struct {
	Given   bool // the case has the section
	Options remesh.Options
	Shore   float64       // size of cells where water ends, m; 0 for none
	Size    *config.Field // an upper bound of the sizes, m
}

func (a *Adapt) decode(s *config.Section, given bool, o *config.Output) {
	a.keys(s.Read)
	if a.Given = given; given {
		a.check(s, o)
	}
	s.Finish()
}

// check refuses combinations of keys.
func (a *Adapt) check(s *config.Section, o *config.Output) {
	if s.Has("steps") == s.Has("every") {
		s.Fail("", "needs steps, the number of steps between looks at the mesh, or every, the time in s: one of them")
	}
	if s.Has("error") == s.Has("target") {
		s.Fail("", "needs error, of the level in m, or target, the number of vertices: one of them")
	}
	if !s.Has("hmin") {
		s.Fail("hmin", "is required: the smallest size, in m")
	}
	if a.Options.Most > 0 && a.Options.Most < a.Options.Least {
		s.Fail("hmax", "%g m is less than hmin", a.Options.Most)
	}
	if a.Shore > 0 && a.Shore < a.Options.Least {
		s.Fail("shore", "%g m is less than hmin", a.Shore)
	}
	if f := a.Size; f != nil && f.Program == nil {
		s.Fail("size", "must be an expression over x and y: rasters and data of the mesh are not supported here")
	}
	if slices.Contains(o.Format, "nc") {
		s.Fail("", `the mesh changes, and a file of [output] format "nc" has one mesh: use format = "vtu", whose frames `+
			"have one each")
	}
}

// keys declares the keys of the section.
func (a *Adapt) keys(key func(*config.Spec)) {
	o := &a.Options
	key(config.Whole("steps", &o.Steps, 0, 1, 1<<30, "number of steps between looks at the mesh").IfSet().
		Otherwise("this or `every`"))
	key(config.Real("every", "s", &o.Every, config.Positive.Or(0), "time between looks at the mesh").IfSet().
		Otherwise("this or `steps`"))
	key(config.Real("error", "m", &o.Error, config.Positive.Or(0), "of linear interpolation of the level, for which "+
		"sizes are chosen").IfSet().Otherwise("this or `target`"))
	key(config.Whole("target", &o.Target, 0, 10, 1<<27, "number of vertices, for which the error is chosen; the result "+
		"is within 10% where `hmin` and the mesh that was read allow it").IfSet().Otherwise("this or `error`"))
	key(config.Real("hmin", "m", &o.Least, config.Positive.Or(0), "the smallest size").IfSet().Otherwise("required"))
	key(config.Real("hmax", "m", &o.Most, config.Positive.Or(0), "the largest size").IfSet().
		Otherwise("the sizes of the mesh that was read"))
	key(config.Real("shore", "m", &a.Shore, config.Positive.Or(0), "size of cells where water ends").IfSet().
		Otherwise("that of others"))
	key(config.OptionalField("size", "m", &a.Size, "an upper bound of the sizes, an expression over x and y: zones with "+
		"finer cells"))
	key(config.Real("growth", "", &o.Growth, config.Bound{Least: 0, Most: 10}.Or(.3), "of sizes per distance from finer "+
		"cells"))
	key(config.Real("reach", "", &o.Reach, config.NonNegative.Or(3), "fine cells surround waves as far as these go in so "+
		"many intervals between looks; more cells, and fewer changes of the mesh"))
	key(config.Real("share", "", &o.Share, config.Bound{Least: 0, Most: 1}.Or(.01), "the mesh changes if it lacks more "+
		"than this share of the cells that the water asks for; 0: after each look"))
}

func (a *Adapt) print(p *config.Printer) {
	if a.Given {
		p.Section("[adapt]")
		a.keys(p.Print)
	}
}

// withChangingMesh makes the solver of a case with [adapt].
func (m *model) withChangingMesh(ctx context.Context) (solvers.Solver, error) {
	a, s := &m.w.Adapt, &m.w.Mesh
	o := a.Options
	o.Threads = m.env.Device.Threads()
	if a.Size != nil {
		o.Largest = func(x, y float64) (float64, error) { return a.Size.Program.Eval(x, y, 0, 0) }
	}
	changing, err := remesh.New(ctx, remesh.Setting{Env: m.env, Options: o, Problem: m, Divide: decompose.Options{
		Order: partition.Ordering(s.Order), Method: partition.Method(s.Partition), Seed: s.Seed,
		Conditions: m.w.Boundary.names(),
	}}, func() (*mesh.Mesh, error) { return domain.Load(m.c, *s, m.w.fields()...) })
	if err != nil {
		return nil, err
	}
	return changing, nil
}

// depthsAt returns the depths of the bed of the prepared part at a time, as the solver has them.
func (m *model) depthsAt(t float64) []float64 {
	depths := slices.Clone(m.initial.Depth)
	for i := range depths {
		none := 0.
		if m.spacing > 0 {
			levels.Snap(&depths[i], &none, &none, m.spacing)
			if up := m.initial.Coefficients[coefficients.Uplift]; up != nil {
				f := m.cfg.Forcing
				depths[i] = levels.DepthAt(m.w.Physics.Precision, depths[i], levels.Round(up[i], m.spacing), f.UpliftFrom,
					f.UpliftTo, t)
			}
		}
	}
	return depths
}

// Ground implements remesh.Problem.
func (m *model) Ground(ctx context.Context, s remesh.Inner) ([]float64, error) {
	return solvers.Named(s.Fields(), []string{"depth"})[0].Read(ctx)
}

// continueFrom makes a solver begin with a state that was carried to its part.
func (m *model) continueFrom(state *solvers.Rows, to *shallow.Setting) {
	in := &to.Initial
	to.Began = slices.Clone(in.H2)
	for i, upper := range in.H1 {
		depth := in.Depth[i]
		levels.Snap(&depth, &upper, &to.Began[i], m.spacing)
	}
	fields := [][]float64{in.H1, in.U1, in.V1, in.H2, in.U2, in.V2}
	for i := range in.H1 {
		for k := range fields {
			fields[k][i] = state.At("state", i, k)
		}
		for _, layer := range [][]float64{{0, 1, 2}, {3, 4, 5}} {
			h, u, v := fields[int(layer[0])], fields[int(layer[1])], fields[int(layer[2])]
			if h[i] < m.dry {
				u[i], v[i] = 0, 0
			} else {
				u[i], v[i] = u[i]/h[i], v[i]/h[i]
			}
		}
	}
}

// Leave implements remesh.Problem: what has come in so far, except what the cells remember, is kept here.
func (m *model) Leave(ctx context.Context, old remesh.Inner) error {
	if _, err := old.Measure(ctx); err != nil {
		return err
	}
	m.base = slices.Clone(m.measured.Sources)
	for k := range m.base {
		if slices.Contains(shallow.SourcesOfCells(), m.base[k].Name) {
			m.base[k].Volume1, m.base[k].Volume2 = 0, 0
		}
	}
	return nil
}

// Goes implements remesh.Problem.
func (m *model) Goes(scalar string) bool {
	return strings.HasPrefix(scalar, "structure_") ||
		slices.Contains([]string{"courant", "complex_edges", "limited_fluxes"}, scalar)
}

func baseName(k, layer int) string { return fmt.Sprintf("base_%d_%d", k, layer) }

// Scalars implements remesh.Problem.
func (m *model) Scalars() map[string]float64 {
	scalars := map[string]float64{}
	for k, b := range m.base {
		scalars[baseName(k, 1)], scalars[baseName(k, 2)] = b.Volume1, b.Volume2
	}
	return scalars
}

// SetScalars implements remesh.Problem.
func (m *model) SetScalars(scalars map[string]float64) {
	m.base = nil
	for k := 0; ; k++ {
		v, ok := scalars[baseName(k, 1)]
		if !ok {
			return
		}
		m.base = append(m.base, shallow.Source{Volume1: v, Volume2: scalars[baseName(k, 2)]})
	}
}

// waterOn returns the layers of the water on a whole mesh, the lower one first: of tables, or else as it begins.
func (m *model) waterOn(w *remesh.Whole, tables []*solvers.Table) []carry.Water {
	n := len(w.Cells)
	layers := make([]carry.Water, m.w.Physics.Layers)
	for k := range layers {
		layers[k] = carry.Water{H: make([]float64, n), Qx: make([]float64, n), Qy: make([]float64, n)}
	}
	set := func(k, cell int, h, x, y float64) {
		if k < len(layers) {
			layers[k].H[cell], layers[k].Qx[cell], layers[k].Qy[cell] = h, x, y
		}
	}
	if tables == nil {
		in := &m.initial
		for i, id := range m.part.Global[:m.part.Owned] {
			set(0, int(id), in.H2[i], in.H2[i]*in.U2[i], in.H2[i]*in.V2[i])
			set(1, int(id), in.H1[i], in.H1[i]*in.U1[i], in.H1[i]*in.V1[i])
		}
		return layers
	}
	state := (&remesh.Move{Old: tables, New: tables}).Old[slices.IndexFunc(tables, func(t *solvers.Table) bool {
		return t.Name == "state"
	})]
	for i := range n {
		set(0, i, state.At(i, 3), state.At(i, 4), state.At(i, 5))
		set(1, i, state.At(i, 0), state.At(i, 1), state.At(i, 2))
	}
	return layers
}

// leastDry is the dry depth before there is a solver that has chosen it, m.
const leastDry = 1e-6

// Wanted implements remesh.Problem: the mesh follows the levels of all layers, and where water ends.
func (m *model) Wanted(w *remesh.Whole, tables []*solvers.Table) (*remesh.Wishes, error) {
	n, dry := len(w.Cells), max(m.dry, m.cfg.DryDepth, leastDry)
	water := m.waterOn(w, tables)
	wishes := &remesh.Wishes{Curvature: make([]float64, n), Largest: slices.Repeat([]float64{math.Inf(1)}, n),
		Speed: make([]float64, n)}
	floor, thickness := make([]float64, n), make([]float64, n)
	for i := range floor {
		floor[i] = -w.Ground[i]
	}
	for k := range water {
		h := water[k].H
		z := make([]float64, n)
		for i := range z {
			z[i] = floor[i] + h[i]
			thickness[i] += h[i]
			if h[i] > dry {
				wishes.Speed[i] = max(wishes.Speed[i], math.Hypot(water[k].Qx[i], water[k].Qy[i])/h[i])
			}
		}
		for i, c := range w.Curvature(z, func(cell int32) bool { return h[cell] > dry }) {
			wishes.Curvature[i] += c
		}
		floor = z
	}
	for i, h := range thickness {
		if h > dry {
			wishes.Speed[i] += math.Sqrt(m.cfg.Gravity * h)
		}
		for _, nb := range w.Neighbours[i] {
			if m.w.Adapt.Shore > 0 && nb >= 0 && (h > dry) != (thickness[nb] > dry) {
				wishes.Largest[i] = m.w.Adapt.Shore
			}
		}
	}
	return wishes, nil
}

// Carry implements remesh.Problem.
func (m *model) Carry(move *remesh.Move) error {
	_, state := move.Table("state")
	water := m.waterOn(move.From, move.Old)
	c := carry.Meshes{From: move.From.Mesh, To: move.To.Mesh, FromNb: move.From.Neighbours, ToNb: move.To.Neighbours,
		Overlap: move.Overlap, Dry: m.dry, Spacing: m.spacing}
	oldFloor, floor := negative(move.From.Ground), negative(move.To.Ground)
	for k := range water {
		carried, level := c.Layer(&water[k], oldFloor, floor)
		first := map[int]int{0: 3, 1: 0}[k]
		for i, h := range carried.H {
			state.Set(i, first, h)
			state.Set(i, first+1, carried.Qx[i])
			state.Set(i, first+2, carried.Qy[i])
		}
		if k == 0 {
			carryPeaks(move, level)
		}
		for i, h := range water[k].H {
			oldFloor[i] += h
		}
		for i, h := range carried.H {
			floor[i] += h
		}
	}
	return nil
}

func negative(values []float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = -v
	}
	return list
}

// carryPeaks carries the largest values of cells: those of the old cell that covers the largest part, with the highest
// level, instead of the largest thickness, where level tells that levels are carried.
func carryPeaks(move *remesh.Move, level []bool) {
	from, to := move.Table("peak_most")
	if from == nil {
		return
	}
	for i, old := range move.Overlap.Largest() {
		copy(to.Entity(i), from.Entity(int(old)))
		if h := from.At(int(old), 0); level[i] && h > 0 {
			to.Set(i, 0, max(0, h-move.From.Ground[old]+move.To.Ground[i]))
		}
	}
}
