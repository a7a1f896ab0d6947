package solvers

import (
	"context"
	"slices"
	"sync"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// Space is a set of entities of which each rank owns a share: the cells of a mesh or of a grid. A rank numbers its own
// from 0.
type Space struct {
	Name  string            // of one of them
	Owned int               // by this rank
	Held  int               // with copies of other ranks' that views show too, behind its own; Owned if it is less
	Key   func(i int) int64 // global, the same for any number of ranks, of all that are held

	// At is where one is, for people, and Size its length, area or volume, of which totals are made; nil where nobody
	// asks, and for 1.
	At   func(i int) []float64
	Size func(i int) float64

	// Locate returns the owned entity, of several that of the lowest key, that holds a point of two or three coordinates,
	// and -1 if there is none. nil is for spaces that have no gauges.
	Locate func(at []float64) int

	// Entities of some spaces, such as particles, come, go and change ranks. Take makes the rank own those with these
	// keys, before their saved fields are filled; Belongs tells whether one with these bytes of the space's first saved
	// field is the rank's. Both are nil for spaces of fixed entities.
	Take    func(keys []int64) error
	Belongs func(bytes []byte) bool

	Format   string // of frames: vtu with Geometry.Mesh, vti with Geometry.Block
	Geometry func(ctx context.Context) (Geometry, error)
	// Moving returns the geometry of a mesh whose points move, but for these, and how they follow from a field. nil is for
	// points that stay.
	Moving func(ctx context.Context) (Geometry, Places, error)
}

// Places are the points of a mesh: what Points makes of the numbers of a field, on any goroutine. The zero value is
// of points that stay.
type Places struct {
	Field  Field // of a space of its own
	Points func(numbers []float64) []float64
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

	// Of pictures: Where is a field that tells where there is none of what this one is of, by numbers that are small: up
	// to what Absent of that field returns for a case, nil if it is not known, and the field's values at the start; 0
	// without Absent. Range is what colours span, where that is not what the values do. Compared fields are shown before
	// and after the run, Level ones are what is shown of gauges if nothing else is asked for, and Aside ones are shown
	// in frames only if asked for.
	Where                  string
	Absent                 func(c *config.Case, start []float64) float64
	Range                  *[2]float64
	Compared, Level, Aside bool

	// State is what the next steps follow from. View is where its numbers lie, in arrays that may change from step to
	// step: they are those of the last step after Solver.Quiesce. Hashed numbers are what the hash is made of; saved ones
	// are what a restart needs, beside clock and scalars. What is derived has no view.
	View          func() View
	Hashed, Saved bool
	NotNegative   []string // numbers that are never below 0

	// Beyond is of a signed distance, negative inside: what it is in size where the surface is so far away that nobody
	// asks. 0 is for other fields.
	Beyond float64

	// Total is what a field of one number adds up to, times the sizes of its entities: its name, unit and meaning. It is a
	// column of conservation.csv and a metric, with its drift; the sum is exact. nil for none.
	Total *Quantity

	// Values returns the numbers of all owned entities, entity by entity. nil reads them by View.
	Values func(ctx context.Context) ([]float64, error)
	// At writes those of some owned entities to values. All ranks call it at the same moments. nil picks them from Values,
	// or by View.
	At func(ctx context.Context, entities []int, values []float64) error

	// From and Value tell of a field of one number an entity how it follows from another field, which has a view: by what
	// an entity's bytes are there; without Value it is that field. Any goroutine calls Value, while steps go on: frames
	// are made so. nil is for fields that have a view themselves, and for those that Values makes of more than that.
	From  *Field
	Value func(entity int, bytes []byte) float64

	copied, picked []byte // of an array on a device, and of an entity: room for the next
}

// Numbers are the names of the field's numbers.
func (f *Field) Numbers() []string {
	if f.Components == nil {
		return []string{f.Name}
	}
	return f.Components
}

// Read returns the numbers of all owned entities, entity by entity.
func (f *Field) Read(ctx context.Context) ([]float64, error) {
	if f.Values != nil {
		return f.Values(ctx)
	}
	h, err := f.hold()
	if err != nil {
		return nil, err
	}
	values := make([]float64, f.On.Owned*h.count)
	parallel.Ranges(f.On.Owned, parallel.Parts(f.On.Owned, fewValues), func(_, lo, hi int) {
		h.read(values[lo*h.count:lo*h.count], lo, hi)
	})
	return values, nil
}

// fewValues are read by one thread.
const fewValues = 20_000

// total is the exact sum of this rank's part of a field of one number, times the sizes of entities where they have any.
func (f *Field) total(ctx context.Context) (sum dist.Accumulator, err error) {
	var of func(i int) float64
	if f.Values != nil {
		values, failed := f.Values(ctx)
		of, err = func(i int) float64 { return values[i] }, failed
	} else {
		h, failed := f.hold()
		of, err = func(i int) float64 { return h.number(h.of(i)) }, failed
	}
	if err != nil {
		return sum, err
	}
	var lock sync.Mutex
	parallel.Ranges(f.On.Owned, parallel.Parts(f.On.Owned, fewValues), func(_, lo, hi int) {
		var part dist.Accumulator
		for i := lo; i < hi; i++ {
			v := of(i)
			if f.On.Size != nil {
				v *= f.On.Size(i)
			}
			part.Add(v)
		}
		lock.Lock()
		defer lock.Unlock()
		sum.Merge(&part)
	})
	return sum, nil
}

// Pick writes the numbers of some owned entities to values, entity by entity. All ranks call it at the same moments.
func (f *Field) Pick(ctx context.Context, entities []int, values []float64) error {
	switch {
	case f.At != nil:
		return f.At(ctx, entities, values)
	case f.Values == nil:
		return f.pick(entities, values)
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
