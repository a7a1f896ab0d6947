// Package divide divides a mesh of triangles among ranks of which none reads or holds the whole: Mesh gives each its
// share, the same as package decompose makes of the whole mesh with the partition along a Hilbert curve.
//
// Each rank reads a slice of the vertices, cells and sides. A vertex has a home, a rank that knows its position and
// fields, and whether a tagged edge begins there. Cells get keys along the curve, and go to the ranks between whose
// splitters their keys are. Edges of which a rank has one cell meet at the home of their lower vertex, which tells both
// ranks of each other's cell: these are the ghosts. All messages go to ranks that need them, and no rank has an array
// with an entry for each cell of the mesh or each pair of ranks.
//
// Of what the checks of package mesh refuse, and of what they note, Mesh only finds whether there is any: then the
// mesh must be checked as a whole, so that messages have one source.
package divide

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sliced"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

// Source is a mesh that can be read in slices.
type Source interface {
	// Counts are those of vertices, cells and sides.
	Counts() (vertices, cells, sides int64)
	// Content returns the physical groups, and the fields of vertices and of cells.
	Content() ([]mesh.Group, []sliced.Field)
	// The others call f for items lo … hi-1 in their order. Labels of vertices are those by which cells and sides refer
	// to them; a side without groups, and a point, which has two equal vertices, must have existing vertices, no more.
	EachVertex(lo, hi int64, f func(label int64, at [3]float64)) error
	EachCell(lo, hi int64, f func(corners [3]int64)) error
	EachSide(lo, hi int64, f func(a, b int64, groups []int32)) error
	// EachValue calls f with the label of a vertex or the index of a cell; -1 for a value of something else.
	EachValue(of *sliced.Field, lo, hi int64, f func(label int64, value float64)) error
}

// Doubt is an error about a mesh that must be read as a whole, since it has faults, or what only that can tell. All
// ranks get the same.
type Doubt struct{ About string }

func (d *Doubt) Error() string { return "the mesh must be read as a whole: " + d.About }

// Mesh returns the share of this rank of a mesh, as decompose.New and Scatter do with the method partition.HilbertCut;
// the part has the notes about the mesh on rank 0. It is a collective. A rank that cannot open the mesh passes nil. An
// error that is no Doubt is one of the communication.
func Mesh(ctx context.Context, comm dist.Comm, from Source, o decompose.Options, geographic bool) (
	*decompose.MeshShare, error) {
	d := &division{comm: comm, rank: comm.Rank(), ranks: comm.Size(), from: from, o: o, geographic: geographic}
	if from == nil {
		d.doubt("a rank cannot open it")
	}
	for _, step := range []func(context.Context) error{
		d.count, d.readVertices, d.readVertexFields, d.readSides, d.readCells, d.measure, d.matchSides, d.sendCells,
		d.fetchVertices, d.matchEdges, d.exchangeGhosts, d.checkHeights, d.checkBoundary, d.readCellFields,
	} {
		if err := d.agree(ctx); err != nil {
			return nil, err
		}
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if err := d.agree(ctx); err != nil {
		return nil, err
	}
	return d.assemble()
}

// division is the state of Mesh on a rank.
type division struct {
	comm        dist.Comm
	rank, ranks int
	from        Source
	o           decompose.Options
	geographic  bool
	doubts      string // the first, "" for none
	origin      mesh.Origin

	vertices, cells, sides int64 // in the mesh
	lowest                 int64 // label of a vertex; others are relative to it
	homes                  *homes
	vertexFields           []string // those of the columns of homes after x and y
	hasHeights, uneven     bool     // the mesh has third coordinates; they differ
	turned                 int64    // cells that ran clockwise
	tagged                 []taggedEdge
	groups                 []mesh.Group
	fields                 []sliced.Field
	edgeGroups             []groupOfEdge // of cells of the slice, then of own cells

	slice slice
	own   own
}

// doubt records what this rank has found.
func (d *division) doubt(about string) {
	if d.doubts == "" {
		d.doubts = about
	}
}

// agree returns the Doubt of the first rank that has one.
func (d *division) agree(ctx context.Context) error {
	rank, about, err := dist.FirstText(ctx, d.comm, d.doubts)
	if err == nil && rank >= 0 {
		err = &Doubt{about}
	}
	return err
}

// most is the largest number of vertices or cells whose labels fit into the messages.
const most = math.MaxInt32 / 3

// count refuses meshes that are too large, or have fewer cells than ranks.
func (d *division) count(context.Context) error {
	d.vertices, d.cells, d.sides = d.from.Counts()
	d.groups, d.fields = d.from.Content()
	if d.cells < int64(d.ranks) || max(d.vertices, d.cells) > most {
		d.doubt("the number of cells")
	}
	return nil
}

// reduceFloats replaces each number by its minimum over the ranks.
func (d *division) reduceFloats(ctx context.Context, least ...*float64) error {
	numbers := make([]float64, len(least))
	for k, p := range least {
		numbers[k] = *p
	}
	err := d.comm.AllreduceFloat64(ctx, dist.Min, numbers)
	for k, p := range least {
		*p = numbers[k]
	}
	return err
}

// reduceIntegers replaces each integer by its sum, minimum or maximum over the ranks.
func (d *division) reduceIntegers(ctx context.Context, op dist.Op, integers ...*int64) error {
	numbers := make([]int64, len(integers))
	for k, p := range integers {
		numbers[k] = *p
	}
	err := d.comm.AllreduceInt64(ctx, op, numbers)
	for k, p := range integers {
		*p = numbers[k]
	}
	return err
}
