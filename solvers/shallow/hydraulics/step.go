package hydraulics

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/structures"
)

// Works are the structures of a run, on a device.
type Works[F num.Float] struct {
	*Layout[F]
	list       []structures.Structure
	rows       []kernels.Row
	places     []structures.Place
	spots      []structures.Spot
	readings   *engine.Array[float64]
	joined     *engine.Joined[float64]
	operations *engine.Array[structures.Operation]
	moved      *engine.Array[structures.Moved]
	host       []structures.Operation // the last ones that were read
}

// Declare declares the arrays of structures, nil for none. They are few: no estimate counts them.
func Declare[F num.Float](t *engine.Table, l *Layout[F]) *Works[F] {
	if l == nil {
		l = new(Layout[F])
	}
	return &Works[F]{Layout: l, list: input(t, l.list), rows: input(t, l.rows), places: input(t, l.places),
		spots: input(t, l.spots), readings: engine.Add[float64](t, what, len(l.own)),
		operations: engine.Add[structures.Operation](t, what, len(l.list)),
		moved:      engine.Add[structures.Moved](t, what, len(l.places)), host: make([]structures.Operation, len(l.list))}
}

const what = "structures"

func input[T any](t *engine.Table, list []T) []T {
	return engine.Input(t, what, len(list), func() []T { return list }).Data
}

// Any reports whether there are structures.
func (w *Works[F]) Any() bool { return len(w.host) > 0 }

// Step is a step in which structures move water.
type Step[F num.Float] struct {
	Gravity           float64
	Clock             *kernels.Clock[F]
	Limit, Next       *atomics.Least[F] // of the length of this step and the next
	Prescribed, Ahead []F
	Beds              []kernels.Bed[F]
	State             []kernels.State[F] // before the step
	Exchange          *engine.Exchange   // of State
}

// Operate moves water between cells at the start of a step, if there are structures: all ranks join what they read, the
// ghosts of the state are awaited, and the changed state is sent once more.
func (w *Works[F]) Operate(p *engine.Program, s *Step[F]) {
	if !w.Any() {
		return
	}
	if w.joined == nil {
		w.joined = engine.JoinedOf(w.readings, w.own)
	}
	readings, operations := w.readings.Data, w.operations.Data
	p.Run(engine.Whole(structures.NewReadLoop(w.places, w.list, s.Beds, s.State, readings), len(w.places)))
	p.Reduce(w.joined)
	p.Run(engine.Whole(structures.NewOperateLoop(w.list, w.rows, readings, s.Prescribed, s.Ahead, s.Clock, s.Limit,
		operations), len(w.list)))
	p.Await(s.Exchange)
	// Not in Share, which linked devices run beside what follows: that reads the state too.
	p.Run(engine.Whole(structures.NewTransferLoop(w.spots, w.places, w.list, operations, readings, s.Gravity,
		s.Beds, s.Clock, s.Limit, s.Next, s.State, w.moved.Data), len(w.spots)))
	p.Share(s.Exchange)
}

// Sources are the names of the structures through which water comes into the domain or leaves it.
func (w *Works[F]) Sources() (names []string) {
	for k := range w.given {
		if !w.given[k].inside() {
			names = append(names, w.given[k].Name)
		}
	}
	return names
}

// Through are the other structures.
func (w *Works[F]) Through() (list []Passage) {
	for k := range w.given {
		if w.given[k].inside() {
			list = append(list, Passage{Name: w.given[k].Name, opens: w.given[k].Kind == "breach" && w.given[k].Ruled})
		}
	}
	return list
}

// Passage is a structure inside the domain, the volume that has passed through it from one end to the other since the
// start, m³, and, of a breach that opens at a level, the time at which it has opened, s, or -1.
type Passage struct {
	Name           string
	Volume, Opened float64

	opens bool
}

// Opens reports whether the passage is a breach that opens at a level.
func (p *Passage) Opens() bool { return p.opens }

// Volumes returns the volumes in m³ that have come in through Sources since the start, and sets those of Through. All
// ranks call it.
func (w *Works[F]) Volumes(ctx context.Context, comm dist.Comm, through []Passage) (sources []float64, err error) {
	if !w.Any() {
		return nil, nil
	}
	if err := w.Read(); err != nil {
		return nil, err
	}
	moved, err := w.moved.Host()
	if err != nil {
		return nil, err
	}
	sums := make([]dist.Accumulator, len(w.host))
	for n, key := range w.keys {
		sums[key>>33].Add(moved[n].Volume)
	}
	if err := dist.AllreduceSums(ctx, comm, sums); err != nil {
		return nil, err
	}
	for k := range w.given {
		if !w.given[k].inside() {
			sources = append(sources, sums[k].Float64())
			continue
		}
		o := &w.host[k]
		through[0].Volume, through[0].Opened = o.Total, -1
		if o.On > 0 {
			through[0].Opened = o.Since
		}
		through = through[1:]
	}
	return sources, nil
}

// Read reads what the structures have done.
func (w *Works[F]) Read() error {
	list, err := w.operations.Host()
	copy(w.host, list)
	return err
}

// Restore uploads what Saved has restored.
func (w *Works[F]) Restore() error { return w.operations.Set(w.host) }

// Saved are the numbers of structures that checkpoints have, of the last Read.
func (w *Works[F]) Saved() (list []engine.Scalar) {
	for k := range w.host {
		o := &w.host[k]
		list = append(list, engine.SavesNumber(fmt.Sprintf("structure_%d", k), &o.Total),
			engine.SavesNumber(fmt.Sprintf("structure_%d_on", k), &o.On))
		if w.given[k].Kind == "breach" && w.given[k].Ruled {
			list = append(list, engine.SavesNumber(fmt.Sprintf("structure_%d_since", k), &o.Since))
		}
	}
	return list
}

// Fields are the volumes that have come into cells.
func (w *Works[F]) Fields(dev backend.Device) (list []solvers.Field) {
	if !w.Any() {
		return nil
	}
	places := &solvers.Space{Name: "place", Owned: len(w.keys), Key: func(i int) int64 { return w.keys[i] }}
	return []solvers.Field{{Name: "moved", Unit: "m³", Doc: "what structures have moved since the start", Space: places,
		Saved: true, Components: []string{"volume", "pending"},
		View: func() solvers.View { return solvers.ViewOf[float64](dev, w.moved.Data, 0) }}}
}
