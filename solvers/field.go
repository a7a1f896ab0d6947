package solvers

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// Space is a set of entities of which each rank owns a share: the cells of a mesh or of a grid. A rank numbers its own
// from 0.
type Space struct {
	Name  string            // of one of them
	Owned int               // by this rank
	Key   func(i int) int64 // global, the same for any number of ranks

	// Locate returns the owned entity, of several that of the lowest key, that holds a point of two or three coordinates,
	// and -1 if there is none. nil is for spaces that have no gauges.
	Locate func(at []float64) int

	Format   string // of frames: vtu with Geometry.Mesh, vti with Geometry.Block
	Geometry func(ctx context.Context) (Geometry, error)
}

// Geometry is where the owned entities of a space are now: a rank's piece of a frame without fields. The next call may
// overwrite it.
type Geometry struct {
	Mesh  *vtk.Grid  // whose cells are the entities, or
	Block *vtk.Image // of a grid
	Boxes []vtk.Box  // the blocks of all ranks
}

// Field is state on a space, or what is made of it for output. It has as many numbers an entity as components.
type Field struct {
	Name, Unit, Doc string
	On              *Space
	Components      []string // names of its numbers, in gauges; nil for one, which has the name of the field

	// Of pictures: Where is a field that tells where there is none of what this one is of, by numbers that are small;
	// Range is what colours span, where that is not what the values do: such a field is shown before and after the run.
	Where string
	Range *[2]float64

	// Values returns the numbers of all owned entities, entity by entity.
	Values func(ctx context.Context) ([]float64, error)
	// At writes those of some owned entities to values. All ranks call it at the same moments. nil picks them from Values.
	At func(ctx context.Context, entities []int, values []float64) error
}

// Numbers are the names of the field's numbers.
func (f *Field) Numbers() []string {
	if f.Components == nil {
		return []string{f.Name}
	}
	return f.Components
}

// Pick writes the numbers of some owned entities to values, entity by entity. All ranks call it at the same moments.
func (f *Field) Pick(ctx context.Context, entities []int, values []float64) error {
	if f.At != nil {
		return f.At(ctx, entities, values)
	}
	all, err := f.Values(ctx)
	if err != nil {
		return err
	}
	n := len(f.Numbers())
	for k, i := range entities {
		copy(values[k*n:(k+1)*n], all[i*n:])
	}
	return nil
}

// Named returns the fields of the given names, in their order; what has no field is left out.
func Named(all []Field, names []string) []Field {
	var list []Field
	for _, name := range names {
		if i := slices.IndexFunc(all, func(f Field) bool { return f.Name == name }); i >= 0 {
			list = append(list, all[i])
		}
	}
	return list
}

// FieldNames are the names of fields.
func FieldNames(list []Field) []string {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Name
	}
	return names
}

// Shape is geometry with counts of its own: lines, planes, surfaces.
type Shape struct {
	Format string // in cases
	File   string // the kind of its files: vtp, or stl for triangles alone
	Doc    string
	Faces  func(ctx context.Context) (*Faces, error)
}

// Faces are a rank's piece of a shape.
type Faces struct {
	vtk.PolyData // with what the shape has of its own; what all frames have is added

	// On and Of tell of which owned entity each face is part: it then has the fields that Carry names, and those of the
	// case.
	On    *Space
	Of    []int
	Carry []string
}
