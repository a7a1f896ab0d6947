package write

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// simplexKinds are the element types of simplices by dimension: points, lines, triangles and tetrahedra.
var simplexKinds = [4]int{15, 1, 2, 4}

// header writes $MeshFormat and $PhysicalNames.
func (w *writer) header() {
	kind := 0
	if w.binary {
		kind = 1
	}
	fmt.Fprintf(w, "$MeshFormat\n4.1 %d 8\n", kind)
	if w.binary {
		w.int32(1)
		w.end()
	}
	fmt.Fprint(w, "$EndMeshFormat\n")
	groups := slices.DeleteFunc(slices.Clone(w.Groups), func(g mesh.Group) bool {
		return g.Dim == w.Cells.Dim && w.Combined[g.Tag] != nil
	})
	if len(groups) > 0 {
		fmt.Fprintf(w, "$PhysicalNames\n%d\n", len(groups))
		for _, g := range groups {
			fmt.Fprintf(w, "%d %d \"%s\"\n", g.Dim, g.Tag, g.Name)
		}
		fmt.Fprint(w, "$EndPhysicalNames\n")
	}
}

// nodes writes all vertices in one block, on the first entity of cells.
func (w *writer) nodes() {
	fmt.Fprint(w, "$Nodes\n")
	n := len(w.Points[0])
	w.counts(1, n)
	w.block(w.Cells.Dim, w.numbers[w.elementSets[0].entities[0]], 0, n)
	for v := range n {
		w.int64(v + 1)
		w.endLine()
	}
	for v := range n {
		for _, x := range w.Points {
			if x == nil {
				w.float(0)
			} else {
				w.float(x[v])
			}
		}
		w.endLine()
	}
	w.endBinary()
	fmt.Fprint(w, "$EndNodes\n")
}

// counts writes the numbers of blocks and entries, and the lowest and the highest tag; tags begin with 1.
func (w *writer) counts(blocks, entries int) {
	w.int64(blocks)
	w.int64(entries)
	w.int64(min(1, entries))
	w.int64(entries)
	w.endLine()
}

func (w *writer) block(dim, entity, kind, count int) {
	w.int32(dim)
	w.int32(entity)
	w.int32(kind)
	w.int64(count)
	w.endLine()
}

// elementCount is the number of cells, sides, lines and points.
func (w *writer) elementCount() (n int) {
	for k := range w.elementSets {
		n += w.elementSets[k].Count
	}
	return n
}

// elements writes cells, sides, lines and points, with a block for each range of elements of the same entity.
func (w *writer) elements() {
	blocks := 0
	for k := range w.elementSets {
		for range meshfile.Runs(w.elementSets[k].Count, w.elementSets[k].key) {
			blocks++
		}
	}
	fmt.Fprint(w, "$Elements\n")
	w.counts(blocks, w.elementCount())
	number := 0
	for k := range w.elementSets {
		e := &w.elementSets[k]
		for start, end := range meshfile.Runs(e.Count, e.key) {
			w.block(e.Dim, w.numbers[e.key(start)], simplexKinds[e.Dim], end-start)
			for i := start; i < end; i++ {
				number++
				w.int64(number)
				for _, v := range e.Vertices(i) {
					w.int64(int(v) + 1)
				}
				w.endLine()
			}
		}
	}
	w.endBinary()
	fmt.Fprint(w, "$EndElements\n")
}

// field writes a view of one time step: the values, and then NaN for the given number of entries without a value, since
// the Python package meshio needs a value for each element. The header is text also in binary files; tags have four
// bytes.
func (w *writer) field(section, name string, values []float64, without int) {
	n := len(values) + without
	fmt.Fprintf(w, "$%s\n1\n\"%s\"\n1\n0\n3\n0\n1\n%d\n", section, name, n)
	for i := range n {
		x := math.NaN()
		if i < len(values) {
			x = values[i]
		}
		w.int32(i + 1)
		w.float(x)
		w.endLine()
	}
	w.endBinary()
	fmt.Fprintf(w, "$End%s\n", section)
}
