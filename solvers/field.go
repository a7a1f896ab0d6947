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

// Space is a set of entities that are distributed over the ranks: the cells of a mesh or of a grid. Each rank numbers
// the entities that it owns from 0.
type Space struct {
	Name  string            // of one entity: "cell", "vertex"
	Owned int               // entities that this rank owns
	Held  int               // owned entities and the ghosts that follow them in views; 0 or Owned if views have no ghosts
	Key   func(i int) int64 // global number of an entity, the same for any number of ranks; defined for all Held entities

	// Position is the position of an entity for messages, and Size its length, area or volume, the weight in totals. A nil
	// Position means that positions are not needed, a nil Size that all sizes are 1.
	Position func(i int) []float64
	Size     func(i int) float64

	// Locate returns, for each point of two or three coordinates, the owned entity that contains it: the one of lowest
	// key if there are several, -1 if there is none. It is nil for spaces without gauges.
	Locate func(points [][]float64) []int

	// Entities of some spaces, such as particles, appear, vanish and change ranks. TakeOwnership makes the rank own the
	// entities with the given keys, before their saved fields are filled. Owner returns the rank that owns an entity, by
	// its bytes of the first saved field of the space, on any goroutine. Both are nil for spaces with fixed entities.
	TakeOwnership func(keys []int64) error
	Owner         func(bytes []byte) int

	// Format is that of frames: vtu with Geometry.Mesh, vti with Geometry.Block, "" for a space without frames. Entities
	// with frames are fixed: the same ones on each rank, with the same corners, at all times.
	Format string
	// Changing means that the entities change, as a mesh is adapted or as blocks move, between steps for which the run
	// asks (Remesher, Rebalancer).
	Changing bool
	OnRoot   bool // rank 0 has all entities
	// Geometry returns the current geometry. Without Moving it never changes, and any goroutine may call it.
	Geometry func(ctx context.Context) (Geometry, error)
	Moving   func() MovingMesh // set for meshes whose points move
}

// MovingMesh describes the mesh of a space by a field with the positions of its vertices.
type MovingMesh struct {
	Field Field // on a space of vertices, not the space of the frame
	// Cells returns the cells, as a grid without points, and how many points they have: the first vertices of the field's
	// space. They are always the same. Any goroutine may call it.
	Cells func() (cells *vtk.Grid, points int)
}

// Geometry is the current geometry of the rank's owned entities: its part of a frame, without fields. It is never
// overwritten: a frame may be made of it while steps go on.
type Geometry struct {
	Mesh  *vtk.Grid  // whose cells are the entities; or
	Block *vtk.Image // the block of a grid
	Boxes []vtk.Box  // the blocks of all ranks, if Block is set
}

// Field is a field on a space, part of the state or derived from it for output. Each entity has as many numbers as
// the field has components.
type Field struct {
	Name, Unit, Doc string
	Space           *Space
	Components      []string // names of the numbers in gauges; nil for one number with the name of the field

	// The following concern pictures only. Where the field that Mask names is at most a threshold, this one is not drawn.
	// That other field's MaskThreshold returns it for a case, given the field's values at the start, or nil if they are
	// not known; if it is nil the threshold is 0. Its MaskLabel names such entities; "" for "dry". If it is MaskOptional,
	// frames may lack it. Ground returns the height of the ground from fields of a frame by name, nil for none.
	Mask, MaskLabel string
	MaskOptional    bool
	MaskThreshold   func(c *config.Case, start []float64) float64
	Ground          func(field func(name string) []float64) []float64
	Range           *[2]float64 // range of the colour map; nil for that of the values
	Classes         []string    // names of the values 0, 1 and so on, if the field has no other values
	Never           string      // label of cells without a value (NaN), such as "never"; if it is "" they are an error
	Compared        bool        // drawn at the start and at the end of the run, for comparison
	GaugeDefault    bool        // plotted for gauges if the user names no field
	OnRequest       bool        // drawn only if the user names it

	// View returns where the numbers lie in memory. The arrays may change from step to step: after Solver.Quiesce they
	// are those of the last step. It is nil for derived fields. The numbers of Hashed fields enter the hash of the
	// state; a restart needs the Saved fields, the clock and the scalars.
	View          func() View
	Hashed, Saved bool
	Carried       Carry    // how the numbers of a saved field pass to another mesh, if the solver is a Remesher
	NotNegative   []string // components that are never negative

	// MaxDistance is for signed distances, negative inside: the magnitude that stands for all larger distances. 0 for
	// other fields.
	MaxDistance float64

	// Total describes the sum over all entities of a field with one number, times the sizes of the entities. It is a
	// column of conservation.csv, and a metric together with its drift; the sum is exact. nil for none.
	Total *Quantity

	// Values returns the numbers of all owned entities, entity by entity. If it is nil, View is read.
	Values func(ctx context.Context) ([]float64, error)
	// ValuesAt writes the numbers of some owned entities to values. All ranks call it at the same steps. If it is nil,
	// Values or View is used.
	ValuesAt func(ctx context.Context, entities []int, values []float64) error

	// From and Value are for a derived field with one number per entity that depends only on the same entity of another
	// field, From, which has a view. Value computes the number from the entity's bytes there; if it is nil, the number is
	// that of From. Frames are written in this way, so any goroutine may call Value while steps go on. From is nil for
	// fields with a view of their own, and for fields that depend on more.
	From  *Field
	Value func(entity int, bytes []byte) float64
	// Part is the component of From that the field is, for fields that the driver of a run may set; "" for others.
	Part string

	copied []byte // buffer for a copy of the whole array
	picked []byte // buffer for the numbers of one entity
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
	h, err := f.onHost()
	if err != nil {
		return nil, err
	}
	values := make([]float64, f.Space.Owned*h.count)
	parallel.Ranges(f.Space.Owned, parallel.Parts(f.Space.Owned, fewValues), func(_, lo, hi int) {
		h.read(values[lo*h.count:hi*h.count], lo, hi)
	})
	return values, nil
}

// fewValues is the number of values below which one thread reads all.
const fewValues = 20_000

// total returns the exact sum of this rank's part of a field with one number, weighted by the sizes of the entities.
func (f *Field) total(ctx context.Context) (sum dist.Accumulator, err error) {
	var valueOf func(i int) float64
	if f.Values != nil {
		values, failed := f.Values(ctx)
		valueOf, err = func(i int) float64 { return values[i] }, failed
	} else {
		h, failed := f.onHost()
		valueOf, err = func(i int) float64 { return h.decode(h.bytesOf(i)) }, failed
	}
	if err != nil {
		return sum, err
	}
	var lock sync.Mutex
	parallel.Ranges(f.Space.Owned, parallel.Parts(f.Space.Owned, fewValues), func(_, lo, hi int) {
		var part dist.Accumulator
		for i := lo; i < hi; i++ {
			v := valueOf(i)
			if f.Space.Size != nil {
				v *= f.Space.Size(i)
			}
			part.Add(v)
		}
		lock.Lock()
		defer lock.Unlock()
		sum.Merge(&part)
	})
	return sum, nil
}

// Pick writes the numbers of some owned entities to values, entity by entity. All ranks call it at the same steps.
func (f *Field) Pick(ctx context.Context, entities []int, values []float64) error {
	switch {
	case f.ValuesAt != nil:
		return f.ValuesAt(ctx, entities, values)
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

// Named returns the fields with the given names, in the order of the names; unknown names are skipped.
func Named(all []Field, names []string) []Field {
	var list []Field
	for _, name := range names {
		if i := slices.IndexFunc(all, func(f Field) bool { return f.Name == name }); i >= 0 {
			list = append(list, all[i])
		}
	}
	return list
}

// FieldNames returns the names of fields.
func FieldNames(list []Field) []string {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Name
	}
	return names
}

// Shape is geometry for output that is not made of a space's entities: lines, planes, surfaces.
type Shape struct {
	Format string // name of the format in cases
	File   string // file format: vtp, or stl for triangles only
	Doc    string
	Faces  func(ctx context.Context) (*Faces, error)
	// Field and FacesOf are set for shapes that can be computed from the numbers of one field, which has a view and a
	// space of its own; else they are nil. All ranks call Field. Any goroutine may call FacesOf, so that frames are
	// written while steps go on.
	Field   func(ctx context.Context) (Field, error)
	FacesOf func(numbers []float64) *Faces
}

// Faces is a rank's part of a shape.
type Faces struct {
	vtk.PolyData // the shape's own points, cells and data; the data that all frames have is added

	// The i-th face belongs to the owned entity Entities[i] of the space. It gets that entity's values of the fields in
	// FieldNames, besides the fields that the case chooses.
	Space      *Space
	Entities   []int
	FieldNames []string
}
