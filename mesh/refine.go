package mesh

import (
	"fmt"
	"math"
)

// Refine splits each cell into four at the midpoints of its edges. Cell c, of n, becomes the cells c, c+n and c+2n at
// its vertices 0, 1 and 2, and c+3n in the centre. This is the numbering of MATLAB's refinemesh; the bandwidth of the
// dual graph is then exactly three quarters of the new number of cells. Vertices keep their ids; midpoints follow.
// Groups, tagged edges and fields are kept, Marks are not. Vertex fields are interpolated linearly.
func Refine(m *Mesh) (*Mesh, error) {
	n := len(m.Cells)
	if n > maxCells/4 || len(m.X) > math.MaxInt32-3*n {
		return nil, fmt.Errorf("a mesh of %d cells and %d vertices is too large to refine: the ids of %d cells and "+
			"up to %d vertices must fit 32 bits", n, len(m.X), 4*n, len(m.X)+3*n)
	}
	nb, err := m.Neighbours()
	if err != nil {
		return nil, err
	}
	half, err := m.taggedHalfEdges()
	if err != nil {
		return nil, err
	}
	mids, ends := m.numberEdges(nb)

	fine := &Mesh{
		X: withMidpoints(m.X, ends), Y: withMidpoints(m.Y, ends),
		Cells:  make([][3]int32, 4*n),
		Groups: append([]Group(nil), m.Groups...),
		Tagged: make([]TaggedEdge, 0, 2*len(m.Tagged)),
		Origin: m.Origin, Geographic: m.Geographic,
	}
	for c, v := range m.Cells {
		e := mids[c]
		fine.Cells[c] = [3]int32{v[0], e[0], e[2]}
		fine.Cells[c+n] = [3]int32{e[0], v[1], e[1]}
		fine.Cells[c+2*n] = [3]int32{e[2], e[1], v[2]}
		fine.Cells[c+3*n] = e
	}
	for i, e := range m.Tagged {
		h := half[i]
		if h < 0 {
			return nil, fmt.Errorf("tagged edge %d (vertices %d, %d) is no edge of a cell", i, e.A, e.B)
		}
		mid := mids[h/3][h%3]
		fine.Tagged = append(fine.Tagged, TaggedEdge{e.A, mid, e.Group}, TaggedEdge{mid, e.B, e.Group})
	}
	if m.CellGroup != nil {
		fine.CellGroup = fourTimes(m.CellGroup)
	}
	for name, f := range m.CellData {
		SetField(&fine.CellData, name, fourTimes(f))
	}
	for name, f := range m.VertexData {
		SetField(&fine.VertexData, name, withMidpoints(f, ends))
	}
	return fine, nil
}

// numberEdges returns the vertex ids of the midpoints of each cell's edges, and the ends of each edge. Edges are
// numbered in the order of their first cell.
func (m *Mesh) numberEdges(nb [][3]int32) (mids [][3]int32, ends [][2]int32) {
	mids = make([][3]int32, len(m.Cells))
	ends = make([][2]int32, 0, 3*len(m.Cells)/2+len(m.X)/8)
	for c, v := range m.Cells {
		for k, other := range nb[c] {
			a, b := v[k], v[(k+1)%3]
			if other >= 0 && int(other) < c {
				mids[c][k] = mids[other][m.edgeIndex(other, a, b)]
				continue
			}
			mids[c][k] = int32(len(m.X) + len(ends))
			ends = append(ends, [2]int32{a, b})
		}
	}
	return mids, ends
}

// edgeIndex returns k such that vertices a and b are, in either order, the vertices k and k+1 of cell c; -1 if none.
func (m *Mesh) edgeIndex(c, a, b int32) int {
	v := m.Cells[c]
	for k := range v {
		if s, t := v[k], v[(k+1)%3]; s == a && t == b || s == b && t == a {
			return k
		}
	}
	return -1
}

func withMidpoints(f []float64, ends [][2]int32) []float64 {
	out := make([]float64, len(f), len(f)+len(ends))
	copy(out, f)
	for _, e := range ends {
		// Halves first: the sum of two large values could overflow.
		out = append(out, f[e[0]]/2+f[e[1]]/2)
	}
	return out
}

func fourTimes[T any](s []T) []T {
	out := make([]T, 0, 4*len(s))
	for range 4 {
		out = append(out, s...)
	}
	return out
}

// SetField sets a field by name, making the map if it is nil.
func SetField(fields *map[string][]float64, name string, f []float64) {
	if *fields == nil {
		*fields = make(map[string][]float64)
	}
	(*fields)[name] = f
}
