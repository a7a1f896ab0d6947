// Package layout says what each vertex of a mesh may do, in which set it moves, and where it lies in the memory of
// which
// rank. A Layout is of the whole mesh, and is cut into a Part for each rank; or each rank arranges its own LocalMesh,
// and
// asks others for what it cannot know. A part has its halo plans, the strips that a processor's cache holds, and is
// cut into the tiles that a block of a GPU holds.
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

// Boundary says what the vertices of the boundary do.
type Boundary string

const (
	Slide Boundary = "slide" // move along it where it is straight, or curved and no ridge, and of one physical group
	Fixed Boundary = "fixed"
)

// Options say how vertices are arranged. None but Boundary, Ridge, Colouring and Dedicated changes a bit of the
// outcome.
type Options struct {
	Boundary  Boundary
	Ridge     float64 // degrees by which a curved boundary may turn where vertices slide on it; 0: they do on none
	Colouring colouring.Kind
	Dedicated bool               // boundary vertices form sets of their own
	Order     partition.Ordering // of vertices within a set: natural, hilbert or random
	Seed      uint64             // of a random order
	Tangled   bool               // cells may be inverted or flat, for Solver.Untangle to mend
	Deep      bool               // ghosts that let a whole sweep go by with one exchange
	Batch     int                // of Deep: so many sweeps by tiles do so, a divisor of MaxRound; 0 for 1
	// A strip, which a processor takes through all sets at once, has 2^StripBits vertices; 0 for 4096 of them.
	StripBits int
}

// Layout says which vertices of a mesh move, how, and in which set. It is made once, of the whole mesh, so that nothing
// in it depends on ranks.
type Layout struct {
	mesh      *mesh.Mesh
	rings     *mesh.Rings
	options   Options
	Class     []int8 // fixed, free or sliding
	rails     map[int32]kernels.Rail[float64]
	arcs      map[int32]curved.Arc // of vertices on curved boundaries, until it is known which of them slide
	set       []int32              // of each vertex that moves; the number of sets for others
	sets      int
	order     []int32 // all vertices
	position  []int32 // of each vertex in the order
	stripBits int     // so many of the last bits of a position are of no account for the strip in which it is
	crowded   int
}

const (
	fixed   int8 = -1
	free    int8 = 0
	sliding int8 = 1
)

// New finds out what the vertices of a mesh may do. It refuses a mesh that has triangles inverted, unless
// o.Tangled.
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
	l.fixRoughCurves(l.bends())
	if err := l.divide(); err != nil {
		return nil, err
	}
	return l, l.arrangeBy(m.X, m.Y)
}

func (o *Options) check() error {
	if o.Boundary != Slide && o.Boundary != Fixed {
		return fmt.Errorf("boundary %q is not known; choose %s or %s", o.Boundary, Slide, Fixed)
	}
	if !(o.Ridge >= 0 && o.Ridge <= 90) || o.Tangled && o.Ridge > 0 {
		return fmt.Errorf("a boundary that turns by %g degrees: from 0 to 90, and 0 of tangled meshes", o.Ridge)
	}
	return o.checkBatch()
}

// arrangeBy puts vertices at the given positions in the order of the options.
func (l *Layout) arrangeBy(x, y []float64) error {
	switch l.options.Order {
	case partition.Natural, partition.Hilbert, partition.Random:
	default:
		return fmt.Errorf("order %q of vertices is not known; choose %s, %s or %s", l.options.Order, partition.Natural,
			partition.Hilbert, partition.Random)
	}
	var err error
	l.order, err = partition.Order(l.options.Order, partition.Graph{Start: l.rings.Start, Adj: l.rings.At}, x, y,
		l.options.Seed)
	if err != nil {
		return err
	}
	l.position, l.stripBits = partition.Inverse(l.order), cmp.Or(l.options.StripBits, stripBits)
	return nil
}

// Sets is how many sets move one after the other in a sweep.
func (l *Layout) Sets() int { return l.sets }

// Graph joins the vertices that share an edge.
func (l *Layout) Graph() partition.Graph {
	return partition.Graph{Start: l.rings.Start, Adj: l.rings.At}
}

// Moving is how many vertices may move.
func (l *Layout) Moving() int {
	n := 0
	for _, c := range l.Class {
		if c != fixed {
			n++
		}
	}
	return n
}

// Crowded is how many vertices stay where they are because they have more neighbours than kernels.MaxDegree.
func (l *Layout) Crowded() int { return l.crowded }

// straight is how far, as a share of their lengths, two edges of the boundary may be from one line.
const straight = 1e-9

// classify finds out which vertices move, of those that count: others have no rail, and what class they are given says
// nothing. Fixed are those at the ends of physical groups, on curves and corners, on
// lines inside the mesh that belong to a group or part two, where fans touch, in no triangle, with too many neighbours,
// and what is marked as required.
func (l *Layout) classify(counts func(v int32) bool) {
	m := l.mesh
	l.Class = make([]int8, len(m.X))
	l.rails, l.arcs = map[int32]kernels.Rail[float64]{}, map[int32]curved.Arc{}
	for v := range int32(len(m.X)) {
		if !counts(v) {
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
		if len(ring) > kernels.MaxDegree && l.Class[v] != fixed {
			l.Class[v] = fixed
			l.crowded++
		}
	}
	l.fixGroups()
	l.fixMarks()
	for v := range l.rails {
		if l.Class[v] == fixed {
			delete(l.rails, v)
		}
	}
}

// railOf is the line through a boundary vertex and its two neighbours on the boundary, if they lie on one, either side
// of it.
func railOf(m *mesh.Mesh, v, a, b int32) (kernels.Rail[float64], bool) {
	ax, ay, bx, by := m.X[a]-m.X[v], m.Y[a]-m.Y[v], m.X[b]-m.X[v], m.Y[b]-m.Y[v]
	la, lb := math.Hypot(ax, ay), math.Hypot(bx, by)
	if math.Abs(ax*by-ay*bx) > straight*la*lb || ax*bx+ay*by >= 0 {
		return kernels.Rail[float64]{}, false
	}
	tx, ty := bx-ax, by-ay
	length := math.Hypot(tx, ty)
	return kernels.Rail[float64]{X: m.X[v], Y: m.Y[v], Tx: tx / length, Ty: ty / length, Low: math.Inf(-1),
		High: math.Inf(1)}, true
}

// fixGroups fixes the vertices between which moving would change a physical group: a boundary vertex slides only
// between two edges of the same group, and a vertex inside moves only if neither a tagged edge nor two groups of cells
// meet there.
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
	// Of each boundary vertex: the groups of its tagged edges, and how many there are.
	tags, of := map[int32]int{}, map[int32]int32{}
	for _, e := range m.Tagged {
		for _, v := range [2]int32{e.A, e.B} {
			other := e.A + e.B - v
			ring := l.rings.Of(v)
			onBorder := l.rings.Class[v] == mesh.Border && (other == ring[0] || other == ring[len(ring)-1])
			if was, ok := of[v]; !onBorder || ok && was != e.Group {
				l.Class[v] = fixed
			}
			of[v] = e.Group
			tags[v]++
		}
	}
	for v, n := range tags {
		if n != 2 {
			l.Class[v] = fixed
		}
	}
}

// fixMarks fixes what a Medit file asks for: required entities and corners, and ridges inside the mesh.
func (l *Layout) fixMarks() {
	if l.mesh.Marks == nil {
		return
	}
	held, ridged := l.mesh.Marks.Held(len(l.Class)), l.mesh.Marks.Ridged(len(l.Class))
	for v, c := range l.Class {
		if held[v] || ridged[v] && c == free {
			l.Class[v] = fixed
		}
	}
}
