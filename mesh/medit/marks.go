package medit

import (
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// markSection is a section of a file with marks (mesh.Marks): corners, ridges, and vertices, edges and triangles that
// remeshing must keep (Medit's sections Required…).
type markSection struct {
	key  int
	name string
}

// markSections are the sections of marks in the order in which they are written, with their numbers in binary files.
var markSections = []markSection{{13, "Corners"}, {14, "Ridges"}, {15, "RequiredVertices"}, {16, "RequiredEdges"},
	{17, "RequiredTriangles"}}

// readMarks reads a section of marks: the numbers of vertices, edges or triangles, whose sections may come before or
// after.
func (r *reader) readMarks(name string, count int64) error {
	if err := r.CheckRemaining(count, 2, "entries"); err != nil {
		return err
	}
	numbers := make([]int64, count)
	for i := range numbers {
		var err error
		if numbers[i], err = r.int(); err != nil {
			return err
		}
	}
	r.marks[name] = append(r.marks[name], numbers...)
	return nil
}

// marksOf returns the marks of the file, nil if it has none. triangles[k] is the triangle with the number k+1.
func (r *reader) marksOf(triangles []mesh.TaggedFace) (*mesh.Marks, error) {
	k := &mesh.Marks{Refs: r.refs, Skipped: r.skipped}
	if r.solid != nil {
		for _, e := range r.allEdges {
			if e.Tag != 0 {
				k.Lines = append(k.Lines, e)
			}
		}
	}
	found := k.Refs != nil || k.Lines != nil || k.Skipped != nil
	for _, s := range markSections {
		entity, count := map[string]string{"Corners": "Vertices", "RequiredVertices": "Vertices", "Ridges": "Edges",
			"RequiredEdges": "Edges", "RequiredTriangles": "Triangles"}[s.name], 0
		switch entity {
		case "Vertices":
			count = len(r.mesh.X)
		case "Edges":
			count = len(r.allEdges)
		default:
			count = len(triangles)
		}
		for _, n := range r.marks[s.name] {
			if n < 1 || n > int64(count) {
				return nil, r.At(len(r.Data), "%s refers to number %d of %s; the file has %d", s.name, n, entity, count)
			}
			found = true
			switch i := n - 1; s.name {
			case "Corners":
				k.Corners = append(k.Corners, int32(i))
			case "RequiredVertices":
				k.Vertices = append(k.Vertices, int32(i))
			case "Ridges":
				k.Ridges = append(k.Ridges, r.allEdges[i])
			case "RequiredEdges":
				k.Edges = append(k.Edges, r.allEdges[i])
			default:
				k.Triangles = append(k.Triangles, triangles[i])
			}
		}
	}
	if !found {
		return nil, nil
	}
	return k, nil
}

// marking has the edges and triangles that a writer writes in addition, because marks refer to them, and for each
// section of marks the numbers of its vertices, edges or triangles.
type marking struct {
	edges     []mesh.MarkedEdge
	triangles []mesh.TaggedFace
	numbers   map[string][]int
}

// markingOf numbers the marked edges and triangles. Those among edges and triangles, which are written anyway, have
// their numbers there; the others follow.
func markingOf(k *mesh.Marks, edges, triangles *meshfile.Elements) marking {
	m := marking{numbers: map[string][]int{}}
	if k == nil {
		return m
	}
	// Lines, which have no section of their own, are added under the name "".
	add := func(name string, number int) { m.numbers[name] = append(m.numbers[name], number) }
	for _, v := range k.Corners {
		add("Corners", int(v)+1)
	}
	for _, v := range k.Vertices {
		add("RequiredVertices", int(v)+1)
	}
	number, count := numbersOf(edges)
	edge := func(name string, e mesh.MarkedEdge) {
		key := sortedVertices([3]int32{e.A, e.B, -1})
		if number[key] == 0 {
			count++
			number[key] = count
			m.edges = append(m.edges, e)
		}
		add(name, number[key])
	}
	for _, e := range k.Ridges {
		edge("Ridges", e)
	}
	for _, e := range k.Edges {
		edge("RequiredEdges", e)
	}
	for _, e := range k.Lines {
		edge("", e)
	}
	number, count = numbersOf(triangles)
	for _, t := range k.Triangles {
		key := sortedVertices(t.V)
		if number[key] == 0 {
			count++
			number[key] = count
			m.triangles = append(m.triangles, t)
		}
		add("RequiredTriangles", number[key])
	}
	return m
}

// numbersOf returns the numbers of edges or triangles by their sorted vertices, and how many there are.
func numbersOf(e *meshfile.Elements) (map[[3]int32]int, int) {
	number := map[[3]int32]int{}
	if e == nil {
		return number, 0
	}
	for i := range e.Count {
		v := e.Vertices(i)
		key := [3]int32{v[0], v[1], -1}
		if len(v) == 3 {
			key[2] = v[2]
		}
		if key = sortedVertices(key); number[key] == 0 {
			number[key] = i + 1
		}
	}
	return number, e.Count
}

// withMarked returns the elements of a dimension to be written: e and those that marks add.
func (m *marking) withMarked(dim int, e *meshfile.Elements) *meshfile.Elements {
	switch {
	case dim == 1 && len(m.edges) > 0:
		return e.With(len(m.edges), func(i int) []int32 { return []int32{m.edges[i].A, m.edges[i].B} },
			func(i int) int32 { return m.edges[i].Tag })
	case dim == 2 && len(m.triangles) > 0:
		return e.With(len(m.triangles), func(i int) []int32 { return m.triangles[i].V[:] },
			func(i int) int32 { return m.triangles[i].Tag })
	}
	return e
}

// marks returns the sections of marks.
func (w *writer) marks(m *marking) (sections []section) {
	for _, s := range markSections {
		if numbers := m.numbers[s.name]; len(numbers) > 0 {
			sections = append(sections, section{s.key, s.name, len(numbers), 4, func(i int) { w.lastOfLine(numbers[i]) }})
		}
	}
	return sections
}

// sortedVertices sorts the vertices of an edge or triangle.
func sortedVertices(v [3]int32) [3]int32 {
	slices.Sort(v[:])
	return v
}
