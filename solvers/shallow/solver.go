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
	// Step takes one time step, shortened so as not to pass until, and returns its length in s.
	Step(ctx context.Context, until float64) (float64, error)
	Time() float64
	Steps() int
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
		return setUp[float32](ctx, cfg, part, plan, init, comm, dev)
	case "float64":
		return setUp[float64](ctx, cfg, part, plan, init, comm, dev)
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

type solver[F kernels.Float] struct {
	part *mesh.Part
	comm dist.Comm
	dev  backend.Device
	halo *halo.Exchanger
	arrays[F]

	// apart tells that the device has memory of its own. The host then has a copy of the state, of which only the cells
	// that are exchanged are current between steps.
	apart  bool
	host   []kernels.State[F]
	viewed int // the step whose state host holds whole, -1 for none

	flux   [2]backend.Loop // from each of the two states
	update [2]backend.Loop
	now    int // which state is this step's
	inner  int // edges [0, inner) touch no ghost
	sites  []kernels.Site[F]
	sums   *sumLoop[F]

	cfl     float64 // that the case asks for
	courant float64 // the largest that a step had
	t       float64
	limit   float64 // the longest next step
	dt      [1]kernels.Clock[F]
	least   [1]atomics.Least[F]
	steps   int
	clockAt time.Time
	spent   [4]time.Duration // on fluxes, waiting for ghosts, updates, waiting for the time step
	flying  bool             // the ghosts of this state are on their way
	reduced [1]float64
	order   []int32 // owned cells in ascending global order
}

func setUp[F kernels.Float](ctx context.Context, cfg Config, part *mesh.Part, plan *halo.Plan, init Initial, comm dist.Comm,
	dev backend.Device) (*solver[F], error) {
	s := &solver[F]{part: part, comm: comm, dev: dev, cfl: cfg.CFL, viewed: -1}
	_, s.apart = dev.(backend.Memory)
	var err error
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
	s.inner, s.sites = inner, whole.Sites
	if err := s.place(dev, whole, state, manning); err != nil {
		return nil, err
	}
	for k := range 2 {
		if s.flux[k], s.update[k], err = s.loops(cfg.Scheme, k); err != nil {
			return nil, err
		}
	}
	if s.apart {
		s.host = state
	}
	s.sums = &sumLoop[F]{s: s}
	s.halo = halo.NewExchanger(plan, comm, haloTag, int(stateBytes[F]()))
	// A step of length 0 changes nothing and finds the length of the first one.
	if err := s.advance(ctx); err != nil {
		return nil, err
	}
	s.steps, s.spent = 0, [4]time.Duration{}
	return s, backend.Upload(dev, s.counters, []kernels.Counters{{}})
}

// haloTag keeps the exchanges of the state apart from other messages.
const haloTag = 1

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

func (s *solver[F]) Time() float64 { return s.t }
func (s *solver[F]) Steps() int    { return s.steps }

func (s *solver[F]) Step(ctx context.Context, until float64) (float64, error) {
	left := until - s.t
	dt := s.limit
	last := dt >= left
	if last {
		dt = left
	}
	s.dt[0].Dt = F(dt)
	if err := s.advance(ctx); err != nil {
		return 0, err
	}
	s.courant = max(s.courant, s.cfl*dt/s.limit)
	if last {
		s.t = until
	} else {
		s.t += float64(s.dt[0].Dt)
	}
	return dt, nil
}

// advance takes a step of the clock's length. The limiter of the mass fluxes needs that length before the fluxes are
// known, so it comes from the waves of the step before, as in the paper's Figure 2.
//
// Fluxes between owned cells are computed while the ghosts of this state arrive, and core cells are updated while
// the boundary cells of the next one leave.
func (s *solver[F]) advance(ctx context.Context) error {
	s.clockAt = time.Now()
	if err := s.begin(); err != nil {
		return err
	}
	flux, update := s.flux[s.now], s.update[s.now]
	s.dev.Run(flux, 0, s.inner)
	s.lap(inFlux)
	if err := s.settleHalo(ctx); err != nil {
		return err
	}
	s.lap(inHalo)
	s.dev.Run(flux, s.inner, len(s.mesh.Edges))
	s.lap(inFlux)

	s.dev.Run(update, s.part.Core, s.part.Owned)
	s.lap(inUpdate)
	if err := s.startHalo(ctx); err != nil {
		return err
	}
	s.lap(inHalo)
	s.dev.Run(update, 0, s.part.Core)
	if err := backend.Download(s.dev, s.least[:], s.arrays.least); err != nil {
		return err
	}
	s.lap(inUpdate)

	s.reduced[0] = float64(s.least[0].Value())
	if err := s.comm.AllreduceFloat64(ctx, dist.Min, s.reduced[:]); err != nil {
		return fmt.Errorf("time step: %w", err)
	}
	s.lap(inReduce)
	s.limit = s.reduced[0]
	s.now = 1 - s.now
	s.steps++
	s.viewed = -1
	if !(s.limit > 0) {
		return s.broken(ctx)
	}
	return nil
}

// begin gives the device the step's length and an empty minimum.
func (s *solver[F]) begin() error {
	if err := backend.Upload(s.dev, s.clock, s.dt[:]); err != nil {
		return err
	}
	s.least[0].Reset()
	return backend.Upload(s.dev, s.arrays.least, s.least[:])
}

// startHalo sends the boundary cells of the next state.
func (s *solver[F]) startHalo(ctx context.Context) error {
	s.flying = true
	next := s.state[1-s.now]
	if !s.apart {
		return s.halo.Start(ctx, halo.Of(next))
	}
	lo, hi := s.part.Core, s.part.Owned
	if lo == hi { // no neighbours: do not wait for the device
		return s.halo.Start(ctx, halo.Of(s.host))
	}
	if err := backend.Download(s.dev, s.host[lo:hi], next[lo:hi]); err != nil {
		return err
	}
	return s.halo.Start(ctx, halo.Of(s.host))
}

// settleHalo completes the exchange that the last step began.
func (s *solver[F]) settleHalo(ctx context.Context) error {
	if !s.flying {
		return nil
	}
	s.flying = false
	if err := s.halo.Finish(ctx); err != nil || !s.apart {
		return err
	}
	if s.part.Owned == len(s.host) {
		return nil
	}
	return backend.Upload(s.dev, s.state[s.now][s.part.Owned:], s.host[s.part.Owned:])
}

// view returns the state of this step where the host can read it; ghosts may be out of date.
func (s *solver[F]) view() ([]kernels.State[F], error) {
	if !s.apart {
		return s.state[s.now], nil
	}
	if s.viewed != s.steps {
		if err := backend.Download(s.dev, s.host[:s.part.Owned], s.state[s.now][:s.part.Owned]); err != nil {
			return nil, err
		}
		s.viewed = s.steps
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
	if err := s.settleHalo(ctx); err != nil {
		return err
	}
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
	return backend.Upload(s.dev, s.state[s.now], w)
}

func (s *solver[F]) Close() { s.free(s.dev) }
