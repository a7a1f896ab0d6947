// Package layout decides how each vertex of a mesh may move, in which set it moves, and its index in the arrays of
// its rank. Either rank 0 makes a Layout of the whole mesh and from it a Part for each rank; or each rank makes its
// part from its LocalMesh, and receives from other ranks what it cannot know. A part has halo plans, and strips of
// vertices that fit a processor's cache; Tiles divides it into tiles for the blocks of a GPU.
package layout

import (
	"cmp"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/curved"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// Boundary says how the vertices of the boundary may move.
type Boundary string

const (
	Slide Boundary = "slide" // move along straight parts, and smoothly curved ones, of one physical group
	Fixed Boundary = "fixed"
)

// Options say how vertices may move and how they are ordered. Only Boundary, Ridge, Colouring and Dedicated change
// the results.
type Options struct {
	Boundary Boundary
	// largest angle in degrees by which a curved boundary may turn where vertices slide on it; 0: they do not slide on
	// curves
	Ridge     float64
	Colouring colouring.Kind
	Dedicated bool               // boundary vertices form sets of their own
	Order     partition.Ordering // of vertices within a set: natural, hilbert or random
	Seed      uint64             // of a random order
	Tangled   bool               // cells may be inverted or flat, for Solver.Untangle
	Deep      bool               // deep halo: one exchange serves a whole sweep, or a batch
	Batch     int                // with Deep: number of sweeps by tiles between exchanges, a divisor of MaxBatch; 0 for 1
	// A strip, whose vertices a processor moves set after set before those of the next strip, has 2^StripBits
	// vertices; 0 for 4096.
	StripBits int
}

// Layout says which vertices of a mesh move, how, and in which set. It does not depend on the ranks.
type Layout struct {
	mesh      *mesh.Mesh
	rings     *mesh.Rings
	options   Options
	Class     []int8 // fixed, free or sliding
	rails     map[int32]kernels.Rail[float64]
	arcs      map[int32]curved.Arc // of vertices on curved boundaries, until the sliding ones are known
	set       []int32              // of each moving vertex; the number of sets for others
	sets      int
	order     []int32 // all vertices
	position  []int32 // of each vertex in the order
	stripBits int     // number of low bits of a position that do not select the strip
	crowded   int
}

const (
	fixed   int8 = -1
	free    int8 = 0
	sliding int8 = 1
)

// New decides what the vertices of a mesh may do. It refuses a mesh with inverted triangles unless o.Tangled.
func New(m *mesh.Mesh, o Options) (*Layout, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	l := &Layout{mesh: m, options: o}
	var err error
	if l.rings, err = m.Rings(); err != nil {
		return nil, err
	}
	if !o.Tangled {
		if err := faults.CheckUpright(m); err != nil {
			return nil, err
		}
	}
	l.classify(func(int32) bool { return true })
	l.fixRoughCurves(l.curvatures())
	if err := l.assignSets(); err != nil {
		return nil, err
	}
	return l, l.orderBy(m.X, m.Y)
}

func (o *Options) check() error {
	if o.Boundary != Slide && o.Boundary != Fixed {
		return fmt.Errorf("boundary %q is not known; choose %s or %s", o.Boundary, Slide, Fixed)
	}
	if !(o.Ridge >= 0 && o.Ridge <= 90) || o.Tangled && o.Ridge > 0 {
		return fmt.Errorf("ridge angle %g: it must be between 0 and 90 degrees, and 0 for tangled meshes", o.Ridge)
	}
	return o.checkBatch()
}

// orderBy orders vertices with the given coordinates, by axis, as the option Order says.
func (l *Layout) orderBy(at ...[]float64) error {
	switch l.options.Order {
	case partition.Natural, partition.Hilbert, partition.Random:
	default:
		return fmt.Errorf("order %q of vertices is not known; choose %s, %s or %s", l.options.Order, partition.Natural,
			partition.Hilbert, partition.Random)
	}
	var err error
	l.order, err = partition.Order(l.options.Order, partition.Graph{Start: l.rings.Start, Adj: l.rings.At}, at,
		l.options.Seed)
	if err != nil {
		return err
	}
	l.position, l.stripBits = partition.Inverse(l.order), cmp.Or(l.options.StripBits, stripBits)
	return nil
}

// Sets returns the number of sets of a sweep.
func (l *Layout) Sets() int { return l.sets }

// Graph returns the graph of vertices that share an edge.
func (l *Layout) Graph() partition.Graph {
	return partition.Graph{Start: l.rings.Start, Adj: l.rings.At}
}

// Moving returns the number of vertices that may move.
func (l *Layout) Moving() int {
	n := 0
	for _, c := range l.Class {
		if c != fixed {
			n++
		}
	}
	return n
}

// Crowded returns the number of vertices that may move, but not by the optimiser nor to untangle the mesh, because they
// are in more than kernels.MaxDegree triangles.
func (l *Layout) Crowded() int { return l.crowded }

// maxDeviation is the largest sine of the angle between two boundary edges that are on one line.
const maxDeviation = 1e-9

// classify decides how the relevant vertices move. The class of others is meaningless. These are fixed: the ends of
// physical groups, corners, vertices on curves unless they slide, vertices of lines inside the mesh that belong to
// a group or separate two groups, irregular vertices, and vertices marked as required.
func (l *Layout) classify(relevant func(v int32) bool) {
	m := l.mesh
	l.Class = make([]int8, len(m.X))
	l.rails, l.arcs = map[int32]kernels.Rail[float64]{}, map[int32]curved.Arc{}
	for v := range int32(len(m.X)) {
		if !relevant(v) {
			continue
		}
		ring := l.rings.Of(v)
		switch l.rings.Class[v] {
		case mesh.Irregular:
			l.Class[v] = fixed
		case mesh.Border:
			rail, ok := railOf(m, v, ring[0], ring[len(ring)-1])
			if !ok && l.options.Ridge > 0 {
				rail, ok = l.arcOf(v, ring[len(ring)-1], ring[0])
			}
			if !ok || l.options.Boundary == Fixed {
				l.Class[v] = fixed
				break
			}
			l.Class[v] = sliding
			l.rails[v] = rail
		}
	}
	l.fixGroups()
	l.fixMarks()
	for v := range int32(len(m.X)) {
		if !relevant(v) || l.Class[v] == fixed {
			continue
		}
		triangles := len(l.rings.Of(v))
		if l.rings.Class[v] == mesh.Border {
			triangles--
		}
		if triangles > kernels.MaxDegree {
			l.crowded++
		}
	}
	for v := range l.rails {
		if l.Class[v] == fixed {
			delete(l.rails, v)
		}
	}
}

// railOf returns the line through a boundary vertex and its two neighbours on the boundary, if the three are on a
// line with the vertex between them.
func railOf(m *mesh.Mesh, v, a, b int32) (kernels.Rail[float64], bool) {
	ax, ay, bx, by := m.X[a]-m.X[v], m.Y[a]-m.Y[v], m.X[b]-m.X[v], m.Y[b]-m.Y[v]
	la, lb := math.Hypot(ax, ay), math.Hypot(bx, by)
	if math.Abs(ax*by-ay*bx) > maxDeviation*la*lb || ax*bx+ay*by >= 0 {
		return kernels.Rail[float64]{}, false
	}
	tx, ty := bx-ax, by-ay
	length := math.Hypot(tx, ty)
	return kernels.Rail[float64]{X: m.X[v], Y: m.Y[v], Tx: tx / length, Ty: ty / length, Low: math.Inf(-1),
		High: math.Inf(1)}, true
}

// fixGroups fixes the vertices whose motion would change a physical group: a boundary vertex slides only between two
// edges of the same group, and a vertex inside moves only if it has no tagged edge and cells of one group only.
func (l *Layout) fixGroups() {
	m := l.mesh
	if m.CellGroup != nil {
		group := make([]int32, len(m.X))
		for v := range group {
			group[v] = -2
		}
		for c, cell := range m.Cells {
			for _, v := range cell {
				if group[v] != -2 && group[v] != m.CellGroup[c] {
					l.Class[v] = fixed
				}
				group[v] = m.CellGroup[c]
			}
		}
	}
	// For each vertex of a tagged edge: the number of its tagged edges, and their group.
	taggedEdges, groupOf := map[int32]int{}, map[int32]int32{}
	for _, e := range m.Tagged {
		for _, v := range [2]int32{e.A, e.B} {
			other := e.A + e.B - v
			ring := l.rings.Of(v)
			onBorder := l.rings.Class[v] == mesh.Border && (other == ring[0] || other == ring[len(ring)-1])
			if was, ok := groupOf[v]; !onBorder || ok && was != e.Group {
				l.Class[v] = fixed
			}
			groupOf[v] = e.Group
			taggedEdges[v]++
		}
	}
	for v, n := range taggedEdges {
		if n != 2 {
			l.Class[v] = fixed
		}
	}
}

// fixMarks fixes required entities, corners, and ridges inside the mesh, as marked in a Medit file.
func (l *Layout) fixMarks() {
	if l.mesh.Marks == nil {
		return
	}
	held, ridged := l.mesh.Marks.Held(len(l.Class)), l.mesh.Marks.OnRidge(len(l.Class))
	for v, c := range l.Class {
		if held[v] || ridged[v] && c == free {
			l.Class[v] = fixed
		}
	}
}
