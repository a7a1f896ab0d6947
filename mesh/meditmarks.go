package mesh

import "slices"

// Marks are what a file has beside cells and the groups of these and of their sides: entities that it marks for those
// who change the mesh, references, and groups of fewer dimensions. Edges and triangles are given by their
// vertices, in any order, so that no order of cells or edges matters.
type Marks struct {
	Corners, Vertices []int32      // vertices at corners, and required ones
	Ridges, Edges     []MarkedEdge // edges of ridges, and required ones
	Triangles         []TaggedFace // required triangles; a tag of 0 says that they have no group

	Refs   []int32      // references of all vertices; nil where they are 0
	Lines  []MarkedEdge // in space, edges with a reference, or of a group
	Points []int32      // vertices in groups of points of a Gmsh file
	Passed []string     // sections that were passed over, such as normals, which do not hold once vertices have moved
}

// MarkedEdge is an edge and its reference.
type MarkedEdge struct{ A, B, Tag int32 }

// Held tells for each of n vertices whether it is to stay where it is: corners, required vertices, those in groups of
// points, and those of required edges and triangles. Nil marks hold none.
func (k *Marks) Held(n int) []bool {
	held := make([]bool, n)
	if k == nil {
		return held
	}
	for _, v := range slices.Concat(k.Corners, k.Vertices, k.Points) {
		held[v] = true
	}
	for _, e := range k.Edges {
		held[e.A], held[e.B] = true, true
	}
	for _, t := range k.Triangles {
		for _, v := range t.V {
			held[v] = true
		}
	}
	return held
}

// Ridged tells for each of n vertices whether it is on a ridge or, in space, on a line of a group.
func (k *Marks) Ridged(n int) []bool {
	on := make([]bool, n)
	if k == nil {
		return on
	}
	for _, e := range slices.Concat(k.Ridges, k.Lines) {
		on[e.A], on[e.B] = true, true
	}
	return on
}

// lineEnds tells for each of n vertices whether lines end, fork or change their groups there.
func (k *Marks) lineEnds(n int) []bool {
	ends := make([]bool, n)
	if k == nil {
		return ends
	}
	type line struct{ a, b int32 }
	groups := map[line][]int32{}
	for _, e := range k.Lines {
		at := line{min(e.A, e.B), max(e.A, e.B)}
		groups[at] = append(groups[at], e.Tag)
	}
	lines := map[int32][]line{} // at a vertex
	for at, tags := range groups {
		slices.Sort(tags)
		lines[at.a], lines[at.b] = append(lines[at.a], at), append(lines[at.b], at)
	}
	for v, all := range lines {
		ends[v] = len(all) != 2 || !slices.Equal(groups[all[0]], groups[all[1]])
	}
	return ends
}

// renumbered are the marks of a mesh whose vertex v has become to[v], and has gone where that is negative. References
// are left as they are.
func (k *Marks) renumbered(to []int32) *Marks {
	if k == nil {
		return nil
	}
	vertices := func(of []int32) (all []int32) {
		for _, v := range of {
			if to[v] >= 0 {
				all = append(all, to[v])
			}
		}
		return all
	}
	edges := func(of []MarkedEdge) (all []MarkedEdge) {
		for _, e := range of {
			if min(to[e.A], to[e.B]) >= 0 {
				all = append(all, MarkedEdge{to[e.A], to[e.B], e.Tag})
			}
		}
		return all
	}
	n := &Marks{Corners: vertices(k.Corners), Vertices: vertices(k.Vertices), Ridges: edges(k.Ridges),
		Edges: edges(k.Edges), Lines: edges(k.Lines), Points: vertices(k.Points), Refs: k.Refs, Passed: k.Passed}
	for _, t := range k.Triangles {
		if v := [3]int32{to[t.V[0]], to[t.V[1]], to[t.V[2]]}; min(v[0], v[1], v[2]) >= 0 {
			n.Triangles = append(n.Triangles, TaggedFace{v, t.Tag})
		}
	}
	return n
}

// keepRefs keeps the references of some vertices.
func (k *Marks) keepRefs(keep func(v int) bool) {
	if k == nil || k.Refs == nil {
		return
	}
	var kept []int32
	for v, ref := range k.Refs {
		if keep(v) {
			kept = append(kept, ref)
		}
	}
	k.Refs = kept
}

// meditMark is a section of marks.
type meditMark struct {
	key  int
	name string
}

// meditMarks are the sections of marks, with the numbers that they have in binary files, in the order in which they
// are written.
var meditMarks = []meditMark{{13, "Corners"}, {14, "Ridges"}, {15, "RequiredVertices"}, {16, "RequiredEdges"},
	{17, "RequiredTriangles"}}

// marked reads a section of marks: numbers of vertices, edges or triangles, which may stand before or after these.
func (r *meditReader) marked(name string, count int64) error {
	if err := r.holds(count, 2, "entries"); err != nil {
		return err
	}
	all := make([]int64, count)
	for i := range all {
		var err error
		if all[i], err = r.int(); err != nil {
			return err
		}
	}
	r.marks[name] = all
	return nil
}

// marksOf finds what the sections of marks refer to; triangles[k] is that of number k+1. It returns nil if there are
// none.
func (r *meditReader) marksOf(triangles []TaggedFace) (*Marks, error) {
	k := &Marks{Refs: r.refs, Passed: r.passed}
	if r.solid != nil {
		for _, e := range r.ends {
			if e.Tag != 0 {
				k.Lines = append(k.Lines, e)
			}
		}
	}
	any := k.Refs != nil || k.Lines != nil || k.Passed != nil
	for _, s := range meditMarks {
		of, have := map[string]string{"Corners": "Vertices", "RequiredVertices": "Vertices", "Ridges": "Edges",
			"RequiredEdges": "Edges", "RequiredTriangles": "Triangles"}[s.name], 0
		switch of {
		case "Vertices":
			have = len(r.mesh.X)
		case "Edges":
			have = len(r.ends)
		default:
			have = len(triangles)
		}
		for _, n := range r.marks[s.name] {
			if n < 1 || n > int64(have) {
				return nil, r.at(len(r.data), "%s refers to number %d of %s; the file has %d", s.name, n, of, have)
			}
			any = true
			switch i := n - 1; s.name {
			case "Corners":
				k.Corners = append(k.Corners, int32(i))
			case "RequiredVertices":
				k.Vertices = append(k.Vertices, int32(i))
			case "Ridges":
				k.Ridges = append(k.Ridges, r.ends[i])
			case "RequiredEdges":
				k.Edges = append(k.Edges, r.ends[i])
			default:
				k.Triangles = append(k.Triangles, triangles[i])
			}
		}
	}
	if !any {
		return nil, nil
	}
	return k, nil
}

// marking is what a writer adds to the edges and triangles of a mesh for the sake of marks, and the numbers of the
// marked ones.
type marking struct {
	edges     []MarkedEdge
	triangles []TaggedFace
	numbers   map[string][]int
}

// marking numbers what is marked: the edges and triangles of so many of either that are written anyway, by their
// vertices, and others after them.
func (k *Marks) marking(edges, triangles *elements) marking {
	m := marking{numbers: map[string][]int{}}
	if k == nil {
		return m
	}
	add := func(name string, number int) { m.numbers[name] = append(m.numbers[name], number) } // "" is no section
	for _, v := range k.Corners {
		add("Corners", int(v)+1)
	}
	for _, v := range k.Vertices {
		add("RequiredVertices", int(v)+1)
	}
	number, count := numbersOf(edges)
	edge := func(name string, e MarkedEdge) {
		key := ascending([3]int32{e.A, e.B, -1})
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
		key := ascending(t.V)
		if number[key] == 0 {
			count++
			number[key] = count
			m.triangles = append(m.triangles, t)
		}
		add("RequiredTriangles", number[key])
	}
	return m
}

// numbersOf are the numbers of edges or triangles by their vertices, and how many there are.
func numbersOf(e *elements) (map[[3]int32]int, int) {
	number := map[[3]int32]int{}
	if e == nil {
		return number, 0
	}
	for i := range e.count {
		v := e.vertices(i)
		key := [3]int32{v[0], v[1], -1}
		if len(v) == 3 {
			key[2] = v[2]
		}
		if key = ascending(key); number[key] == 0 {
			number[key] = i + 1
		}
	}
	return number, e.count
}

// with are elements and others after them.
func (e *elements) with(count int, vertices func(i int) []int32, tag func(i int) int32) *elements {
	if e == nil {
		e = &elements{}
	}
	return &elements{dim: len(vertices(0)) - 1, count: e.count + count, vertices: func(i int) []int32 {
		if i < e.count {
			return e.vertices(i)
		}
		return vertices(i - e.count)
	}, tag: func(i int) int32 {
		if i < e.count {
			return e.tag(i)
		}
		return tag(i - e.count)
	}}
}

// marked are the elements of a dimension to be written, with those that marks add.
func (m *marking) marked(dim int, e *elements) *elements {
	switch {
	case dim == 1 && len(m.edges) > 0:
		return e.with(len(m.edges), func(i int) []int32 { return []int32{m.edges[i].A, m.edges[i].B} },
			func(i int) int32 { return m.edges[i].Tag })
	case dim == 2 && len(m.triangles) > 0:
		return e.with(len(m.triangles), func(i int) []int32 { return m.triangles[i].V[:] },
			func(i int) int32 { return m.triangles[i].Tag })
	}
	return e
}

// marks writes the sections of marks.
func (w *meditWriter) marks(m *marking) {
	for _, s := range meditMarks {
		numbers := m.numbers[s.name]
		if len(numbers) == 0 {
			continue
		}
		w.section(s.key, s.name, len(numbers), 4)
		for _, n := range numbers {
			w.last(n)
		}
	}
}
