package shallow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/dryness"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/levels"
	"github.com/atoll-hpc/atoll/solvers/shallow/stencil"
	"github.com/atoll-hpc/atoll/solvers/shallow/tiling"
	"github.com/atoll-hpc/atoll/solvers/shallow/uplift"
)

// checkGiven checks the kinds of prescribed conditions, which make the case one of one layer.
func (c *Config) checkGiven() error {
	given := slices.DeleteFunc(slices.Clone(c.Given), func(g *Given) bool { return g == nil })
	if len(given) == 0 {
		return nil
	}
	for _, g := range given {
		if err := g.checkKind(); err != nil {
			return err
		}
	}
	if c.Layers == 2 {
		return errors.New("prescribed conditions are for one layer")
	}
	c.Layers = 1
	return nil
}

func setUp[F num.Float](ctx context.Context, env solvers.Env, cfg Config, at Setting) (_ *solver[F], err error) {
	if at.Fields == nil {
		at.Names = Fields
		for _, name := range Fields {
			at.Fields = append(at.Fields, solvers.Field{Name: name})
		}
	}
	table := engine.NewTable(env.Device)
	s := newSolver(&rank[F]{Engine: engine.New(env, table), dev: env.Device,
		common: common{at: at, part: at.Part, cells: domain.Cells(at.Part)}})
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	_, s.separate = env.Device.(backend.Memory)
	if err := errors.Join(cfg.checkGiven(), cfg.checkLocalSteps(s.separate)); err != nil {
		return nil, err
	}
	cfg.Order = max(cfg.Order, 1)
	from, err := s.prepareInputs(ctx, &cfg)
	if err != nil {
		return nil, err
	}
	if err := s.buildArrays(ctx, from); err != nil {
		return nil, err
	}
	s.steps.prepareLocalSteps(&from.out)
	if s.separate {
		s.copies.host = from.state
	}
	if err := s.steps.connectHalo(ctx); err != nil {
		return nil, err
	}
	s.steps.joined = engine.JoinedOf(s.conveyances, from.out.ownConveyances())
	s.prepareClock()
	for k := range s.extremes.loops {
		s.extremes.loops[k] = s.extremes.peaksLoop(cycleStep(k))
	}
	if err := s.Define(ctx, s.definition()); err != nil {
		return nil, err
	}
	return s, s.takeFirstStep(ctx)
}

// newSolver returns a solver without arrays.
func newSolver[F num.Float](r *rank[F]) *solver[F] {
	s := &solver[F]{rank: r, copies: copies[F]{rank: r, hostStep: -1, hostCells: map[int]bool{}},
		lengths: lengths[F]{rank: r}, samples: samples[F]{rank: r}, budget: budget[F]{rank: r}}
	s.extremes = extremes[F]{rank: r, copies: &s.copies, hostStep: -1}
	s.steps = stepper[F]{rank: r, lengths: &s.lengths, extremes: &s.extremes, samples: &s.samples}
	return s
}

// definition is the solver as data.
func (s *solver[F]) definition() engine.Definition {
	size := s.at.Size
	if s.defaultDry {
		size.Note = fmt.Sprintf("dry_depth is not given; chosen for the thickness of the water: %.3g m", s.dry)
	}
	d := engine.Definition{Model: s, Size: size, Clock: s.clock, Cycle: cycleLength, Step: s.steps.step,
		Before: s.loadWeather, Window: maxQueued, Record: stepsPerRecording, Inputs: s.inputs.all(), Fields: s.fieldList(),
		Flows: s.flowList(), Saved: s.saved(),
		Quiesce: s.updateSaved, Restored: s.restored,
		Measured: s.measures, Conclude: s.extremes.conclude, Outlines: s.extremes.outlines(), Sampler: s.samples.sampler(),
		Rest: func(p *engine.Program) {
			p.Host(func(ctx context.Context) error {
				s.forgetCopies()
				return s.quiesce(ctx)
			})
		}}
	if s.queued {
		d.After = s.samples.fetchSamples
	}
	return d
}

// prepareInputs computes what the host knows of the case: the state, the parameters, boundary conditions and forcing.
func (s *solver[F]) prepareInputs(ctx context.Context, cfg *Config) (from *hosted[F], err error) {
	from = new(hosted[F])
	comm, part, init := s.Env().Comm, s.part, &s.at.Initial
	init.Coefficients = init.Coefficients.OfMesh(part)
	from.state, s.spacing, err = initialState[F](ctx, comm, part, cfg.Layers == 1, *init, s.at.LevelSpacing)
	if err != nil {
		return nil, err
	}
	if s.defaultDry = cfg.DryDepth == 0; s.defaultDry {
		if cfg.DryDepth, err = dryness.Depth(ctx, comm, part, init.H1, init.H2); err != nil {
			return nil, err
		}
	}
	s.cfg, s.dry, s.oneLayer = *cfg, cfg.DryDepth, cfg.Layers == 1
	if s.scheme, err = schemeOf(*cfg); err != nil {
		return nil, err
	}
	p, err := params[F](*cfg, init.Coefficients[coefficients.Manning] != nil)
	if err != nil {
		return nil, err
	}
	if p.Rotation, err = fastestRotation[F](ctx, comm, init.Coefficients[coefficients.Coriolis]); err != nil {
		return nil, err
	}
	out, err := newOutlets[F](*cfg, part.Groups, s.spacing)
	if err != nil {
		return nil, err
	}
	coefficients.Arrays[F]{Manning: &from.manning, Forcing: &out.forcing, Uplift: &out.uplift}.Round(init.Coefficients,
		part.Owned)
	if err := out.addForcing(*cfg, *init, part, s.at.Time, &p); err != nil {
		return nil, err
	}
	if err := out.addStructures(ctx, comm, cfg, init, part, s.cells); err != nil {
		return nil, err
	}
	s.params, from.out = p, *out
	return from, from.out.agreeOnRain(ctx, comm)
}

// fastestRotation returns the largest absolute value of the Coriolis parameter on all ranks, 1/s.
func fastestRotation[F num.Float](ctx context.Context, comm dist.Comm, coriolis []float64) (F, error) {
	fastest := []float64{0}
	for _, f := range coriolis {
		fastest[0] = max(fastest[0], math.Abs(f))
	}
	err := comm.AllreduceFloat64(ctx, dist.Max, fastest)
	return F(fastest[0]), err
}

// buildArrays makes the edges, cells and tiles of the part, and allocates all arrays on the device.
func (s *solver[F]) buildArrays(ctx context.Context, from *hosted[F]) (err error) {
	comm, init, out := s.Env().Comm, &s.at.Initial, &from.out
	m := &from.mesh
	if *m, s.steps.innerEdges, err = assemble[F](s.part, init.Depth, out); err != nil {
		return err
	}
	err = out.describeOutlets(ctx, comm, s.cfg, s.part, init.Depth, init.Coefficients[coefficients.Manning])
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return err
	}
	s.budget.outletGroup = slices.Clone(out.boundary.ConditionOf)
	out.raiseLevels(s.cfg, *init, s.part)
	m.Boundary = out.boundary
	s.beds, s.steps.edges = m.Beds, len(m.EdgeCells)
	s.inputs = s.newInputs(out)
	s.budget.openGroups, s.budget.sources = out.openGroups, out.sources
	s.budget.outletKeys = out.keys
	if s.cfg.Order == 2 {
		stencil.Compute(s.part, init.Depth, m)
	}
	f := &s.cfg.Forcing
	out.uplift, err = uplift.New(f.UpliftFrom, f.UpliftTo, s.part, init.Coefficients[coefficients.Uplift],
		out.levelSpacing, m)
	if err != nil {
		return err
	}
	n := &sizes{held: len(s.part.Cells), owned: s.part.Owned, edges: s.steps.edges, localSteps: s.cfg.LocalSteps,
		Inputs: Inputs{Coefficients: init.Coefficients.Given()}, order: s.cfg.Order, layers: s.cfg.Layers,
		tiled: s.cfg.Sweep.usesTiles(s.separate), exchanged: comm.Size() > 1, maxima: s.cfg.Keep.Maxima}
	if s.tiled = n.tiled; s.tiled {
		if err := s.makeTiles(from, n); err != nil {
			return err
		}
	} else {
		s.steps.makeBands(n.order, m, s.steps.innerEdges, out.structures.Cells())
		s.steps.spent = s.NewSpent(bandPhases[:]...)
	}
	start := func(i int) float64 { return float64(from.state[i].H2) }
	if began := s.at.Began; began != nil {
		start = func(i int) float64 { return float64(F(began[i])) }
	}
	from.peaks = initialPeaks(s.cfg.Keep, n.owned, len(out.uplift.Rises) > 0, m.Beds, start)
	if s.cfg.Keep.Maxima {
		s.extremes.wasDry = make([]bool, n.owned)
		for i := range s.extremes.wasDry {
			s.extremes.wasDry[i] = start(i) < float64(s.params.DryDepth)
		}
	}
	p := s.params
	s.arrays = declare(s.Table(), n, from)
	s.params = p
	s.weather.Connect(*s.Env())
	s.Owns(s.weather)
	return s.Table().Err()
}

// makeTiles cuts the part into tiles, and decides whether steps look for those without water.
func (s *solver[F]) makeTiles(from *hosted[F], n *sizes) error {
	tiles, core, err := tiling.New(s.part, &from.mesh, from.out.structures.Cells(), len(from.out.uplift.Rises) > 0)
	if err != nil {
		return err
	}
	n.tiles = len(tiles.Tiles) - 1
	from.tiles, s.steps.coreTiles, s.steps.ntiles = *tiles, core, n.tiles
	s.steps.skips = n.order == 2 && n.tiles >= leastTiles && isMostlyDry(from.state[:n.owned])
	if n.order == 2 && n.exchanged {
		from.mesh.SlopesAt = bands.Extend(nil, n.held)
	}
	return nil
}

// leastTiles is the number of tiles from which on some may be skipped: fewer run on a GPU at the same time anyway.
// Where all have water, a step that looks for it takes 5% longer. Tests change leastTiles.
var leastTiles = 400

// isMostlyDry reports whether at least a quarter of the cells have no water at the start.
func isMostlyDry[F num.Float](state []kernels.State[F]) bool {
	dry := 0
	for i := range state {
		if state[i] == (kernels.State[F]{}) {
			dry++
		}
	}
	return 4*dry >= len(state)
}

// schemeOf returns the finite volume scheme of a run: the kernels of one layer, or those of the scheme's name.
func schemeOf(c Config) (kernels.Scheme, error) {
	s, ok := map[string]kernels.Scheme{"pvm-ifcp": kernels.PVM, "ir-roe": kernels.IRRoe, "roe": kernels.Roe}[c.Scheme]
	switch {
	case !ok:
		return s, fmt.Errorf("scheme %q is not known; choose roe, ir-roe or pvm-ifcp", c.Scheme)
	case c.Layers == 1:
		return kernels.OneLayer, nil
	}
	return s, nil
}

// initialState makes the state from the initial fields, whose levels it rounds to multiples of levelSpacing (package
// levels), which is chosen if it is 0.
func initialState[F num.Float](ctx context.Context, comm dist.Comm, part *mesh.Part, oneLayer bool,
	init Initial, spacing float64) (state []kernels.State[F], levelSpacing float64, err error) {
	n := len(part.Cells)
	if err := init.Coefficients.Check(n); err != nil {
		return nil, 0, err
	}
	for _, f := range [][]float64{init.Depth, init.H1, init.H2, init.U1, init.V1, init.U2, init.V2} {
		if len(f) != n {
			return nil, 0, fmt.Errorf("an initial field has %d values for %d cells", len(f), n)
		}
	}
	for _, f := range [][]float64{init.H1, init.H2} {
		if i := slices.IndexFunc(f, func(h float64) bool { return h < 0 }); i >= 0 {
			x, y := part.Centroid(i)
			return nil, 0, fmt.Errorf("cell %d at (%g, %g): the initial thickness is negative (h1 = %g, h2 = %g)",
				part.Global[i], x, y, init.H1[i], init.H2[i])
		}
	}
	if i := slices.IndexFunc(init.H1, func(h float64) bool { return h > 0 }); oneLayer && i >= 0 {
		return nil, 0, fmt.Errorf("cell %d has an upper layer of %g m, but the case has one layer",
			part.Global[i], init.H1[i])
	}
	largest := []float64{largestOf(&init)}
	if err := comm.AllreduceFloat64(ctx, dist.Max, largest); err != nil {
		return nil, 0, err
	}
	if levelSpacing = spacing; spacing == 0 {
		levelSpacing = levels.SpacingFor[F](largest[0])
	}
	state = make([]kernels.State[F], n)
	parallel.Ranges(n, parallel.Parts(n, cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			levels.Snap(&init.Depth[i], &init.H1[i], &init.H2[i], levelSpacing)
			h1, h2 := F(init.H1[i]), F(init.H2[i])
			state[i] = kernels.State[F]{
				H1: h1, Q1x: h1 * F(init.U1[i]), Q1y: h1 * F(init.V1[i]),
				H2: h2, Q2x: h2 * F(init.U2[i]), Q2y: h2 * F(init.V2[i]),
			}
		}
	})
	return state, levelSpacing, nil
}

// largestOf returns the largest absolute value of levels, thicknesses and depths, including the uplift.
func largestOf(init *Initial) (largest float64) {
	var lock sync.Mutex
	n, rise := len(init.Depth), init.Coefficients[coefficients.Uplift]
	parallel.Ranges(n, parallel.Parts(n, cellsPerWorker), func(_, lo, hi int) {
		most := 0.0
		for i := lo; i < hi; i++ {
			most = max(most, math.Abs(init.Depth[i]), math.Abs(init.H1[i]), math.Abs(init.H2[i]))
			if rise != nil {
				most = max(most, math.Abs(init.Depth[i])+math.Abs(rise[i]))
			}
		}
		lock.Lock()
		defer lock.Unlock()
		largest = max(largest, most)
	})
	return largest
}
