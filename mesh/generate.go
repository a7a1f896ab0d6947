package mesh

import (
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/lattice"
)

// Rectangle returns an irregular triangle mesh of [x0, x1] × [y0, y1] with about the given number of cells (see
// lattice.Boxes). It splits boxes into two triangles along a random diagonal, and moves interior vertices at random
// along both axes by up to lattice.Jitter times the spacing; seed determines both. The sides are the groups
// "left", "right",
// "bottom" and "top".
func Rectangle(x0, y0, x1, y1 float64, cells int, seed uint64) (*Mesh, error) {
	l, err := lattice.New(x0, y0, x1, y1, cells, seed)
	if err != nil {
		return nil, err
	}
	vertices, n, sides := l.Counts()
	m := &Mesh{X: make([]float64, vertices), Y: make([]float64, vertices), Cells: make([][3]int32, n),
		Groups: SideGroups()}
	parallel.Ranges(int(vertices), parallel.Parts(int(vertices), itemsPerWorker), func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			m.X[v], m.Y[v] = l.Vertex(int64(v))
		}
	})
	parallel.Ranges(int(n), parallel.Parts(int(n), itemsPerWorker), func(_, lo, hi int) {
		for c := lo; c < hi; c++ {
			m.Cells[c] = l.Cell(int64(c))
		}
	})
	for k := range sides {
		a, b, group := l.Side(k)
		m.Tagged = append(m.Tagged, TaggedEdge{a, b, group})
	}
	return m, nil
}

// SideGroups returns the groups of the sides of Rectangle.
func SideGroups() []Group {
	return []Group{{1, 1, "left"}, {1, 2, "right"}, {1, 3, "bottom"}, {1, 4, "top"}}
}

// subdivide returns n+1 evenly spaced values, of which the ends are exact.
func subdivide(from, to float64, n int) []float64 {
	values := make([]float64, n+1)
	for i := range values {
		values[i] = lattice.Divide(from, to, i, n)
	}
	return values
}
