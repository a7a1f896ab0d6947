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
	2: {{"place", "where it is", []string{"x", "y"}}, {"metric", "there", []string{"m11", "m12", "m22"}},
		{"rail", "how far it has slid", []string{"s"}}},
	3: {{"place", "where it is", []string{"x", "y", "z"}},
		{"metric", "there", []string{"m11", "m12", "m13", "m22", "m23", "m33"}},
		{"rail", "how far it has slid", []string{"a", "b"}}},
}

// StateFields are the positions of the vertices, the metric there, and how far they have slid; with Cull, the sweeps
// of their last move and visit; for the smoother barrier, the positions to which they may return.
func (e *engine[F, V]) StateFields() []solvers.Field {
	on := &solvers.Space{Name: "vertex", Owned: e.sub.Owned, Held: len(e.sub.Global),
		Key: func(i int) int64 { return int64(e.sub.Global[i]) },
		Position: func(i int) (at []float64) {
			for _, x := range e.origin[:e.dim] {
				at = append(at, x[i])
			}
			return at
		}}
	hold := func(of string, v []V) (all []solvers.Field) {
		from := uintptr(0)
		for _, f := range vertexFields[e.dim] {
			at := from
			from += uintptr(len(f.numbers)) * sizeOf[F]()
			all = append(all, solvers.Field{Name: of + f.name, Doc: f.doc, Space: on, Components: f.numbers, Saved: true,
				View: func() solvers.View { return solvers.ViewOf[F](e.dev, v, at) }})
		}
		return all
	}
	all := hold("", e.v)
	all[0].Hashed = true
	if e.stages != nil {
		all = append(all, hold("kept ", e.stages.kept)...)
	}
	if e.params.Cull {
		last := func(name string, of []int32) solvers.Field {
			return solvers.Field{Name: name, Space: on, Saved: true,
				View: func() solvers.View { return solvers.ViewOf[int32](e.dev, of, 0) }}
		}
		all = append(all, last("moved", e.moved), last("seen", e.seen))
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
	of := map[string]float64{"limited": float64(sums[0]), "refused": float64(sums[1])}
	if s := e.stages; s != nil {
		of["stage"], of["stage_sweeps"], of["begun"] = float64(s.now), float64(s.sweeps), truth(s.begun)
		of["start_mean"], of["start_worst"] = s.start.mean, s.start.worst
		of["last_mean"], of["last_worst"] = s.last.mean, s.last.worst
		c := &e.now[0]
		of["floor"], of["doublings"], of["rising"] = float64(c.Floor), float64(c.Doublings), truth(c.Rising)
	}
	return of, nil
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func (e *engine[F, V]) Restore(ctx context.Context, at solvers.Clock, of map[string]float64, fill func() error) error {
	if err := fill(); err != nil {
		return err
	}
	e.known = false
	c := &e.now[0]
	c.Sweep = int32(at.Steps)
	if s := e.stages; s != nil {
		s.now, s.sweeps, s.begun = stage(of["stage"]), int(of["stage_sweeps"]), of["begun"] != 0
		s.start, s.last = level{of["start_mean"], of["start_worst"]}, level{of["last_mean"], of["last_worst"]}
		c.Floor, c.Doublings, c.Rising = F(of["floor"]), int32(of["doublings"]), of["rising"] != 0
	}
	var counted kernels.Counters // of all ranks, on one
	if e.comm.Rank() == 0 {
		counted = kernels.Counters{Limited: int64(of["limited"]), Refused: int64(of["refused"])}
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
	for k := range e.changes { // what was sent last is what the ghosts are now
		e.changes[k].markSent(v)
	}
	return nil
}
