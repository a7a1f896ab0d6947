package partition

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// rows is a graph in one array, for searches: all that a visit of a vertex needs is in one place of memory. A vertex is
// the index of its first number; the order of vertices is that of their ids.
type rows []int32

// Numbers of a vertex, which its neighbours follow, as vertices in ascending order.
const (
	rowLevel  = iota // distance from the root of the current search; -1 if the search has not reached the vertex
	rowID            // id in the graph
	rowDegree        // number of neighbours
	rowHeader        // number of these numbers
)

// newRows returns the rows of a graph. No vertex has a level.
func newRows(g Graph) (rows, error) {
	length := len(g.Adj) + rowHeader*g.N()
	if length > math.MaxInt32 {
		return nil, fmt.Errorf("a graph of %d vertices and %d edges is too large for this order: choose another, or more "+
			"ranks", g.N(), g.Edges())
	}
	r := make(rows, length)
	parallel.Ranges(g.N(), parallel.Parts(g.N(), verticesPerWorker), func(_, lo, hi int) {
		for id := int32(lo); id < int32(hi); id++ {
			row := r[g.row(id):]
			row[rowLevel], row[rowID], row[rowDegree] = -1, id, g.Degree(id)
			for k, u := range g.Neighbours(id) {
				row[rowHeader+k] = g.row(u)
			}
		}
	})
	return r, nil
}

// row returns the vertex with that id in rows.
func (g Graph) row(id int32) int32 { return g.Start[id] + rowHeader*id }

func (r rows) neighbours(v int32) []int32 {
	first := v + rowHeader
	return r[first : first+r[v+rowDegree]]
}

// ids are the ids of vertices.
func (r rows) ids(vertices []int32) iter.Seq[int32] {
	return func(yield func(id int32) bool) {
		for _, v := range vertices {
			if !yield(r[v+rowID]) {
				return
			}
		}
	}
}

// toIDs replaces vertices by their ids.
func (r rows) toIDs(vertices []int32) {
	parallel.Ranges(len(vertices), parallel.Parts(len(vertices), verticesPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			vertices[i] = r[vertices[i]+rowID]
		}
	})
}

// sortByDegree sorts vertices by ascending degree, equal ones by id.
func (r rows) sortByDegree(vertices []int32) {
	degree := func(v int32) int32 { return r[v+rowDegree] }
	switch len(vertices) {
	case 0, 1:
	case 2: // the most common case: a triangle has at most two neighbours that a search has not visited
		if a, b := vertices[0], vertices[1]; degree(b) < degree(a) || degree(b) == degree(a) && b < a {
			vertices[0], vertices[1] = b, a
		}
	default:
		slices.SortFunc(vertices, func(a, b int32) int {
			return cmp.Or(cmp.Compare(degree(a), degree(b)), cmp.Compare(a, b))
		})
	}
}
