package shallow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

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
	list = append(list, s.extremes.peakFields()...)
	return append(append(list, state), s.budget.budgetFields()...)
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

// budgetFields are the volumes that have passed through boundary edges, and the water that cells have lost to
// evaporation and infiltration or got by structures, since the start. They are saved, so that the budget after a
// restart is that of the whole run. So is what the next local time steps follow from.
func (s *budget[F]) budgetFields() (list []solvers.Field) {
	if len(s.openGroups) > 0 {
		edges := &solvers.Space{Name: "edge", Owned: len(s.outletKeys), Key: func(i int) int64 { return s.outletKeys[i] }}
		list = append(list, solvers.Field{Name: "passed", Unit: "m³", Doc: "what has left since the start", Space: edges,
			Saved: true, Components: []string{"v1", "v2"},
			View: func() solvers.View { return solvers.ViewOf[float64](s.dev, s.boundary.Passed, 0) }})
	}
	if s.evaporation || s.infiltration {
		list = append(list, solvers.Field{Name: "lost", Unit: "m", Doc: "what was lost since the start",
			Space: s.ownedCells(), Saved: true, Carried: solvers.Mean, Components: []string{"evaporated", "soaked", "fallen"},
			View: func() solvers.View { return solvers.ViewOf[float64](s.dev, s.forcing.Lost, 0) }})
	}
	if s.tiers != nil {
		list = append(list, solvers.Field{Name: "longest", Unit: "s", Doc: "the longest step that waves allow",
			Space: s.ownedCells(), Saved: true,
			View: func() solvers.View { return solvers.ViewOf[F](s.dev, s.tiers.Steps().Longest, 0) }})
	}
	return append(list, s.works.Fields(s.dev)...)
}

// values returns a quantity at every owned cell.
func (s *solver[F]) values(name string) ([]float64, error) {
	w, err := s.copies.hostState()
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
		s.samples.pickSampled(name, cells, values)
		return nil
	}
	if err := s.copies.fetch(cells); err != nil {
		return err
	}
	w := s.copies.host
	if !s.separate {
		w = s.current()
	}
	for k, cell := range cells {
		values[k] = s.quantity(name, float64(s.beds[cell].Depth), &w[cell])
	}
	return nil
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
