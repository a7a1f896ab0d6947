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
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Solver advances the layers on a rank's part of the mesh. All ranks make the same calls.
type Solver interface {
	// Advance takes between one and `steps` time steps, the same number on all ranks, without passing until. It takes
	// one if queueing several has no advantage.
	Advance(ctx context.Context, until float64, steps int) error
	// Pause makes Advance return after the first step that reaches a time; 0 for none.
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
	// Sample, Sampled and SelectSample implement solvers.Sampler for all quantities of Pick.
	Sample(cells []int) (bool, error)
	Sampled() []float64
	SelectSample(k int)
	// DryDepth is the thickness in m below which a layer counts as absent.
	DryDepth() float64
	Diagnose(ctx context.Context) (Diagnostics, error)
	// Observe and Observed implement solvers.Observer.
	Observe(ctx context.Context) error
	Observed(ctx context.Context, to *dist.Joint) (dist.Result[Diagnostics], error)
	// StateField is the state of all cells of the part, on their space: h1, q1x, q1y, h2, q2x, q2y.
	StateField(on *solvers.Space) solvers.Field
	// ValueFromState returns the function that computes one of Fields from the bytes of StateField, for
	// solvers.Field.Value; nil if the bed moves.
	ValueFromState(name string) func(cell int, state []byte) float64
	// BudgetFields are the volumes that have passed through boundary edges, and the water that cells have lost to
	// evaporation and infiltration, since the start. They are saved, so that the budget after a restart is that of the
	// whole run.
	BudgetFields() []solvers.Field
	// PeakFields are the recorded extremes since the start, of one layer.
	PeakFields(on *solvers.Space) []solvers.Field
	// Wetted calls do for each owned cell whose thickness was ever above Keep.Threshold, with its highest level in m, and
	// whether it was dry at the start.
	Wetted(do func(cell int, level float64, dry bool)) error
	// State, Quiesce, Scalars and Restore implement solvers.Restarter.
	State(ctx context.Context) ([]solvers.State, error)
	Quiesce(ctx context.Context) error
	Scalars(ctx context.Context) (map[string]float64, error)
	Restore(ctx context.Context, at solvers.Clock, scalars map[string]float64, fill func() error) error
	// Hash returns the hash of the state: see solvers.Hash.
	Hash(ctx context.Context) (string, error)
	// ModifyState changes the state of every cell, ghosts included: change is called with a local cell and its h1,
	// q1x, q1y, h2, q2x, q2y. It must make the same change on every rank that holds the cell.
	ModifyState(ctx context.Context, change func(cell int, w *[6]float64)) error
	// Phases returns the seconds that this rank spent in each phase.
	Phases() map[string]float64
	// Halo returns the exchanger of ghosts: direct, staged or nccl.
	Halo() string
	// Close frees the memory on the device.
	Close()
	// Bytes returns the size of the arrays on the device.
	Bytes() int64
}

// New sets up the solver in the given precision, "float32" or "float64".
func New(ctx context.Context, precision string, cfg Config, part *mesh.Part, plan *halo.Plan, init Initial,
	comm dist.Comm, dev backend.Device) (Solver, error) {
	switch precision {
	case "float32":
		return orNil(setUp[float32](ctx, cfg, part, plan, init, comm, dev))
	case "float64":
		return orNil(setUp[float64](ctx, cfg, part, plan, init, comm, dev))
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

// orNil turns a solver that could not be set up into a nil interface.
func orNil[F num.Float](s *solver[F], err error) (Solver, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

type solver[F num.Float] struct {
	part        *mesh.Part
	comm        dist.Comm
	dev         backend.Device
	ghosts      halo.GhostExchanger[kernels.State[F]]
	slopeGhosts halo.GhostExchanger[kernels.Slopes[F]]  // at second order
	linked      *halo.DeviceExchanger[kernels.State[F]] // ghosts, if the devices exchange them directly; else nil
	arrays[F]

	// separate is true for a device with separate memory; the host then has a copy of the state.
	separate      bool
	host          []kernels.State[F]
	hostStep      int          // the step whose whole state the host has, -1 for none
	hostCells     map[int]bool // cells of the current state that the host has
	keepsMaxima   bool
	hostPeaksStep int // the step up to which hostPeaks is current, -1 for none
	hostPeaks     kernels.Peaks
	gathering     gathering[F]
	samples       samples[F]

	loops [cycleLength]loops
	schedule
	now         cycleStep // the number in the cycle of the next step
	openGroups  []int     // physical groups of open edges, -1 for edges without a group
	outletGroup []int32   // index in openGroups of each outlet
	outletKeys  []int64   // key of each outlet
	sources
	conveyances[F]
	innerEdges int // edges [0, innerEdges) touch no ghost
	bands      *bands.Bands
	bandLoop   bandLoop
	tiled      bool
	coreTiles  int // tiles [0, coreTiles) touch no ghost
	ntiles     int
	beds       []kernels.Bed[F]
	dry        float64                     // the dry depth in m
	oneLayer   bool                        // there is only the lower layer
	wasDry     []bool                      // owned cells that were dry at the start, if extremes are recorded
	recordings [cycleLength]backend.Replay // of stepsPerRecording steps, starting at each step of the cycle

	hostClock  [1]kernels.Clock[F] // after the last step
	pause      float64
	hostLimits [cycleLength]atomics.Least[F]
	lapStart   time.Time
	spent      [phases]time.Duration // in each phase
	exchanging bool                  // the exchange of the current state's ghosts is pending
	reducer    *reducer
}

func (s *solver[F]) Time() float64     { return s.hostClock[0].Time }
func (s *solver[F]) Steps() int        { return int(s.hostClock[0].Steps) }
func (s *solver[F]) DryDepth() float64 { return s.dry }
func (s *solver[F]) Dt() float64       { return float64(s.hostClock[0].LastDt) }

func (s *solver[F]) Advance(ctx context.Context, until float64, steps int) error {
	s.hostClock[0].SetTarget(until, s.pause)
	if s.schedule.queue != nil {
		return s.queueSteps(ctx, steps)
	}
	if !s.params.Lag {
		return s.step(ctx)
	}
	for range steps {
		if err := s.step(ctx); err != nil {
			return err
		}
		if s.hostClock[0].Stop {
			break
		}
	}
	return s.quiesce(ctx) // the caller may make other collective calls
}

func (s *solver[F]) Pause(at float64) { s.pause = at }

func (s *solver[F]) Step(ctx context.Context, until float64) (float64, error) {
	err := s.Advance(ctx, until, 1)
	return s.Dt(), err
}

// hostState returns the current state in memory that the host can read; ghosts are outdated while their exchange is
// pending.
func (s *solver[F]) hostState() ([]kernels.State[F], error) {
	if !s.separate {
		return s.current(), nil
	}
	if s.hostStep != s.Steps() {
		if err := backend.Download(s.dev, s.host, s.current()); err != nil {
			return nil, err
		}
		if err := s.downloadBeds(0, len(s.beds)); err != nil {
			return nil, err
		}
		s.hostStep = s.Steps()
	}
	return s.host, nil
}

func (s *solver[F]) ModifyState(ctx context.Context, change func(cell int, w *[6]float64)) error {
	if err := s.quiesce(ctx); err != nil {
		return err
	}
	if err := s.finishExchange(ctx); err != nil {
		return err
	}
	s.forgetHostState() // ghosts too
	w, err := s.hostState()
	if err != nil {
		return err
	}
	for i := range w {
		c := &w[i]
		v := [6]float64{float64(c.H1), float64(c.Q1x), float64(c.Q1y), float64(c.H2), float64(c.Q2x), float64(c.Q2y)}
		change(i, &v)
		*c = kernels.State[F]{H1: F(v[0]), Q1x: F(v[1]), Q1y: F(v[2]), H2: F(v[3]), Q2x: F(v[4]), Q2y: F(v[5])}
	}
	if !s.separate {
		return nil
	}
	return backend.Upload(s.dev, s.current(), w)
}

func (s *solver[F]) Close() {
	s.reducer.close()
	for k := range s.recordings {
		s.recordings[k].Close()
	}
	if s.slopeGhosts != nil {
		_ = s.slopeGhosts.Close()
	}
	if s.ghosts != nil {
		_ = s.ghosts.Close() // anything that remains is freed with the device
	}
	s.allocated.Free()
}
