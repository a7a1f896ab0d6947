package smooth

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
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

// StateFields are the positions of the vertices, the metric there, and how far they have slid; with Cull, the sets
// of their last move and visit; for the smoother barrier, the positions to which they may return.
func (e *engine[F, V]) StateFields() []solvers.Field {
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
				View: func() solvers.View { return solvers.ViewOf[F](e.dev, v, at) }})
		}
		return all
	}
	all := fieldsOf("", e.v)
	all[0].Hashed = true
	if e.stages != nil {
		all = append(all, fieldsOf("kept ", e.stages.saved)...)
	}
	if e.params.Cull {
		sweepField := func(name string, values []int32) solvers.Field {
			return solvers.Field{Name: name, Space: space, Saved: true,
				View: func() solvers.View { return solvers.ViewOf[int32](e.dev, values, 0) }}
		}
		all = append(all, sweepField("moved", e.moved), sweepField("seen", e.seen))
	}
	return all
}

// Scalars returns the counters of all ranks, and the state of the smoother barrier.
func (e *engine[F, V]) Scalars(ctx context.Context) (map[string]float64, error) {
	var n [1]kernels.Counters
	if err := backend.Download(e.dev, n[:], e.counters); err != nil {
		return nil, err
	}
	sums := []int64{n[0].Limited, n[0].Refused}
	if err := e.comm.AllreduceInt64(ctx, dist.Sum, sums); err != nil {
		return nil, err
	}
	scalars := map[string]float64{"limited": float64(sums[0]), "refused": float64(sums[1])}
	if s := e.stages; s != nil {
		scalars["stage"], scalars["stage_sweeps"], scalars["begun"] = float64(s.current), float64(s.sweeps),
			boolToFloat(s.begun)
		scalars["start_mean"], scalars["start_worst"] = s.startLevel.mean, s.startLevel.worst
		scalars["last_mean"], scalars["last_worst"] = s.lastLevel.mean, s.lastLevel.worst
		c := &e.hostControl[0]
		scalars["floor"], scalars["doublings"], scalars["rising"] = float64(c.Floor), float64(c.Doublings),
			boolToFloat(c.Rising)
	}
	return scalars, nil
}

func boolToFloat(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func (e *engine[F, V]) Restore(ctx context.Context, at solvers.Clock, scalars map[string]float64,
	fill func() error) error {
	if err := fill(); err != nil {
		return err
	}
	e.diagnosed = false
	c := &e.hostControl[0]
	c.Sweep = int32(at.Steps)
	if s := e.stages; s != nil {
		s.current, s.sweeps, s.begun = stage(scalars["stage"]), int(scalars["stage_sweeps"]), scalars["begun"] != 0
		s.startLevel, s.lastLevel = qualityLevel{scalars["start_mean"], scalars["start_worst"]},
			qualityLevel{scalars["last_mean"], scalars["last_worst"]}
		c.Floor, c.Doublings, c.Rising = F(scalars["floor"]), int32(scalars["doublings"]), scalars["rising"] != 0
	}
	var counted kernels.Counters // of all ranks, on one
	if e.comm.Rank() == 0 {
		counted = kernels.Counters{Limited: int64(scalars["limited"]), Refused: int64(scalars["refused"])}
	}
	if err := backend.Upload(e.dev, e.counters, []kernels.Counters{counted}); err != nil {
		return err
	}
	v, err := e.allVertices()
	if err != nil {
		return err
	}
	if e.separate && e.params.Cull {
		if err := backend.Download(e.dev, e.hostMoved, e.moved); err != nil {
			return err
		}
	}
	for k := range e.changes { // the ghosts of other ranks have the present coordinates
		e.changes[k].markSent(v)
	}
	return nil
}
