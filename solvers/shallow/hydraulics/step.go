package hydraulics

import (
	"context"
	"errors"
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
	rules      []structures.Rule
	rows       []kernels.Row
	probes     []structures.Probe
	places     []structures.Place
	spots      []structures.Spot
	readings   *engine.Array[float64]
	joined     *engine.Joined[float64]
	operations *engine.Array[structures.Operation]
	shares     *engine.Array[float64] // of rules
	moved      *engine.Array[structures.Moved]
	host       []structures.Operation // the last ones that were read
	hostShares []float64
}

// Declare declares the arrays of structures, nil for none. They are few: no estimate counts them.
func Declare[F num.Float](t *engine.Table, l *Layout[F]) *Works[F] {
	if l == nil {
		l = new(Layout[F])
	}
	return &Works[F]{Layout: l, list: input(t, l.list), rules: input(t, l.rules), rows: input(t, l.rows),
		probes: input(t, l.probes), places: input(t, l.places), spots: input(t, l.spots),
		readings:   engine.Add[float64](t, what, len(l.own)),
		operations: engine.Add[structures.Operation](t, what, len(l.list)),
		shares:     engine.Add[float64](t, what, len(l.rules)),
		moved:      engine.Add[structures.Moved](t, what, len(l.places)), host: make([]structures.Operation, len(l.list)),
		hostShares: make([]float64, len(l.rules))}
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
	p.Run(engine.Whole(structures.NewReadLoop(w.probes, s.Beds, s.State, readings), len(w.probes)))
	p.Reduce(w.joined)
	p.Run(engine.Whole(structures.NewOperateLoop(w.list, w.rules, w.rows, readings, s.Prescribed, s.Ahead, s.Clock,
		s.Limit, operations, w.shares.Data), len(w.list)))
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

// Passages are all structures.
func (w *Works[F]) Passages() (list []Passage) {
	for k := range w.given {
		g := &w.given[k]
		list = append(list, Passage{Name: g.Name, Inside: g.inside(), Opens: g.Kind == "breach" && g.Ruled,
			Set: g.controlled()})
	}
	return list
}

// Passage is what a structure does: the volume that has passed through it from one end to the other since the start,
// m³, the mean discharge of the last step, m³/s, its setting, and the time at which it has opened, s, or -1.
type Passage struct {
	Name   string
	Inside bool // water stays in the domain
	Opens  bool // it is a breach that opens at a level
	Set    bool // it has a setting that changes: the opening of a gate, m, the share of a culvert or of a pump's capacity

	Volume, Discharge, Setting, Opened float64
}

// Numbers are those that change.
func (p *Passage) Numbers() []*float64 {
	return []*float64{&p.Volume, &p.Discharge, &p.Setting, &p.Opened}
}

// Volumes returns the volumes in m³ that have come in through Sources since the start, and sets the numbers of
// Passages. All ranks call it.
func (w *Works[F]) Volumes(ctx context.Context, comm dist.Comm, passages []Passage) (sources []float64, err error) {
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
		o, p := &w.host[k], &passages[k]
		if !p.Inside {
			sources = append(sources, sums[k].Float64())
		}
		p.Volume, p.Discharge, p.Setting, p.Opened = o.Total, o.Discharge, o.Setting, -1
		if o.On > 0 {
			p.Opened = o.Since
		}
	}
	return sources, nil
}

// Read reads what the structures have done.
func (w *Works[F]) Read() error {
	list, err := w.operations.Host()
	copy(w.host, list)
	shares, other := w.shares.Host()
	copy(w.hostShares, shares)
	return errors.Join(err, other)
}

// Restore uploads what Saved has restored.
func (w *Works[F]) Restore() error {
	return errors.Join(w.operations.Set(w.host), w.shares.Set(w.hostShares))
}

// Saved are the numbers of structures that checkpoints have, of the last Read.
func (w *Works[F]) Saved() (list []engine.Scalar) {
	saves := func(name string, k int, v *float64) {
		list = append(list, engine.SavesNumber(fmt.Sprintf("structure_"+name, k), v))
	}
	for k := range w.host {
		o, given := &w.host[k], &w.given[k]
		saves("%d", k, &o.Total)
		saves("%d_discharge", k, &o.Discharge)
		if given.controlled() {
			saves("%d_share", k, &o.Share)
			saves("%d_setting", k, &o.Setting)
		}
		if given.Kind == "breach" && given.Ruled {
			saves("%d_on", k, &o.On)
			saves("%d_since", k, &o.Since)
		}
	}
	for n := range w.hostShares {
		saves("rule_%d", n, &w.hostShares[n])
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
