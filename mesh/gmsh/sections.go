package gmsh

import (
	"fmt"
	"math"
	"slices"
)

// simplexKinds are the element types of simplices by dimension.
var simplexKinds = [4]int{1: lineKind, 2: triangleKind, 3: tetrahedronKind}

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
	if len(w.Groups) > 0 {
		fmt.Fprintf(w, "$PhysicalNames\n%d\n", len(w.Groups))
		for _, g := range w.Groups {
			fmt.Fprintf(w, "%d %d \"%s\"\n", g.Dim, g.Tag, g.Name)
		}
		fmt.Fprint(w, "$EndPhysicalNames\n")
	}
}

// entities writes an entity for each dimension and group tag. Entities of one dimension are numbered from 1.
func (w *writer) entities() {
	var counts [4]int
	for _, e := range w.elementSets {
		counts[e.Dim] += len(e.tags)
	}
	fmt.Fprint(w, "$Entities\n")
	for _, n := range counts {
		w.int64(n)
	}
	w.endLine()
	box := w.Box()
	for _, e := range slices.Backward(w.elementSets[:]) {
		for i, tag := range e.tags {
			w.entity(i+1, box, tag)
		}
	}
	w.endBinary()
	fmt.Fprint(w, "$EndEntities\n")
}

// entity writes an entity with a bounding box and a group. If the mesh has sides (tagged edges of triangles, tagged
// faces of tetrahedra) or lines (tagged edges of tetrahedra), an entity without a group gets group 0, because the
// Python package meshio needs a group for each entity if any has one.
func (w *writer) entity(tag int, box [6]float64, group int32) {
	w.int32(tag)
	for _, x := range box {
		w.float(x)
	}
	if w.Sides.Count+w.Lines.Count > 0 || group > 0 {
		w.int64(1)
		w.int32(int(group))
	} else {
		w.int64(0)
	}
	w.int64(0) // entities that bound it
	w.endLine()
}

// nodes writes all vertices in one block, on the first entity of cells.
func (w *writer) nodes() {
	fmt.Fprint(w, "$Nodes\n")
	n := len(w.Points[0])
	w.counts(1, n)
	w.block(w.Cells.Dim, 1, 0, n)
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

// elements writes cells, sides and lines, with a block for each range of elements with the same group tag.
func (w *writer) elements() {
	blocks := 0
	for _, e := range w.elementSets {
		for range e.Runs() {
			blocks++
		}
	}
	fmt.Fprint(w, "$Elements\n")
	w.counts(blocks, w.Cells.Count+w.Sides.Count+w.Lines.Count)
	number := 0
	for _, e := range w.elementSets {
		for start, end := range e.Runs() {
			index, _ := slices.BinarySearch(e.tags, e.Tag(start))
			w.block(e.Dim, index+1, simplexKinds[e.Dim], end-start)
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
