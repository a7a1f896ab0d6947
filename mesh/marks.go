package mesh

import (
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/internal/words"
)

// Marks are what a file may have besides cells and groups of cells and sides: constraints for programs that change the
// mesh, references, and groups of lines and points. Edges and triangles are given by their vertices, in any order.
type Marks struct {
	Corners, Vertices []int32      // corners, and required vertices
	Ridges, Edges     []MarkedEdge // ridges, and required edges
	Triangles         []TaggedFace // required triangles; tag 0 means no group

	Refs    []int32      // reference of each vertex; nil if all are 0
	Lines   []MarkedEdge // in space, edges with a reference or in a group
	Skipped []string     // what was not read: sections such as normals, which do not fit once vertices move, and fields

	Points   []MarkedPoint  // vertices in groups of points of a Gmsh file
	Periodic []PeriodicSide // of a Gmsh file
	Cracked  []int32        // vertices at cracks: each at the position of another, on the other side
}

// LostField describes a field of vertices or cells that is not read, for Skipped.
func LostField(of, name string, components int) string {
	return fmt.Sprintf("%s field %q of %s", of, name, words.Count(components, "component"))
}

// MarkedPoint is a vertex and the tag of its group.
type MarkedPoint struct{ V, Tag int32 }

// PeriodicSide relates the vertices of a side of a periodic mesh to those of the opposite side, the master.
type PeriodicSide struct {
	Dim            int        // of the sides
	Entity, Master int        // numbers of the two sides in the file
	Affine         []float64  // map from the master, 4×4 by rows; empty if the file has none
	Pairs          [][2]int32 // vertices of the side and of the master
}

// MarkedEdge is an edge and its reference.
type MarkedEdge struct{ A, B, Tag int32 }

// Held reports for each of n vertices whether it must not move: corners, required vertices, vertices in groups of
// points, on periodic sides and at cracks, and those of required edges and triangles. Nil marks hold none.
func (k *Marks) Held(n int) []bool {
	held := make([]bool, n)
	if k == nil {
		return held
	}
	for _, v := range slices.Concat(k.Corners, k.Vertices, k.Cracked) {
		held[v] = true
	}
	for _, p := range k.Points {
		held[p.V] = true
	}
	for _, side := range k.Periodic {
		for _, pair := range side.Pairs {
			held[pair[0]], held[pair[1]] = true, true
		}
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

// OnRidge reports for each of n vertices whether it is on a ridge or, in space, on an edge of Lines.
func (k *Marks) OnRidge(n int) []bool {
	on := make([]bool, n)
	if k == nil {
		return on
	}
	for _, e := range slices.Concat(k.Ridges, k.Lines) {
		on[e.A], on[e.B] = true, true
	}
	return on
}

// HeldInSpace reports for each of n vertices of a mesh of tetrahedra whether it must not move: it is Held, or Lines
// end, branch or change their group there.
func (k *Marks) HeldInSpace(n int) []bool {
	held := k.Held(n)
	for v, ends := range k.lineEnds(n) {
		held[v] = held[v] || ends
	}
	return held
}

// lineEnds reports for each of n vertices whether Lines end, branch or change their group there.
func (k *Marks) lineEnds(n int) []bool {
	ends := make([]bool, n)
	if k == nil {
		return ends
	}
	type line struct{ a, b int32 }
	groups := map[line][]int32{}
	for _, e := range k.Lines {
		key := line{min(e.A, e.B), max(e.A, e.B)}
		groups[key] = append(groups[key], e.Tag)
	}
	lines := map[int32][]line{} // at a vertex
	for key, tags := range groups {
		slices.Sort(tags)
		lines[key.a], lines[key.b] = append(lines[key.a], key), append(lines[key.b], key)
	}
	for v, atVertex := range lines {
		ends[v] = len(atVertex) != 2 || !slices.Equal(groups[atVertex[0]], groups[atVertex[1]])
	}
	return ends
}

// cracked returns the vertices at cracks.
func (k *Marks) cracked() map[int32]bool {
	if k == nil {
		return nil
	}
	set := make(map[int32]bool, len(k.Cracked))
	for _, v := range k.Cracked {
		set[v] = true
	}
	return set
}

// close removes the marks of cracks, whose sides were merged.
func (k *Marks) close() {
	if k != nil {
		k.Cracked = nil
	}
}

// renumbered returns the marks with vertex v renumbered to newID[v]; a negative id means that the vertex was removed.
// References are not changed.
func (k *Marks) renumbered(newID []int32) *Marks {
	if k == nil {
		return nil
	}
	vertices := func(ids []int32) (kept []int32) {
		for _, v := range ids {
			if newID[v] >= 0 {
				kept = append(kept, newID[v])
			}
		}
		return kept
	}
	edges := func(marked []MarkedEdge) (kept []MarkedEdge) {
		for _, e := range marked {
			if min(newID[e.A], newID[e.B]) >= 0 {
				kept = append(kept, MarkedEdge{newID[e.A], newID[e.B], e.Tag})
			}
		}
		return kept
	}
	n := &Marks{Corners: vertices(k.Corners), Vertices: vertices(k.Vertices), Ridges: edges(k.Ridges),
		Edges: edges(k.Edges), Lines: edges(k.Lines), Cracked: vertices(k.Cracked), Refs: k.Refs, Skipped: k.Skipped}
	for _, p := range k.Points {
		if newID[p.V] >= 0 {
			n.Points = append(n.Points, MarkedPoint{newID[p.V], p.Tag})
		}
	}
	for _, side := range k.Periodic {
		pairs := side.Pairs
		side.Pairs = nil
		for _, pair := range pairs {
			if a, b := newID[pair[0]], newID[pair[1]]; min(a, b) >= 0 {
				side.Pairs = append(side.Pairs, [2]int32{a, b})
			}
		}
		n.Periodic = append(n.Periodic, side)
	}
	for _, t := range k.Triangles {
		if v := [3]int32{newID[t.V[0]], newID[t.V[1]], newID[t.V[2]]}; min(v[0], v[1], v[2]) >= 0 {
			n.Triangles = append(n.Triangles, TaggedFace{v, t.Tag})
		}
	}
	return n
}

// keepRefs removes the references of all vertices for which keep is false.
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
