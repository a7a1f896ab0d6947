package adapt

import (
	"context"
	"errors"
	"math"
	"runtime"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
	"github.com/atoll-hpc/atoll/mesh/adapt/operation"
	"github.com/atoll-hpc/atoll/mesh/adapt/rounds"
)

// Statistics describe a mesh in a metric.
type Statistics = mutable.Statistics

// Field is a metric.
type Field = operation.Field

// Options are the parameters of an adaptation besides the metric.
type Options struct {
	// Hausdorff is the largest distance of the lines of the input, such as the boundary in the plane, from the new
	// edges. 0 means a thousandth of the diagonal of the mesh.
	Hausdorff float64
	// Ridge is the angle in degrees from which the boundary has a ridge or a corner, which is kept; 180 or more for
	// none but those that the input marks.
	Ridge float64
	// KeepBoundary leaves boundaries and interfaces as they are.
	KeepBoundary bool
	// Probe is the resolution of the field: in longer edges it is also evaluated in the middle. 0 means that it is
	// never.
	Probe float64
	// Threads is the number of goroutines that evaluate; 0 means all processors.
	Threads int
	// Exchange connects ranks; nil for one. Rank 0 makes the adapter and has the whole mesh before and after each Run
	// or Follow, in which it sends the other ranks their parts (Help). The result is that of one rank.
	Exchange Exchange
	// Owners divides vertices among ranks: x are the coordinates along each axis, and loads, up to a factor, how many
	// vertices will be there. Needed with Exchange.
	Owners func(x [][]float64, loads []float64, ranks int) (owner []int32, err error)
	// Progress is called after each cycle of rounds with the number of vertices; it may be nil.
	Progress func(vertices int)
}

// engine adapts a mesh.
type engine struct {
	*part
	progress func(vertices int) // Options.Progress

	marks   []uint32 // of each vertex, the operations for which it is to be visited
	active  []int32  // those that are visited
	workers []*operation.Worker
	found   []*operation.Candidate // of a round
	claims  []claim                // of each cell
	pass    uint32
	turns   []uint64 // of each vertex that waits to be moved, its hash in the sweep; 0 for others
	walks   []walk   // of the parts of those that wait

	device *rounds.Rounds // that has the mesh while it is adapted there; nil for processors

	cycles   int
	numbered int // number of vertices when they were numbered along a curve
}

func newEngine(in *mutable.Input, o Options) *engine {
	if o.Hausdorff == 0 {
		o.Hausdorff = 1e-3 * in.Diagonal()
	}
	if o.Probe == 0 {
		o.Probe = math.Inf(1)
	}
	rules := &operation.Rules{Mesh: mutable.New(in, cosineOf(o.Ridge)),
		Rules: kernels.Rules{Hausdorff: o.Hausdorff, KeepBoundary: o.KeepBoundary, Probe: o.Probe}}
	if in.Dim == 3 {
		if skin := rules.Surface(); !skin.Flat() {
			rules.Skin = skin
		}
	}
	return &engine{part: &part{Rules: rules}, progress: o.Progress, workers: workers(o.Threads)}
}

// workers returns the memory of so many threads.
func workers(threads int) (all []*operation.Worker) {
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	for range threads {
		all = append(all, new(operation.Worker))
	}
	return all
}

// cosineOf is the cosine of an angle in degrees, and less than all cosines from 180 degrees on.
func cosineOf(degrees float64) float64 {
	if degrees >= 180 {
		return -2
	}
	return math.Cos(degrees * (math.Pi / 180))
}

// retarget evaluates a metric at all vertices.
func (e *engine) retarget(field Field) {
	e.Field = field
	e.each(len(e.X), func(_ *operation.Worker, v int) {
		if e.Degree(int32(v)) > 0 {
			e.Want[v] = e.Field(e.X[v])
		}
	})
	e.Soft = 0
}

// restart evaluates the metric and all qualities, and marks all vertices.
func (e *engine) restart() {
	e.growMarks()
	e.each(len(e.X), func(_ *operation.Worker, v int) {
		if e.Degree(int32(v)) > 0 {
			e.M[v] = e.Soften(&e.Want[v])
			e.marks[v] = markAll
		}
	})
	e.each(len(e.Cells), func(_ *operation.Worker, k int) {
		if c := &e.Cells[k]; !c.Dead {
			c.Quality = e.QualityOf(c)
		}
	})
}

// Adapter adapts a mesh, to one metric after the other. Lines stay on those of the mesh that it was made of.
type Adapter struct {
	whole   *engine
	o       Options
	plane   *mesh.Mesh
	inSpace *mesh.Solid
}

// Triangles returns the adapter of a mesh of triangles. The mesh must be valid (mesh.Check).
func Triangles(m *mesh.Mesh, o Options) (*Adapter, error) {
	in, err := mutable.FromTriangles(m)
	if err != nil {
		return nil, err
	}
	return &Adapter{whole: newEngine(in, o), o: o, plane: m}, nil
}

// Tetrahedra returns the adapter of a mesh of tetrahedra, which must be valid.
func Tetrahedra(s *mesh.Solid, o Options) (*Adapter, error) {
	in, err := mutable.FromTetrahedra(s)
	if err != nil {
		return nil, err
	}
	return &Adapter{whole: newEngine(in, o), o: o, inSpace: s}, nil
}

// Measure evaluates a metric on the mesh as it is.
func (a *Adapter) Measure(field Field) Statistics {
	a.whole.retarget(field)
	a.whole.restart()
	return mutable.StatisticsOf(a.whole.Mesh)
}

// Run adapts the mesh to a metric. It returns early, with ctx's error, when ctx is cancelled; the mesh is then valid,
// but depends on when. On several ranks only an error of the exchange ends it, and the mesh stays as it was.
func (a *Adapter) Run(ctx context.Context, field Field) error { return a.adapt(ctx, field, false) }

// Follow is Run for a mesh that was adapted to another metric, from which this one differs in a part of it. It takes a
// fraction of the time, and the cells are somewhat worse.
func (a *Adapter) Follow(ctx context.Context, field Field) error { return a.adapt(ctx, field, true) }

// RunOn is Run for triangles on a device, on one rank. on is the field as the device evaluates it.
func (a *Adapter) RunOn(ctx context.Context, dev backend.Device, field Field, on rounds.Field) error {
	e := a.whole
	if e.Dim != 2 {
		return errors.New("mesh: tetrahedra are not adapted on a device")
	}
	e.retarget(field)
	e.restart()
	var err error
	if e.device, err = rounds.New(dev, &e.Mesh.Mesh, e.NextID, &e.Rules.Rules, on); err != nil {
		return err
	}
	defer func() { e.device = nil }()
	defer e.device.Free()
	stopped := e.run(ctx)
	m, nextID, err := e.device.Mesh()
	if err != nil {
		return err
	}
	mutable.Refill(e.Mesh, &m, nextID)
	return stopped
}

func (a *Adapter) adapt(ctx context.Context, field Field, follow bool) error {
	a.whole.retarget(field)
	if a.o.Exchange == nil || a.o.Exchange.Size() == 1 {
		return a.whole.adapt(ctx, follow)
	}
	e, err := a.whole.divide(&a.o, follow)
	if err != nil {
		return err
	}
	e.Field = field
	if err := e.adapt(ctx, follow); err != nil {
		return err
	}
	whole, err := e.gather()
	if err == nil {
		a.whole = whole
	}
	return err
}

// adapt adapts the mesh, or this part of it, to the metric that its vertices have.
func (e *engine) adapt(ctx context.Context, follow bool) error {
	e.restart()
	if follow {
		return e.follow(ctx)
	}
	return e.run(ctx)
}

// Hash is a SHA-256 of all bits of the mesh in hexadecimal, with its ids and metric.
func (a *Adapter) Hash() string { return mutable.HashOf(a.whole.Mesh) }

// Vertices returns the number of vertices.
func (a *Adapter) Vertices() int { return a.whole.Vertices() }

// Mesh returns the triangles as they are, with the groups, materials and marks of the input, but no fields.
func (a *Adapter) Mesh() *mesh.Mesh { return a.whole.Mesh.Triangles(a.plane) }

// Solid returns the tetrahedra, like Mesh.
func (a *Adapter) Solid() *mesh.Solid { return a.whole.Mesh.Tetrahedra(a.inSpace) }

// Qualities returns the qualities of the cells of Mesh or Solid.
func (a *Adapter) Qualities() []float64 {
	_, cells := a.whole.Ordered()
	q := make([]float64, len(cells))
	for i, k := range cells {
		q[i] = a.whole.Cells[k].Quality
	}
	return q
}
