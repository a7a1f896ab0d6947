package mutable

import "github.com/atoll-hpc/atoll/mesh"

// numbering has the index in the result of each vertex, and of each vertex of the input, -1 for removed ones, and the
// vertices and cells in the order of the result.
type numbering struct {
	of, ofInput     []int32
	vertices, cells []int32
}

func number(t *Mesh) *numbering {
	n := &numbering{of: mesh.NoIDs(len(t.X)), ofInput: mesh.NoIDs(t.Inputs)}
	n.vertices, n.cells = t.Ordered()
	for i, v := range n.vertices {
		n.of[v] = int32(i)
		if id := t.ID[v]; id < int64(t.Inputs) {
			n.ofInput[id] = int32(i)
		}
	}
	return n
}

// Triangles returns the triangles, with the groups of the input mesh.
func (t *Mesh) Triangles(m *mesh.Mesh) *mesh.Mesh {
	n := number(t)
	out := &mesh.Mesh{Groups: m.Groups, Origin: m.Origin}
	for _, v := range n.vertices {
		out.X, out.Y = append(out.X, t.X[v][0]), append(out.Y, t.X[v][1])
	}
	for _, k := range n.cells {
		c := &t.Cells[k]
		out.Cells = append(out.Cells, [3]int32{n.of[c.V[0]], n.of[c.V[1]], n.of[c.V[2]]})
		if m.CellGroup != nil {
			out.CellGroup = append(out.CellGroup, c.Ref)
		}
	}
	marks := t.keptMarks(m.Marks, n)
	for _, f := range t.outFacets(n) {
		kind := &t.Facets[f.tag]
		for _, g := range kind.Groups {
			out.Tagged = append(out.Tagged, mesh.TaggedEdge{A: f.V[0], B: f.V[1], Group: g})
		}
		if kind.Ridge {
			marks.Ridges = append(marks.Ridges, mesh.MarkedEdge{A: f.V[0], B: f.V[1]})
		}
	}
	if m.Marks != nil {
		out.Marks = marks
	}
	return out
}

// Tetrahedra returns the tetrahedra, with the groups of the input mesh.
func (t *Mesh) Tetrahedra(s *mesh.Solid) *mesh.Solid {
	n := number(t)
	out := &mesh.Solid{Groups: s.Groups, Origin: s.Origin}
	for _, v := range n.vertices {
		x := &t.X[v]
		out.X, out.Y, out.Z = append(out.X, x[0]), append(out.Y, x[1]), append(out.Z, x[2])
	}
	for _, k := range n.cells {
		c := &t.Cells[k]
		out.Cells = append(out.Cells, [4]int32{n.of[c.V[0]], n.of[c.V[1]], n.of[c.V[2]], n.of[c.V[3]]})
		if s.CellTag != nil {
			out.CellTag = append(out.CellTag, c.Ref)
		}
	}
	for _, f := range t.outFacets(n) {
		for _, g := range t.Facets[f.tag].Groups {
			out.Faces = append(out.Faces, mesh.TaggedFace{V: f.V, Tag: g})
		}
	}
	if s.Marks == nil {
		return out
	}
	out.Marks = t.keptMarks(s.Marks, n)
	for _, v := range n.vertices {
		for _, l := range t.Line(v) {
			if t.ID[v] > t.ID[l.To] {
				continue
			}
			kind := &t.LineKinds[l.Tag]
			for _, g := range kind.Groups {
				out.Marks.Lines = append(out.Marks.Lines, mesh.MarkedEdge{A: n.of[v], B: n.of[l.To], Tag: g})
			}
			if kind.Ridge {
				out.Marks.Ridges = append(out.Marks.Ridges, mesh.MarkedEdge{A: n.of[v], B: n.of[l.To]})
			}
		}
	}
	return out
}

// outFacets returns the facets with a kind, with the vertices of the result, as a cell has them.
func (t *Mesh) outFacets(n *numbering) []TaggedFacet {
	list := t.TaggedFacets()
	for i := range list {
		f := &list[i]
		for j := range t.Dim {
			f.V[j] = n.of[f.V[j]]
		}
	}
	return list
}

// keptMarks returns the marks of entities that stay as they are, with the numbers of the result.
func (t *Mesh) keptMarks(k *mesh.Marks, n *numbering) *mesh.Marks {
	out := &mesh.Marks{}
	if k == nil {
		return out
	}
	out.Skipped = k.Skipped
	edge := func(m mesh.MarkedEdge) mesh.MarkedEdge {
		return mesh.MarkedEdge{A: n.ofInput[m.A], B: n.ofInput[m.B], Tag: m.Tag}
	}
	vertices := func(ids []int32) (kept []int32) {
		for _, v := range ids {
			kept = append(kept, n.ofInput[v])
		}
		return kept
	}
	out.Corners, out.Vertices, out.Cracked = vertices(k.Corners), vertices(k.Vertices), vertices(k.Cracked)
	for _, m := range k.Edges {
		out.Edges = append(out.Edges, edge(m))
	}
	for _, f := range k.Triangles {
		out.Triangles = append(out.Triangles, mesh.TaggedFace{V: [3]int32(vertices(f.V[:])), Tag: f.Tag})
	}
	for _, p := range k.Points {
		out.Points = append(out.Points, mesh.MarkedPoint{V: n.ofInput[p.V], Tag: p.Tag})
	}
	for _, side := range k.Periodic {
		pairs := side.Pairs
		side.Pairs = nil
		for _, p := range pairs {
			side.Pairs = append(side.Pairs, [2]int32{n.ofInput[p[0]], n.ofInput[p[1]]})
		}
		out.Periodic = append(out.Periodic, side)
	}
	if k.Refs != nil {
		out.Refs = make([]int32, len(n.vertices))
		for v, ref := range k.Refs {
			if i := n.ofInput[v]; i >= 0 {
				out.Refs[i] = ref
			}
		}
	}
	return out
}
