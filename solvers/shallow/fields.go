package shallow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Fields are the names of what fields show: of each layer the thickness, the level and the velocity, and the depth of
// the bed.
var Fields = []string{"h1", "h2", "z1", "z2", "u1", "v1", "u2", "v2", "depth"}

// stateName is the name of the field of the state: h1, q1x, q1y, h2, q2x, q2y of all cells of the part.
const stateName = "state"

// fieldList returns all fields: those of the case, extremes, the state, and the budget.
func (s *solver[F]) fieldList() (list []solvers.Field) {
	state := engine.Shown[F](s.Engine, s.stateField(nil), 0, s.state[:]...)
	for i, f := range s.at.Fields {
		name := s.at.Names[i]
		f.Space = s.cells
		f.Values = func(context.Context) ([]float64, error) { return s.values(name) }
		f.ValuesAt = func(_ context.Context, cells []int, values []float64) error { return s.pick(name, cells, values) }
		if len(s.uplift.Rises) == 0 { // else it depends on the position of the bed too
			f.From, f.Value = &state, func(cell int, bytes []byte) float64 {
				w := (*kernels.State[F])(unsafe.Pointer(unsafe.SliceData(bytes)))
				return s.quantity(name, float64(s.beds[cell].Depth), w)
			}
			if slices.Contains(state.Components, name) {
				f.Part = name
			}
		}
		list = append(list, f)
	}
	list = append(list, s.peakFields()...)
	return append(append(list, state), s.budgetFields()...)
}

// flowList returns the mass flows of the layers, which the case declares.
func (s *solver[F]) flowList() []solvers.Flow {
	list, layers := slices.Clone(s.at.Flows), []string{"1", "2"}
	if s.oneLayer {
		layers = []string{"2"}
	}
	for k := range list {
		layer := layers[k]
		list[k].Space = s.cells
		var numbers [3][]float64
		list[k].ValuesAt = func(_ context.Context, cells []int, values []float64) error {
			for q, name := range []string{"h" + layer, "u" + layer, "v" + layer} {
				numbers[q] = slices.Grow(numbers[q][:0], len(cells))[:len(cells)]
				if err := s.pick(name, cells, numbers[q]); err != nil {
					return err
				}
			}
			h, u, v := numbers[0], numbers[1], numbers[2]
			for i := range cells {
				values[2*i], values[2*i+1] = h[i]*u[i], h[i]*v[i]
			}
			return nil
		}
	}
	return list
}

// stateField returns a state of all cells of the part as a field.
func (s *solver[F]) stateField(w []kernels.State[F]) solvers.Field {
	return solvers.Field{Name: stateName, Doc: "thicknesses in m and mass flows in m²/s", Space: s.cells,
		Hashed: true, Saved: true,
		Components: []string{"h1", "q1x", "q1y", "h2", "q2x", "q2y"}, NotNegative: []string{"h1", "h2"},
		View: func() solvers.View { return solvers.ViewOf[F](s.dev, w, 0) }}
}

// visibleField is stateField for messages: with one layer, it has the components of this layer only.
func (s *solver[F]) visibleField(w []kernels.State[F]) solvers.Field {
	f := s.stateField(w)
	if s.oneLayer {
		f.Components, f.NotNegative = []string{"h", "qx", "qy"}, []string{"h"}
		f.View = func() solvers.View {
			return solvers.ViewOf[F](s.dev, w, unsafe.Offsetof(kernels.State[F]{}.H2))
		}
	}
	return f
}

// ownedCells is the space of fields without ghosts.
func (s *solver[F]) ownedCells() *solvers.Space {
	return &solvers.Space{Name: "cell", Owned: s.part.Owned, Key: func(i int) int64 { return int64(s.part.Global[i]) }}
}

// budgetFields are the volumes that have passed through boundary edges, and the water that cells have lost to
// evaporation and infiltration, since the start. They are saved, so that the budget after a restart is that of the
// whole run.
func (s *solver[F]) budgetFields() (list []solvers.Field) {
	if len(s.openGroups) > 0 {
		edges := &solvers.Space{Name: "edge", Owned: len(s.outletKeys), Key: func(i int) int64 { return s.outletKeys[i] }}
		list = append(list, solvers.Field{Name: "passed", Unit: "m³", Doc: "what has left since the start", Space: edges,
			Saved: true, Components: []string{"v1", "v2"},
			View: func() solvers.View { return solvers.ViewOf[float64](s.dev, s.boundary.Passed, 0) }})
	}
	if s.evaporation || s.infiltration {
		list = append(list, solvers.Field{Name: "lost", Unit: "m", Doc: "what was lost since the start",
			Space: s.ownedCells(), Saved: true, Components: []string{"evaporated", "soaked", "fallen"},
			View: func() solvers.View { return solvers.ViewOf[float64](s.dev, s.forcing.Lost, 0) }})
	}
	return list
}

// current is the state after the last step.
func (s *solver[F]) current() []kernels.State[F] { return s.state[s.now().from()].Data }

// hostState returns the current state in memory that the host can read; ghosts are outdated while their exchange is
// pending.
func (s *solver[F]) hostState() ([]kernels.State[F], error) {
	if !s.separate {
		return s.current(), nil
	}
	if s.hostStep != s.Clock().Steps {
		if err := backend.Download(s.dev, s.host, s.current()); err != nil {
			return nil, err
		}
		if err := s.downloadBeds(0, len(s.beds)); err != nil {
			return nil, err
		}
		s.hostStep = s.Clock().Steps
	}
	return s.host, nil
}

// forgetHostState marks the host's copy of the state as outdated.
func (s *solver[F]) forgetHostState() {
	s.hostStep, s.samples.selected, s.gathering.current = -1, false, false
	clear(s.hostCells)
}

// values returns a quantity at every owned cell.
func (s *solver[F]) values(name string) ([]float64, error) {
	w, err := s.hostState()
	if err != nil {
		return nil, err
	}
	out := make([]float64, s.part.Owned)
	const few = 20_000 // cells, below which one thread computes all
	parallel.Ranges(len(out), parallel.Parts(len(out), few), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			out[i] = s.quantity(name, float64(s.beds[i].Depth), &w[i])
		}
	})
	return out, nil
}

// pick writes a quantity at some owned cells to values.
func (s *solver[F]) pick(name string, cells []int, values []float64) error {
	if s.samples.selected {
		s.pickSampled(name, cells, values)
		return nil
	}
	if err := s.fetch(cells); err != nil {
		return err
	}
	w := s.host
	if !s.separate {
		w = s.current()
	}
	for k, cell := range cells {
		values[k] = s.quantity(name, float64(s.beds[cell].Depth), &w[cell])
	}
	return nil
}

// quantity returns one of Fields in a cell with state c over a bed of the given depth in m. The velocity of a
// layer thinner than dry is 0.
func (s *solver[F]) quantity(name string, depth float64, c *kernels.State[F]) float64 {
	h1, h2 := float64(c.H1), float64(c.H2)
	flow := func(q F, h F) float64 {
		if h < s.params.DryDepth {
			return 0
		}
		return float64(q) / float64(h)
	}
	switch name {
	case "h1":
		return h1
	case "h2":
		return h2
	case "z1":
		return h1 + h2 - depth
	case "z2":
		return h2 - depth
	case "u1":
		return flow(c.Q1x, c.H1)
	case "v1":
		return flow(c.Q1y, c.H1)
	case "u2":
		return flow(c.Q2x, c.H2)
	case "v2":
		return flow(c.Q2y, c.H2)
	case "depth":
		return depth
	}
	return math.NaN()
}

// findFault returns an error that names the cell whose state is not finite or has a negative thickness.
func (s *solver[F]) findFault(ctx context.Context) error {
	c := &s.clock.Host[0]
	steps, k := int(c.Steps), cycleStep(c.Steps%cycleLength)
	now, previous := s.visibleField(s.state[k.from()].Data), s.visibleField(s.state[k.to()].Data)
	comm := s.Env().Comm
	text, err := solvers.FirstInvalid(ctx, comm, steps, []solvers.Field{now}, []solvers.Field{previous})
	if err == nil && text == "" && s.middle != nil {
		// The mean of both stages may be valid although the first stage was not.
		now = s.visibleField(s.middle.Data)
		text, err = solvers.FirstInvalid(ctx, comm, steps, []solvers.Field{now}, []solvers.Field{previous})
	}
	switch {
	case err != nil:
		return err
	case text == "":
		text = fmt.Sprintf("step %d: the next step of %g s is too short to advance the time, %g s: speeds have grown beyond "+
			"all bounds", steps, c.Dt, c.Time)
	case s.oneLayer:
		text += " (try a smaller cfl, or a larger dry_depth)"
	default:
		text += " (strong shear between the layers calls for interlayer_friction = true, else try a smaller cfl)"
	}
	return &solvers.InvalidState{Err: errors.New(text)}
}
