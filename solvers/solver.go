package solvers

import (
	"context"
	"io"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// Env is what a rank gives its share of a case.
type Env struct {
	Comm   dist.Comm
	Device backend.Device
	Halo   string    // how devices exchange ghosts: auto, staged or nccl; auto if empty
	Beside int       // ranks that share the device's memory, this one among them; 1 if 0
	Log    io.Writer // is told of the stages of a set-up; nil for nobody
}

// Solver is one rank's share of a case under way. All ranks make the same calls in the same order. What it declares,
// its fields, shapes and quantities, is all that frames, gauges, tables and the summary are made of.
type Solver interface {
	// Size tells how large the case is and where it ends.
	Size() Size
	// Advance takes at least one and at most so many steps. None passes until; the first that reaches pause is the last of
	// them, and has the length that it has without. done tells that the solver has a reason of its own to end there.
	Advance(ctx context.Context, until, pause float64, steps int) (done bool, err error)
	Clock() Clock
	// Fields are all that the case can write, in the order of the manual, and state that it cannot. They do not change.
	Fields() []Field
	// Shapes are geometry with counts of its own. They do not change.
	Shapes() []Shape
	// Measure measures the state. What it returns is the same on all ranks and for any number of them, and has the same
	// names at all times.
	Measure(ctx context.Context) ([]Quantity, error)
	// State is what the owned entities of each space hold in fields that are hashed, where the host can read it until the
	// next step: HashedState makes it of the fields.
	State(ctx context.Context) ([]State, error)
	// Phases tells how many seconds this rank spent where, in a map of the caller's.
	Phases() map[string]float64
	// Close gives back what the device holds.
	Close()
}

// Restarter is a solver whose runs can be saved, and go on on any number of ranks: see Save and Restore.
type Restarter interface {
	Solver
	// Quiesce waits for exchanges and reductions that are pending, so that the views of fields show the state after the
	// last step.
	Quiesce(ctx context.Context) error
	// Scalars are the numbers beside fields and clock that the next steps, and what is measured, follow from, by name.
	// They are the same on all ranks, and for any number of them.
	Scalars(ctx context.Context) (map[string]float64, error)
	// Restore puts the solver into a state. fill overwrites the numbers of all saved fields, of copies too where their
	// spaces hold some, in the arrays that views show at that moment; what depends on them is made anew.
	Restore(ctx context.Context, at Clock, scalars map[string]float64, fill func() error) error
}

// Ender is a solver that measures more of the last state than of others.
type Ender interface {
	// MeasureEnd measures the state that a run ends with, beside what Measure does. All ranks call it.
	MeasureEnd(ctx context.Context) ([]Quantity, error)
}

// Saver is a solver that moves a mesh. Rank 0 writes it, by the extension of the path.
type Saver interface {
	Save(ctx context.Context, path string) error
}

// Stepper is a solver that knows how many steps there will be. It tells on any rank by itself.
type Stepper interface {
	// StepsTo are the steps that lead from the state to a time, at least and at most.
	StepsTo(until float64) (least, most float64)
}

// Stopper is a solver with rules to end by.
type Stopper interface {
	// Stopped names the rule by which it has ended.
	Stopped() string
}

// Size is how large a case is and where it ends, on all ranks alike but for Bytes.
type Size struct {
	Unit      string // what a step updates: cell, vertex
	Dim       int    // of space: 2 or 3
	Entities  int64  // of that, of all ranks
	Bytes     int64  // of this rank's arrays, by itself
	Precision string // of the state: float32 or float64
	Halo      string // how ghosts are exchanged: direct, staged or nccl
	End       float64
	MaxSteps  int // the run stops before End; 0 for no limit
	// Sweeps tells that the solver has no time: its clock counts sweeps, each a step of length 1.
	Sweeps bool
	Found  string // a line on what the case left to the solver; empty for nothing
	// Odd is what is possible but probably a mistake: a body outside of the grid, a layer absent everywhere.
	Odd []string
}

// Clock is when a state is: its time in s or sweeps, how many steps led there, and the length of the last.
type Clock struct {
	Time  float64
	Steps int
	Dt    float64
}

// Toward is the clock after the next of the equal steps, each at most so long, that lead to a time.
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

// Quantity is a number that was measured of the whole state.
type Quantity struct {
	Name, Unit, Doc string
	In              Place
	Error           bool   // it goes to 0 as cells do: studies tell with which order
	Panel           string // label of the axes that it is drawn on in pictures, with others of that label; "" for none
	Value           float64
}

// Measured are quantities with their values, in the same order.
func Measured(list []Quantity, values ...float64) []Quantity {
	if len(values) != len(list) {
		panic("solvers: as many values as quantities are needed")
	}
	list = slices.Clone(list)
	for i := range list {
		list[i].Value = values[i]
	}
	return list
}

// From joins the name of something conserved and that of a source, such as mass2 and mouth: how much that has brought
// since the start.
const From = "_from_"

// Place is where a quantity is told; a sum is several places.
type Place int

const (
	// Column: in each row of conservation.csv.
	Column Place = 1 << iota
	// Metric: in the summary.
	Metric
	// Drift: in the summary as the change of something conserved that its sources do not explain, as a share. It has the
	// name of the quantity without "_drift".
	Drift
)
