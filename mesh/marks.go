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
