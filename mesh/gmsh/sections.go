package gmsh

import (
	"fmt"
	"math"
	"slices"
)

// simplexKinds are the element types of simplices by dimension.
var simplexKinds = [4]int{1: lineKind, 2: triangleKind, 3: tetrahedronKind}

// head writes $MeshFormat and $PhysicalNames.
func (w *writer) head() {
	kind := 0
	if w.binary {
		kind = 1
	}
	fmt.Fprintf(w, "$MeshFormat\n4.1 %d 8\n", kind)
	if w.binary {
		w.whole(1)
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
	for _, p := range w.parts {
		counts[p.Dim] += len(p.tags)
	}
	fmt.Fprint(w, "$Entities\n")
	for _, n := range counts {
		w.size(n)
	}
	w.endText()
	box := w.Box()
	for _, p := range slices.Backward(w.parts[:]) {
		for i, tag := range p.tags {
			w.entity(i+1, box, tag)
		}
	}
	w.endBinary()
	fmt.Fprint(w, "$EndEntities\n")
}

// entity writes an entity with a bounding box and a group. If there are sides or lines, an entity without a group gets
// group 0, because the Python package meshio needs a group for each entity if any has one.
func (w *writer) entity(tag int, box [6]float64, group int32) {
	w.whole(tag)
	for _, x := range box {
		w.float(x)
	}
	if w.Sides.Count+w.Lines.Count > 0 || group > 0 {
		w.size(1)
		w.whole(int(group))
	} else {
		w.size(0)
	}
	w.size(0) // entities that bound it
	w.endText()
}

// nodes writes all vertices in one block, on the first entity of cells.
func (w *writer) nodes() {
	fmt.Fprint(w, "$Nodes\n")
	n := len(w.Points[0])
	w.counts(1, n)
	w.block(w.Cells.Dim, 1, 0, n)
	for v := range n {
		w.size(v + 1)
		w.endText()
	}
	for v := range n {
		for _, x := range w.Points {
			if x == nil {
				w.float(0)
			} else {
				w.float(x[v])
			}
		}
		w.endText()
	}
	w.endBinary()
	fmt.Fprint(w, "$EndNodes\n")
}

// counts writes the numbers of blocks and entries, and the lowest and the highest tag; tags begin with 1.
func (w *writer) counts(blocks, entries int) {
	w.size(blocks)
	w.size(entries)
	w.size(min(1, entries))
	w.size(entries)
	w.endText()
}

func (w *writer) block(dim, entity, kind, count int) {
	w.whole(dim)
	w.whole(entity)
	w.whole(kind)
	w.size(count)
	w.endText()
}

// elements writes cells, sides and lines, with a block for each range of elements with the same group tag.
func (w *writer) elements() {
	blocks := 0
	for _, p := range w.parts {
		for range p.Runs() {
			blocks++
		}
	}
	fmt.Fprint(w, "$Elements\n")
	w.counts(blocks, w.Cells.Count+w.Sides.Count+w.Lines.Count)
	number := 0
	for _, p := range w.parts {
		for start, end := range p.Runs() {
			index, _ := slices.BinarySearch(p.tags, p.Tag(start))
			w.block(p.Dim, index+1, simplexKinds[p.Dim], end-start)
			for i := start; i < end; i++ {
				number++
				w.size(number)
				for _, v := range p.Vertices(i) {
					w.size(int(v) + 1)
				}
				w.endText()
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
		w.whole(i + 1)
		w.float(x)
		w.endText()
	}
	w.endBinary()
	fmt.Fprintf(w, "$End%s\n", section)
}
