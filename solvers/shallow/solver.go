package shallow

import (
	"context"
	"fmt"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Solver advances the two layers on one rank's part of the mesh. All ranks make the same calls.
type Solver interface {
	// Advance takes at least one and at most so many time steps, the same number on all ranks, and stops at until, which
	// is not passed. Where nothing is gained by taking more it takes one.
	Advance(ctx context.Context, until float64, steps int) error
	// Pause lets Advance return after the first step that reaches a time; 0 for none.
	Pause(at float64)
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
	// Pick writes a quantity at some owned cells to values.
	Pick(name string, cells []int, values []float64) error
	// Sample, Sampled and Turn are those of solvers.Sampler, of all that Pick knows.
	Sample(cells []int) (bool, error)
	Sampled() []float64
	Turn(k int)
	// DryDepth is the thickness in m below which a layer counts as absent.
	DryDepth() float64
	Diagnose(ctx context.Context) (Diagnostics, error)
	// Observe and Observed are those of solvers.Observer.
	Observe(ctx context.Context) error
	Observed(ctx context.Context) (Diagnostics, error)
	// StateField is what all cells of the part hold, which are a space: h1, q1x, q1y, h2, q2x, q2y of each.
	StateField(on *solvers.Space) solvers.Field
	// BudgetFields are what has passed through edges of the boundary and what cells have lost since the start, where
	// there are any. They are saved, so that the budget of a run that goes on is that of the whole run.
	BudgetFields() []solvers.Field
	// PeakFields are what was largest since the start, of one layer, where that is kept.
	PeakFields(on *solvers.Space) []solvers.Field
	// Wetted calls do for each owned cell in which the water was ever deeper than the threshold of what is kept, with the
	// highest level that it had, and whether the cell was dry at the start.
	Wetted(do func(cell int, level float64, dry bool)) error
	// State, Rest, Scalars and Restore are those of solvers.Restarter.
	State(ctx context.Context) ([]solvers.State, error)
	Rest(ctx context.Context) error
	Scalars(ctx context.Context) (map[string]float64, error)
	Restore(ctx context.Context, at solvers.Clock, scalars map[string]float64, fill func() error) error
	// Hash is that of the state: see solvers.Hash.
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
	// Bytes is what the arrays take that the kernels work on.
	Bytes() int64
}

// New sets up the solver in the given precision, "float32" or "float64".
func New(ctx context.Context, precision string, cfg Config, part *mesh.Part, plan *halo.Plan, init Initial,
	comm dist.Comm, dev backend.Device) (Solver, error) {
	switch precision {
	case "float32":
		return sound(setUp[float32](ctx, cfg, part, plan, init, comm, dev))
	case "float64":
		return sound(setUp[float64](ctx, cfg, part, plan, init, comm, dev))
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

// sound makes a solver that could not be set up nil.
func sound[F num.Float](s *solver[F], err error) (Solver, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

type solver[F num.Float] struct {
	part   *mesh.Part
	comm   dist.Comm
	dev    backend.Device
	ghosts halo.Ghosts[kernels.State[F]]
	tilts  halo.Ghosts[kernels.Slopes[F]] // of second order
	linked *halo.Linked[kernels.State[F]] // the same as ghosts, where devices exchange ghosts by themselves; else nil
	arrays[F]

	// apart tells that the device has memory of its own. The host then has room for a copy of the state.
	apart   bool
	host    []kernels.State[F]
	viewed  int          // the step whose state host holds whole, -1 for none
	looked  map[int]bool // cells of the state of now that it holds besides
	keeps   bool         // what is largest
	kept    int          // the step up to which peaked holds it, -1 for none
	peaked  kernels.Peaks
	picking picking[F]
	samples samples[F]

	loops  [turns]loops
	now    int     // which of the turns is next
	gates  []int   // groups of edges through which water comes and goes, -1 for those of none
	gateOf []int32 // of each outlet
	sides  []int64 // and its key
	sources
	inner  int // edges [0, inner) touch no ghost
	tiled  bool
	core   int // tiles [0, core) touch no ghost
	ntiles int
	beds   []kernels.Bed[F]
	dry    float64                  // m, as the case has it
	single bool                     // one layer, the lower
	wasDry []bool                   // owned cells at the start, where what is largest is kept
	replay [turns]backend.Recording // of several steps, from each of the turns on

	time    [1]kernels.Clock[F] // after the last step
	pause   float64
	least   [turns]atomics.Least[F]
	clockAt time.Time
	spent   [phases]time.Duration
	flying  bool // the ghosts of this state are on their way
	reducer *reducer
}

func (s *solver[F]) Time() float64     { return s.time[0].Time }
func (s *solver[F]) Steps() int        { return int(s.time[0].Steps) }
func (s *solver[F]) DryDepth() float64 { return s.dry }
func (s *solver[F]) Dt() float64       { return float64(s.time[0].Took) }

func (s *solver[F]) Advance(ctx context.Context, until float64, steps int) error {
	s.time[0].Aim(until, s.pause)
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
		if s.time[0].Stop {
			break
		}
	}
	return s.rest(ctx) // the caller may have the ranks talk of something else
}

func (s *solver[F]) Pause(at float64) { s.pause = at }

func (s *solver[F]) Step(ctx context.Context, until float64) (float64, error) {
	err := s.Advance(ctx, until, 1)
	return s.Dt(), err
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
		if err := s.look(0, len(s.beds)); err != nil {
			return nil, err
		}
		s.viewed = s.Steps()
	}
	return s.host, nil
}

func (s *solver[F]) Nudge(ctx context.Context, change func(cell int, w *[6]float64)) error {
	if err := s.rest(ctx); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	s.unview() // ghosts too
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
	if s.tilts != nil {
		_ = s.tilts.Close()
	}
	if s.ghosts != nil {
		_ = s.ghosts.Close() // what is not given back goes with the device
	}
	s.taken.Free()
}
