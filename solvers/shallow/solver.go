package shallow

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Solver advances the two layers on one rank's part of the mesh. All ranks make the same calls.
type Solver interface {
	// Advance takes at least one and at most so many time steps, the same number on all ranks, and stops at until, which
	// is not passed. Where nothing is gained by taking more it takes one.
	Advance(ctx context.Context, until float64, steps int) error
	// Step takes one time step, shortened so as not to pass until, and returns its length in s.
	Step(ctx context.Context, until float64) (float64, error)
	Time() float64
	Steps() int
	// Dt is the length of the last step in s.
	Dt() float64
	// Field returns a quantity at every owned cell: h1, h2, z1, z2, u1, v1, u2, v2 or depth.
	Field(name string) ([]float64, error)
	// Value returns a quantity at one owned cell.
	Value(name string, cell int) float64
	Diagnose(ctx context.Context) (Diagnostics, error)
	// Hash returns the SHA-256 of the state in global order.
	Hash(ctx context.Context) (string, error)
	// Nudge changes the state of every cell, ghosts included, from outside: change is given a local cell and its h1,
	// q1x, q1y, h2, q2x, q2y. It must do the same to a cell on every rank that holds it.
	Nudge(ctx context.Context, change func(cell int, w *[6]float64)) error
	// Phases tells how many seconds this rank spent where.
	Phases() map[string]float64
	// Halo tells how ghosts are exchanged: direct, staged or nccl.
	Halo() string
	// Close gives back what the device holds.
	Close()
	// BytesPerCell is what the arrays of the solver take, on average over its cells.
	BytesPerCell() float64
}

// New sets up the solver in the given precision, "float32" or "float64".
func New(ctx context.Context, precision string, cfg Config, part *mesh.Part, plan *halo.Plan, init Initial, comm dist.Comm,
	dev backend.Device) (Solver, error) {
	switch precision {
	case "float32":
		return sound(setUp[float32](ctx, cfg, part, plan, init, comm, dev))
	case "float64":
		return sound(setUp[float64](ctx, cfg, part, plan, init, comm, dev))
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

// sound makes a solver that could not be set up nil.
func sound[F kernels.Float](s *solver[F], err error) (Solver, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

type solver[F kernels.Float] struct {
	part   *mesh.Part
	comm   dist.Comm
	dev    backend.Device
	ghosts ghosts[F]
	linked *halo.Linked[kernels.State[F]] // the same, where devices exchange ghosts by themselves; else nil
	arrays[F]

	// apart tells that the device has memory of its own. The host then has room for a copy of the state.
	apart  bool
	host   []kernels.State[F]
	viewed int // the step whose state host holds whole, -1 for none

	loops  [turns]loops
	now    int // which of the turns is next
	inner  int // edges [0, inner) touch no ghost
	tiled  bool
	core   int // tiles [0, core) touch no ghost
	ntiles int
	beds   []kernels.Bed[F]
	replay [turns]backend.Recording // of several steps, from each of the turns on

	time    [1]kernels.Clock[F] // after the last step
	least   [turns]atomics.Least[F]
	clockAt time.Time
	spent   [4]time.Duration // on fluxes, waiting for ghosts, updates, waiting for the time step
	flying  bool             // the ghosts of this state are on their way
	reducer *reducer
	order   []int32 // owned cells in ascending global order
}

func setUp[F kernels.Float](ctx context.Context, cfg Config, part *mesh.Part, plan *halo.Plan, init Initial, comm dist.Comm,
	dev backend.Device) (_ *solver[F], err error) {
	s := &solver[F]{part: part, comm: comm, dev: dev, viewed: -1, reducer: newReducer(comm, cfg.Lag)}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	_, s.apart = dev.(backend.Memory)
	if s.params, err = params[F](cfg, init.Manning != nil); err != nil {
		return nil, err
	}
	kind := func(neighbour int32) int32 {
		open := cfg.Open
		if g := mesh.OutsideGroup(neighbour); g >= 0 {
			open = cfg.Boundary[g]
		}
		if open {
			return kernels.Open
		}
		return kernels.Wall
	}
	state, manning, err := start[F](ctx, comm, part, init)
	if err != nil {
		return nil, err
	}
	whole, inner, err := assemble[F](part, init.Depth, kind)
	if err != nil {
		return nil, err
	}
	s.inner, s.beds = inner, whole.Beds
	var tiles *kernels.TiledMesh[F]
	if s.tiled = cfg.Sweep.tiled(s.apart); s.tiled {
		if tiles, s.core, err = tile(part, &whole); err != nil {
			return nil, err
		}
		s.ntiles = len(tiles.Tiles) - 1
	}
	if err := s.place(dev, whole, tiles, state, manning, part.Owned); err != nil {
		return nil, err
	}
	for k := range turns {
		if s.loops[k], err = s.arrays.loops(cfg.Scheme, k); err != nil {
			return nil, err
		}
	}
	if s.apart {
		s.host = state
	}
	if err := s.connect(ctx, plan, cfg.Halo); err != nil {
		return nil, err
	}
	// A step of length 0 changes nothing and finds the length of the first one.
	s.time[0].CFL = cfg.CFL
	if err := s.step(ctx); err != nil {
		return nil, err
	}
	s.time[0].Steps, s.spent = 0, [4]time.Duration{}
	return s, backend.Upload(dev, s.counters, []kernels.Counters{{}})
}

// start makes the state and the friction coefficients from initial fields.
func start[F kernels.Float](ctx context.Context, comm dist.Comm, part *mesh.Part, init Initial) (state []kernels.State[F], manning []F, err error) {
	n := len(part.Cells)
	for _, f := range [][]float64{init.Depth, init.H1, init.H2, init.U1, init.V1, init.U2, init.V2} {
		if len(f) != n {
			return nil, nil, fmt.Errorf("an initial field has %d values for %d cells", len(f), n)
		}
	}
	largest := []float64{0}
	for i := range n {
		largest[0] = max(largest[0], math.Abs(init.Depth[i]), math.Abs(init.H1[i]), math.Abs(init.H2[i]))
		if init.H1[i] < 0 || init.H2[i] < 0 {
			x, y := part.Centroid(i)
			return nil, nil, fmt.Errorf("cell %d at (%g, %g): the initial thickness is negative (h1 = %g, h2 = %g)", part.Global[i], x, y,
				init.H1[i], init.H2[i])
		}
	}
	if err := comm.AllreduceFloat64(ctx, dist.Max, largest); err != nil {
		return nil, nil, err
	}
	grid := gridFor[F](largest[0])
	state = make([]kernels.State[F], n)
	for i := range state {
		settle(&init.Depth[i], &init.H1[i], &init.H2[i], grid)
		h1, h2 := F(init.H1[i]), F(init.H2[i])
		state[i] = kernels.State[F]{
			H1: h1, Q1x: h1 * F(init.U1[i]), Q1y: h1 * F(init.V1[i]),
			H2: h2, Q2x: h2 * F(init.U2[i]), Q2y: h2 * F(init.V2[i]),
		}
	}
	for _, m := range init.Manning {
		manning = append(manning, F(m))
	}
	return state, manning, nil
}

func (s *solver[F]) Time() float64 { return s.time[0].Time }
func (s *solver[F]) Steps() int    { return int(s.time[0].Steps) }
func (s *solver[F]) Dt() float64   { return float64(s.time[0].Took) }

func (s *solver[F]) Advance(ctx context.Context, until float64, steps int) error {
	s.time[0].Aim(until)
	if s.repeats() {
		return s.repeat(ctx, steps)
	}
	if !s.params.Lag {
		return s.step(ctx)
	}
	for range steps {
		if err := s.step(ctx); err != nil {
			return err
		}
		if s.Time() >= until {
			break
		}
	}
	return s.rest(ctx) // the caller may have the ranks talk of something else
}

func (s *solver[F]) Step(ctx context.Context, until float64) (float64, error) {
	err := s.Advance(ctx, until, 1)
	return s.Dt(), err
}

// step takes a step of the clock's length. The limiter of the mass fluxes needs that length before the fluxes are
// known, so it comes from the waves of the step before, as in the paper's Figure 2.
func (s *solver[F]) step(ctx context.Context) error {
	s.clockAt = time.Now()
	if err := s.begin(); err != nil {
		return err
	}
	sweep := s.sweepCells
	if s.tiled {
		sweep = s.sweepTiles
	}
	if err := sweep(ctx, s.loops[s.now]); err != nil {
		return err
	}
	next := (s.now + 1) % turns
	if err := backend.Download(s.dev, s.least[:1], s.arrays.least[next:next+1]); err != nil {
		return err
	}
	s.lap(inUpdate)

	limit, err := s.reducer.limit(ctx, float64(s.least[0].Value()))
	if err != nil {
		return fmt.Errorf("time step: %w", err)
	}
	s.lap(inReduce)
	s.time[0].Tick(F(limit))
	s.book()
	s.now = next
	s.viewed = -1
	return s.check(ctx)
}

// book keeps the CFL number of the last step whose waves are known.
func (s *solver[F]) book() {
	c := &s.time[0]
	if s.params.Lag {
		c.Book(c.Before, c.Limit)
	} else {
		c.Book(c.Took, c.Limit)
	}
}

// sweepCells computes all fluxes and then updates the cells. Fluxes between owned cells are computed while the ghosts
// of this state arrive, and core cells are updated while the boundary cells of the next one leave.
func (s *solver[F]) sweepCells(ctx context.Context, l loops) error {
	s.dev.Run(l.flux, 0, s.inner)
	s.lap(inFlux)
	if err := s.settle(ctx); err != nil {
		return err
	}
	s.lap(inHalo)
	s.dev.Run(l.flux, s.inner, len(s.mesh.Ends))
	s.lap(inFlux)
	s.dev.Run(l.update, s.part.Core, s.part.Owned)
	s.lap(inUpdate)
	if err := s.leave(ctx); err != nil {
		return err
	}
	s.lap(inHalo)
	s.dev.Run(l.update, 0, s.part.Core)
	s.lap(inUpdate)
	return s.ghosts.Send(ctx)
}

// sweepTiles advances the tiles whose cells leave for other ranks, and the others while these are on their way.
func (s *solver[F]) sweepTiles(ctx context.Context, l loops) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	s.lap(inHalo)
	s.dev.Run(l.tile, s.core, s.ntiles)
	s.lap(inUpdate)
	if err := s.leave(ctx); err != nil {
		return err
	}
	s.lap(inHalo)
	s.dev.Run(l.tile, 0, s.core)
	s.lap(inUpdate)
	return s.ghosts.Send(ctx)
}

// begin gives the device the clock and empty minima.
func (s *solver[F]) begin() error {
	if err := backend.Upload(s.dev, s.clock[s.now:s.now+1], s.time[:]); err != nil {
		return err
	}
	clear(s.least[:])
	if s.params.Lag {
		s.least[s.now].Take(F(s.reducer.last)) // which the step after next needs
	}
	return backend.Upload(s.dev, s.arrays.least, s.least[:])
}

// current is the state after the last step.
func (s *solver[F]) current() []kernels.State[F] { return s.state[s.now%2] }

// check tells what is wrong if a step broke the state.
func (s *solver[F]) check(ctx context.Context) error {
	if s.time[0].Limit > 0 {
		return nil
	}
	if _, err := s.reducer.latest(ctx); err != nil {
		return err
	}
	return s.broken(ctx)
}

// rest waits for what is under way, so that the ranks can talk of something else. It finds a state that the very last
// step broke.
func (s *solver[F]) rest(ctx context.Context) error {
	limit, err := s.reducer.latest(ctx)
	if err != nil || limit > 0 {
		return err
	}
	return s.broken(ctx)
}

// view returns the state of this step where the host can read it; ghosts on their way are out of date.
func (s *solver[F]) view() ([]kernels.State[F], error) {
	if !s.apart {
		return s.current(), nil
	}
	if s.viewed != s.Steps() {
		if err := backend.Download(s.dev, s.host, s.current()); err != nil {
			return nil, err
		}
		s.viewed = s.Steps()
	}
	return s.host, nil
}

const (
	inFlux = iota
	inHalo
	inUpdate
	inReduce
)

// lap books the time since the last lap.
func (s *solver[F]) lap(phase int) {
	now := time.Now()
	s.spent[phase] += now.Sub(s.clockAt)
	s.clockAt = now
}

func (s *solver[F]) Phases() map[string]float64 {
	return map[string]float64{
		"flux": s.spent[inFlux].Seconds(), "halo": s.spent[inHalo].Seconds(),
		"update": s.spent[inUpdate].Seconds(), "reduce": s.spent[inReduce].Seconds(),
	}
}

func (s *solver[F]) Nudge(ctx context.Context, change func(cell int, w *[6]float64)) error {
	if err := s.rest(ctx); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	s.viewed = -1 // ghosts too
	w, err := s.view()
	if err != nil {
		return err
	}
	for i := range w {
		c := &w[i]
		v := [6]float64{float64(c.H1), float64(c.Q1x), float64(c.Q1y), float64(c.H2), float64(c.Q2x), float64(c.Q2y)}
		change(i, &v)
		*c = kernels.State[F]{H1: F(v[0]), Q1x: F(v[1]), Q1y: F(v[2]), H2: F(v[3]), Q2x: F(v[4]), Q2y: F(v[5])}
	}
	if !s.apart {
		return nil
	}
	return backend.Upload(s.dev, s.current(), w)
}

func (s *solver[F]) Close() {
	s.reducer.close()
	for _, r := range s.replay {
		if r != nil {
			r.Close()
		}
	}
	if s.ghosts != nil {
		_ = s.ghosts.Close() // what is not given back goes with the device
	}
	s.free()
}
