package smooth

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/barrier"
)

// vertexFields are the components of a vertex, in the order of its memory, by dimension.
var vertexFields = [4][]struct {
	name, doc string
	numbers   []string
}{
	2: {{"place", "position", []string{"x", "y"}}, {"metric", "metric at the position", []string{"m11", "m12", "m22"}},
		{"rail", "displacement along the rail", []string{"s"}}},
	3: {{"place", "position", []string{"x", "y", "z"}},
		{"metric", "metric at the position", []string{"m11", "m12", "m13", "m22", "m23", "m33"}},
		{"rail", "displacement along the frame's axes", []string{"a", "b"}}},
}

// stateFields are the positions of the vertices, the metric there, and how far they have slid; with Cull, the sets
// of their last move and visit; for the smoother barrier, the positions to which they may return.
func (e *mover[F, V]) stateFields() []solvers.Field {
	space := &solvers.Space{Name: "vertex", Owned: e.sub.Owned, Held: len(e.sub.Global),
		Key: func(i int) int64 { return int64(e.sub.Global[i]) },
		Position: func(i int) (at []float64) {
			for _, x := range e.origin[:e.dim] {
				at = append(at, x[i])
			}
			return at
		}}
	fieldsOf := func(prefix string, v []V) (all []solvers.Field) {
		from := uintptr(0)
		for _, f := range vertexFields[e.dim] {
			at := from
			from += uintptr(len(f.numbers)) * sizeOf[F]()
			all = append(all, solvers.Field{Name: prefix + f.name, Doc: f.doc, Space: space, Components: f.numbers, Saved: true,
				View: func() solvers.View { return solvers.ViewOf[F](e.Env().Device, v, at) }})
		}
		return all
	}
	all := fieldsOf("", e.v)
	all[0].Hashed = true
	if e.stages != nil {
		all = append(all, fieldsOf("kept ", e.stages.saved.Data)...)
	}
	if e.params.Cull {
		sweepField := func(name string, values []int32) solvers.Field {
			return solvers.Field{Name: name, Space: space, Saved: true,
				View: func() solvers.View { return solvers.ViewOf[int32](e.Env().Device, values, 0) }}
		}
		all = append(all, sweepField("moved", e.moved), sweepField("seen", e.seen))
	}
	return all
}

// saved are the counters of all ranks, and the state of the smoother barrier.
func (e *mover[F, V]) saved() []engine.Scalar {
	all := []engine.Scalar{engine.Saves("limited", e.counters, "Limited"), engine.Saves("refused", e.counters, "Refused")}
	s := e.stages
	if s == nil {
		return all
	}
	c := &e.hostControl[0]
	number := func(name string, get func() float64, put func(float64)) {
		all = append(all, engine.Scalar{Name: name, Get: get, Put: put})
	}
	number("stage", func() float64 { return float64(s.current) }, func(v float64) { s.current = barrier.Stage(v) })
	number("stage_sweeps", func() float64 { return float64(s.sweeps) }, func(v float64) { s.sweeps = int(v) })
	number("begun", func() float64 { return boolToFloat(s.begun) }, func(v float64) { s.begun = v != 0 })
	number("floor", func() float64 { return float64(c.Floor) }, func(v float64) { c.Floor = F(v) })
	number("doublings", func() float64 { return float64(c.Doublings) }, func(v float64) { c.Doublings = int32(v) })
	number("rising", func() float64 { return boolToFloat(c.Rising) }, func(v float64) { c.Rising = v != 0 })
	return append(all, engine.SavesNumber("start_mean", &s.startLevel.Mean),
		engine.SavesNumber("start_worst", &s.startLevel.Worst), engine.SavesNumber("last_mean", &s.lastLevel.Mean),
		engine.SavesNumber("last_worst", &s.lastLevel.Worst))
}

func boolToFloat(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// restored continues from a saved state.
func (e *mover[F, V]) restored(context.Context) error {
	e.diagnosed = false
	e.hostControl[0].Sweep = int32(e.Clock().Steps)
	v, err := e.allVertices()
	if err != nil {
		return err
	}
	if e.separate && e.params.Cull {
		if err := backend.Download(e.Env().Device, e.hostMoved, e.moved); err != nil {
			return err
		}
	}
	for k := range e.changes { // the ghosts of other ranks have the present coordinates
		e.changes[k].MarkSent(v)
	}
	return nil
}
