package isovalue

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/atoll-hpc/atoll/mesh"
)

// Numbers of groups, as in Mmg: those of the cells of a mesh without groups of cells, and of the interface.
const (
	aboveTag     = 2
	belowTag     = 3
	interfaceTag = 10
)

// Cut is what a cut adds to a mesh.
type Cut struct {
	// Whole is the material, before the cut, of each new material (in the plane an index of Mesh.Groups, in space a tag),
	// and Below has the materials of the cells below the level.
	Whole map[int32]int32
	Below map[int32]bool
	// Interface is the group of the interface: an index or tag.
	Interface int32
}

// groups makes the groups of a cut mesh.
type groups struct {
	dim  int // of cells
	list []mesh.Group
	cut  *Cut

	used map[[2]int]bool // dimensions and tags of groups, also those without an entry in the list

	below    map[int32]int32 // the material below the level of each material
	above    int32           // the material above of cells without one, if hasAbove
	hasAbove bool
}

func newGroups(dim int, list []mesh.Group) *groups {
	return &groups{dim: dim, list: slices.Clone(list), below: map[int32]int32{}, used: map[[2]int]bool{},
		cut: &Cut{Whole: map[int32]int32{}, Below: map[int32]bool{}}}
}

// none is the material of cells without one: in the plane an index, in space a tag.
func (g *groups) none() int32 { return int32(g.dim - 3) }

// material returns the material of a part of a cell on a side.
func (g *groups) material(whole int32, side int8) int32 {
	switch {
	case side < 0:
		if _, ok := g.below[whole]; !ok {
			g.below[whole] = g.addBelow(whole)
			g.cut.Whole[g.below[whole]], g.cut.Below[g.below[whole]] = whole, true
		}
		return g.below[whole]
	case whole != g.none():
		return whole
	}
	if !g.hasAbove {
		g.above, g.hasAbove = g.add(g.dim, aboveTag, "above"), true
		g.cut.Whole[g.above] = whole
	}
	return g.above
}

// addBelow adds the group of what is below the level of a material.
func (g *groups) addBelow(whole int32) int32 {
	if whole == g.none() {
		return g.add(g.dim, belowTag, "below")
	}
	name := strconv.Itoa(int(whole))
	if g.dim == 2 {
		name = g.list[whole].Name
	} else if i := slices.IndexFunc(g.list, func(o mesh.Group) bool { return o.Dim == 3 && o.Tag == int(whole) }); i >= 0 {
		name = g.list[i].Name
	}
	return g.add(g.dim, 0, name+" below")
}

// add adds a group with a name and the tag asked for, or if that is taken one above all others, and returns its index
// in the plane, its tag in space.
func (g *groups) add(dim, tag int, name string) int32 {
	for _, o := range g.list {
		if g.used[[2]int{o.Dim, o.Tag}] = true; o.Dim == dim && o.Name == name {
			name += " of the level"
		}
	}
	if tag == 0 || g.used[[2]int{dim, tag}] {
		for used := range g.used {
			tag = max(tag, used[1]+1)
		}
	}
	g.list = append(g.list, mesh.Group{Dim: dim, Tag: tag, Name: name})
	if g.dim == 3 {
		return int32(tag)
	}
	return int32(len(g.list) - 1)
}

// hold holds the vertices that marks keep where they are, or on lines. It refuses marks that do not outlast a cut.
func hold(k *mesh.Marks, held []bool) error {
	if k == nil {
		return nil
	}
	if len(k.Periodic)+len(k.Cracked) > 0 {
		return errors.New("a mesh with periodic sides or cracks cannot be cut along a level")
	}
	for v, h := range k.Held(len(held)) {
		held[v] = held[v] || h
	}
	for _, list := range [][]mesh.MarkedEdge{k.Ridges, k.Lines} {
		for _, e := range list {
			held[e.A], held[e.B] = true, true
		}
	}
	return nil
}

// cutMarks returns the marks of a cut mesh.
func (c *cutter) cutMarks(k *mesh.Marks) *mesh.Marks {
	if k == nil {
		return nil
	}
	out := *k
	for _, list := range []*[]mesh.MarkedEdge{&out.Ridges, &out.Edges, &out.Lines} {
		var parts []mesh.MarkedEdge
		for _, e := range *list {
			if p, ok := c.points[edgeOf(e.A, e.B)]; ok {
				parts = append(parts, mesh.MarkedEdge{A: e.A, B: p, Tag: e.Tag}, mesh.MarkedEdge{A: p, B: e.B, Tag: e.Tag})
			} else {
				parts = append(parts, e)
			}
		}
		*list = parts
	}
	out.Triangles = c.cutFaces(k.Triangles)
	if k.Refs != nil {
		out.Refs = append(slices.Clone(k.Refs), make([]int32, len(c.x)-len(k.Refs))...)
	}
	return &out
}

func (c *cutter) cutFaces(faces []mesh.TaggedFace) (parts []mesh.TaggedFace) {
	for _, f := range faces {
		for _, p := range c.triangle(f.V) {
			parts = append(parts, mesh.TaggedFace{V: [3]int32(p.v[:3]), Tag: f.Tag})
		}
	}
	return parts
}

// Triangles cuts a valid mesh of triangles. Cells below the level get groups of their own. The result has no fields,
// and shares memory with m.
func Triangles(m *mesh.Mesh, level Level) (*mesh.Mesh, *Cut, error) {
	c, err := ofTriangles(m, level)
	if err != nil {
		return nil, nil, err
	}
	g := newGroups(2, m.Groups)
	out := &mesh.Mesh{Origin: m.Origin, Geographic: m.Geographic, Marks: c.cutMarks(m.Marks)}
	for _, p := range c.x {
		out.X, out.Y = append(out.X, p[0]), append(out.Y, p[1])
	}
	var sides []int8
	for k, v := range m.Cells {
		for _, p := range c.triangle(v) {
			out.Cells = append(out.Cells, [3]int32(p.v[:3]))
			out.CellGroup = append(out.CellGroup, g.material(groupOf(m, k), p.side))
			sides = append(sides, p.side)
		}
	}
	for _, e := range m.Tagged {
		if p, ok := c.points[edgeOf(e.A, e.B)]; ok {
			out.Tagged = append(out.Tagged, mesh.TaggedEdge{A: e.A, B: p, Group: e.Group},
				mesh.TaggedEdge{A: p, B: e.B, Group: e.Group})
		} else {
			out.Tagged = append(out.Tagged, e)
		}
	}
	g.cut.Interface = g.add(1, interfaceTag, "level")
	out.Groups = g.list
	nb, err := out.Neighbours()
	if err != nil {
		return nil, nil, fmt.Errorf("after the cut: %w", err)
	}
	for k, v := range out.Cells {
		for i, o := range nb[k] {
			if sides[k] < 0 && o >= 0 && sides[o] > 0 {
				out.Tagged = append(out.Tagged, mesh.TaggedEdge{A: v[i], B: v[(i+1)%3], Group: g.cut.Interface})
			}
		}
	}
	return out, g.cut, nil
}

// groupOf is the group of a cell, -1 for none.
func groupOf(m *mesh.Mesh, cell int) int32 {
	if m.CellGroup == nil {
		return -1
	}
	return m.CellGroup[cell]
}

// ofTriangles cuts the edges of a mesh.
func ofTriangles(m *mesh.Mesh, level Level) (*cutter, error) {
	nb, err := m.Neighbours()
	if err != nil {
		return nil, err
	}
	c := &cutter{dim: 2, level: func(p [3]float64) (float64, error) { return level(p[0], p[1], 0) }}
	for v := range m.X {
		c.x = append(c.x, [3]float64{m.X[v], m.Y[v]})
	}
	held := make([]bool, len(m.X))
	for k, v := range m.Cells {
		c.cells = append(c.cells, [4]int32{v[0], v[1], v[2], -1})
		for i, o := range nb[k] {
			if o < 0 || groupOf(m, int(o)) != groupOf(m, k) {
				held[v[i]], held[v[(i+1)%3]] = true, true
			}
		}
	}
	for _, e := range m.Tagged {
		held[e.A], held[e.B] = true, true
	}
	return c, c.cutAll(m.Marks, held)
}

// Tetrahedra cuts a valid mesh of tetrahedra, like Triangles.
func Tetrahedra(s *mesh.Solid, level Level) (*mesh.Solid, *Cut, error) {
	c, err := ofTetrahedra(s, level)
	if err != nil {
		return nil, nil, err
	}
	out := &mesh.Solid{Origin: s.Origin, Marks: c.cutMarks(s.Marks), Faces: c.cutFaces(s.Faces)}
	for _, p := range c.x {
		out.X, out.Y, out.Z = append(out.X, p[0]), append(out.Y, p[1]), append(out.Z, p[2])
	}
	g := newGroups(3, s.Groups)
	for _, f := range s.Faces {
		g.used[[2]int{2, int(f.Tag)}] = true
	}
	for _, tag := range s.CellTag {
		g.used[[2]int{3, int(tag)}] = true
	}
	var sides []int8
	for k, v := range s.Cells {
		for _, p := range c.tetrahedron(v) {
			out.Cells = append(out.Cells, p.v)
			out.CellTag = append(out.CellTag, g.material(tagOf(s, k), p.side))
			sides = append(sides, p.side)
		}
	}
	g.cut.Interface = g.add(2, interfaceTag, "level")
	out.Groups = g.list
	nb, err := out.Neighbours()
	if err != nil {
		return nil, nil, fmt.Errorf("after the cut: %w", err)
	}
	for k := range out.Cells {
		for i, o := range nb[k] {
			if sides[k] < 0 && o >= 0 && sides[o] > 0 {
				out.Faces = append(out.Faces, mesh.TaggedFace{V: out.FaceOpposite(int32(k), i), Tag: g.cut.Interface})
			}
		}
	}
	return out, g.cut, nil
}

// tagOf is the tag of a cell, 0 for none.
func tagOf(s *mesh.Solid, cell int) int32 {
	if s.CellTag == nil {
		return 0
	}
	return s.CellTag[cell]
}

// ofTetrahedra cuts the edges of a mesh.
func ofTetrahedra(s *mesh.Solid, level Level) (*cutter, error) {
	nb, err := s.Neighbours()
	if err != nil {
		return nil, err
	}
	c := &cutter{dim: 3, cells: s.Cells, level: func(p [3]float64) (float64, error) { return level(p[0], p[1], p[2]) }}
	for v := range s.X {
		c.x = append(c.x, s.At(int32(v)))
	}
	held := make([]bool, len(s.X))
	for k := range s.Cells {
		for i, o := range nb[k] {
			if o < 0 || tagOf(s, int(o)) != tagOf(s, k) {
				for _, v := range s.FaceOpposite(int32(k), i) {
					held[v] = true
				}
			}
		}
	}
	for _, f := range s.Faces {
		held[f.V[0]], held[f.V[1]], held[f.V[2]] = true, true, true
	}
	return c, c.cutAll(s.Marks, held)
}
