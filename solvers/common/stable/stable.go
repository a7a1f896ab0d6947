// Package stable has what a solver declares, for solvers behind which another solver is replaced during a run: its
// fields and spaces stay, and read those of the present one.
package stable

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/solvers"
)

// Inner is a solver that is replaced by another, which declares as much in the same order.
type Inner interface {
	solvers.Solver
	solvers.Outliner
	solvers.Flowing
}

// Declared is what others know of a solver that is replaced. What they hold of it stays.
type Declared struct {
	spaces   map[*solvers.Space]*solvers.Space // by that of the present solver
	order    []*solvers.Space                  // in the order of their first use
	fields   []solvers.Field
	shapes   []solvers.Shape
	flows    []solvers.Flow
	outlines []solvers.Outline
	now      present
}

// present is what the present solver declares.
type present struct {
	fields   []solvers.Field
	shapes   []solvers.Shape
	flows    []solvers.Flow
	outlines []solvers.Outline
}

func presentOf(s Inner) present { return present{s.Fields(), s.Shapes(), s.Flows(), s.Outlines()} }

// Fields returns the fields. The entities of their spaces are those of now, also if they come and go.
func (s *Declared) Fields() []solvers.Field {
	for space, known := range s.spaces {
		if known.Owned != space.Owned || known.Held != space.Held { // others may be read in the background
			known.Owned, known.Held = space.Owned, space.Held
		}
	}
	return s.fields
}

// Shapes returns the shapes.
func (s *Declared) Shapes() []solvers.Shape { return s.shapes }

// Flows returns the fluxes.
func (s *Declared) Flows() []solvers.Flow { return s.flows }

// Outlines returns the regions.
func (s *Declared) Outlines() []solvers.Outline { return s.outlines }

// spacesOf returns the spaces of all that a solver has, in the order of their first use.
func (p *present) spacesOf() (list []*solvers.Space) {
	add := func(s *solvers.Space) {
		if s != nil && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	for k := range p.fields {
		add(p.fields[k].Space)
		if from := p.fields[k].From; from != nil {
			add(from.Space)
		}
	}
	for k := range p.flows {
		add(p.flows[k].Space)
	}
	for k := range p.outlines {
		add(p.outlines[k].Space)
	}
	return list
}

// Of returns what a solver declares.
func Of(of Inner) *Declared {
	s := &Declared{now: presentOf(of)}
	s.spaces = map[*solvers.Space]*solvers.Space{}
	for _, space := range s.now.spacesOf() {
		known := *space
		known.Changing = true
		s.order = append(s.order, &known)
		s.spaces[space] = &known
	}
	froms := map[*solvers.Field]*solvers.Field{}
	for k := range s.now.fields {
		f := s.field(k)
		if from := s.now.fields[k].From; from != nil {
			if froms[from] == nil {
				known := *from
				known.Space = s.spaces[from.Space]
				known.View = func() solvers.View { return s.now.fields[k].From.View() }
				froms[from] = &known
			}
			f.From = froms[from]
			f.Value = func(entity int, bytes []byte) float64 { return s.now.fields[k].Value(entity, bytes) }
		}
		s.fields = append(s.fields, f)
	}
	for k := range s.now.shapes {
		s.shapes = append(s.shapes, s.shape(k))
	}
	s.flows, s.outlines = slices.Clone(s.now.flows), slices.Clone(s.now.outlines)
	for k := range s.flows {
		s.flows[k].Space = s.spaces[s.flows[k].Space]
		s.flows[k].ValuesAt = func(ctx context.Context, entities []int, values []float64) error {
			return s.now.flows[k].ValuesAt(ctx, entities, values)
		}
	}
	for k := range s.outlines {
		s.outlines[k].Space = s.spaces[s.outlines[k].Space]
		s.outlines[k].Inside = func(ctx context.Context) ([]bool, error) { return s.now.outlines[k].Inside(ctx) }
	}
	return s
}

// field returns the k-th field without From and Value.
func (s *Declared) field(k int) solvers.Field {
	f := s.now.fields[k]
	f.Space = s.spaces[f.Space]
	if f.View != nil {
		f.View = func() solvers.View { return s.now.fields[k].View() }
	}
	if f.Values != nil {
		f.Values = func(ctx context.Context) ([]float64, error) { return s.now.fields[k].Values(ctx) }
	}
	if f.ValuesAt != nil {
		f.ValuesAt = func(ctx context.Context, entities []int, values []float64) error {
			return s.now.fields[k].ValuesAt(ctx, entities, values)
		}
	}
	return f
}

// shape returns the k-th shape.
func (s *Declared) shape(k int) solvers.Shape {
	f := s.now.shapes[k]
	known := func(faces *solvers.Faces) *solvers.Faces {
		if faces != nil && faces.Space != nil {
			faces.Space = s.spaces[faces.Space]
		}
		return faces
	}
	if f.Faces != nil {
		f.Faces = func(ctx context.Context) (*solvers.Faces, error) {
			faces, err := s.now.shapes[k].Faces(ctx)
			return known(faces), err
		}
	}
	if f.Field != nil {
		f.Field = func(ctx context.Context) (solvers.Field, error) { return s.now.shapes[k].Field(ctx) }
		f.FacesOf = func(numbers []float64) *solvers.Faces { return known(s.now.shapes[k].FacesOf(numbers)) }
	}
	return f
}

// Follow makes the fields and spaces those of the solver that has replaced the present one.
func (s *Declared) Follow(of Inner) {
	s.now = presentOf(of)
	s.spaces = map[*solvers.Space]*solvers.Space{}
	for k, space := range s.now.spacesOf() {
		known := s.order[k]
		*known = *space
		known.Changing = true
		s.spaces[space] = known
	}
}
