package solvers

import (
	"context"
	"io"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// Env is the environment in which a rank computes its share of a case.
type Env struct {
	Comm          dist.Comm
	Device        backend.Device
	Halo          string    // exchanger of ghosts between devices: auto, staged or nccl; auto if empty
	RanksOnDevice int       // ranks that share the device's memory, including this one; 0 counts as 1
	Crowding      float64   // threads of ranks that share a processor, the same on all ranks; 0 counts as 1
	Log           io.Writer // receives the progress of the set-up; may be nil
}

// Solver is one rank's share of a running case. All ranks make the same calls in the same order. Frames, gauges,
// tables and the summary are made from the fields, shapes and quantities that it declares.
type Solver interface {
	// Size returns how large the case is and when it ends.
	Size() Size
	// Advance takes between one and `steps` steps. No step goes beyond the time until. Advance returns after the
	// first step that reaches the time pause, without shortening that step. done means that the solver ends the run
	// for a reason of its own.
	Advance(ctx context.Context, until, pause float64, steps int) (done bool, err error)
	Clock() Clock
	// Fields returns all fields that the case can write, in the order of the manual, and fields of the state that it
	// cannot write. They do not change during a run.
	Fields() []Field
	// Shapes returns geometry that is not made of entities. They do not change during a run.
	Shapes() []Shape
	// Measure measures the current state. The result is the same on all ranks and for any number of ranks, and always
	// has the same names.
	Measure(ctx context.Context) ([]Quantity, error)
	// State returns the hashed fields of the owned entities, space by space, in memory that the host can read, valid
	// until the next step. HashedState makes it from the fields.
	State(ctx context.Context) ([]State, error)
	// Phases returns the wall-clock seconds that this rank has spent in each phase of its work so far, such as
	// "halo", by the name of the phase. The caller may change the map.
	Phases() map[string]float64
	// Close frees the solver's memory on the device.
	Close()
}

// Restarter is a solver whose runs can be saved, and continued on any number of ranks: see Save and Restore.
type Restarter interface {
	Solver
	// Quiesce waits for pending exchanges and reductions, so that the views of fields show the state after the last
	// step.
	Quiesce(ctx context.Context) error
	// Scalars returns, by name, the numbers besides fields and clock that later steps and measurements depend on.
	// They are the same on all ranks and for any number of ranks.
	Scalars(ctx context.Context) (map[string]float64, error)
	// Restore sets the solver to a saved state. fill overwrites the numbers of all saved fields, of ghosts too in
	// spaces whose views show them, in the arrays that the views show during the call; Restore then recomputes what
	// depends on them.
	Restore(ctx context.Context, at Clock, scalars map[string]float64, fill func() error) error
}

// Ender is a solver with additional measurements of the last state.
type Ender interface {
	// MeasureEnd measures the state at the end of a run; its result is added to that of Measure. All ranks call it.
	MeasureEnd(ctx context.Context) ([]Quantity, error)
}

// ViewMeasurer is a solver with quantities that rows of tables lack, because they take longer to measure.
type ViewMeasurer interface {
	// MeasureView measures those quantities of the current state for the live view, at most as often as it shows a
	// picture. All ranks call it at the same steps.
	MeasureView(ctx context.Context) ([]Quantity, error)
}

// Saver is a solver that moves the vertices of a mesh, and can write the mesh to a file.
type Saver interface {
	// Save writes the mesh on rank 0, in the format of the path's extension. All ranks call it.
	Save(ctx context.Context, path string) error
}

// Stepper is a solver that can predict the number of steps. The call is not collective.
type Stepper interface {
	// StepsTo returns bounds of the number of steps from the current state to a time; 0 if it knows none.
	StepsTo(until float64) (least, most float64)
}

// Stopper is a solver with stopping rules of its own.
type Stopper interface {
	// Stopped returns the name of the rule that ended the run.
	Stopped() string
}

// Size is how large a case is and when it ends. All fields except Bytes and Warnings are the same on all ranks.
type Size struct {
	Unit      string // entity that a step updates: cell, vertex
	Dim       int    // number of space dimensions: 2 or 3
	Entities  int64  // number of Units over all ranks
	Bytes     int64  // size of this rank's own arrays
	Precision string // of the state: float32 or float64
	Halo      string // exchanger of ghosts: direct, staged or nccl
	End       float64
	MaxSteps  int // the run ends after so many steps even if it has not reached End; 0 for no limit
	// Sweeps means that the solver has no time: its clock counts sweeps, each a step of length 1.
	Sweeps bool
	Note   string // a line about a choice that the case left to the solver, for the log; may be empty
	// Warnings lists what is allowed but probably a mistake: a body outside of the grid, a layer that is absent
	// everywhere, a mesh that was mended. Those of rank 0 are printed.
	Warnings []string
}

// Clock is the time of a state in s or sweeps, the number of steps up to it, and the length of the last step.
type Clock struct {
	Time  float64
	Steps int
	Dt    float64
}

// Toward returns the clock after the next of the equal steps that lead to a time, each no longer than longest.
func (c Clock) Toward(until, longest float64) Clock {
	// The tolerance keeps round-off from adding a step.
	n := max(1, math.Ceil((until-c.Time)/longest*(1-1e-12)))
	dt := (until - c.Time) / n
	next := Clock{Time: c.Time + dt, Steps: c.Steps + 1, Dt: dt}
	if n == 1 {
		next.Time = until
	}
	return next
}

// Quantity is a number that was measured from the whole state.
type Quantity struct {
	Name, Unit, Doc string
	Outputs         Output
	Error           bool   // an error that converges to 0 with the cell size: studies report its order
	Panel           string // label of the axis in the plot that it shares with other quantities; "" if it is not drawn
	Value           float64
}

// Measured returns the quantities with their values, in the same order.
func Measured(list []Quantity, values ...float64) []Quantity {
	if len(values) != len(list) {
		panic("solvers: the number of values differs from that of quantities")
	}
	list = slices.Clone(list)
	for i := range list {
		list[i].Value = values[i]
	}
	return list
}

// SourceInfix joins the name of a conserved quantity and that of a source in the name of the amount that the source has
// added since the start: mass2_from_mouth.
const SourceInfix = "_from_"

// Prefixes of a structure's name in the names of quantities: the volume in m³ that has passed through it since the
// start, and the time in s at which it has opened.
const ThroughPrefix, OpenedPrefix = "through_", "opened_"

// Output is a set of outputs in which a quantity appears.
type Output int

const (
	// Column: a column of conservation.csv.
	Column Output = 1 << iota
	// Metric: a metric of the summary.
	Metric
	// Drift: in the summary, the relative change of a conserved quantity that its sources do not explain. It has the
	// name of the conserved quantity with "_drift" appended.
	Drift
)
