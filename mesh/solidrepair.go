package mesh

import (
	"cmp"
	"fmt"
	"slices"
)

// byPosition lists the vertices in lexicographic order of their positions, those at the same position by id.
// Coordinates must be finite.
func (s *Solid) byPosition() []int32 {
	order := make([]int32, len(s.X))
	for v := range order {
		order[v] = int32(v)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.X[a], s.X[b]), cmp.Compare(s.Y[a], s.Y[b]), cmp.Compare(s.Z[a], s.Z[b]), cmp.Compare(a,
			b))
	})
	return order
}

// checkPositions refuses vertices at the same position if both are refused, except at cracks, since the cells around
// them are not connected.
func (s *Solid) checkPositions(refused func(v int32) bool) error {
	same := fault{what: "vertex at the position of another", many: "vertices at the positions of others",
		advice: "merge them with atoll mesh convert --merge-duplicates"}
	order, cracked := s.byPosition(), s.Marks.cracked()
	for i := 1; i < len(order); i++ {
		if a, b := order[i-1], order[i]; s.At(a) == s.At(b) && !(cracked[a] && cracked[b]) &&
			refused(a) && refused(b) {
			same.add(func() string { return fmt.Sprintf("vertices %d and %d at %v", a, b, s.At(a)) })
		}
	}
	return joinFaults(&same)
}

// MergeDuplicates merges vertices at the same position, and boundary vertices that are so near to each other that they
// are probably one, into the one with the lowest id, which keeps its fields, and renumbers the vertices that remain.
// Then it removes tagged faces that occur twice in a group. It returns the number of vertices removed.
func (s *Solid) MergeDuplicates() (int, error) {
	if err := s.CheckIDs(); err != nil {
		return 0, err
	}
	newID := s.duplicates()
	s.Marks.keepRefs(func(v int) bool { return int(newID[v]) == v })
	kept := 0
	for v := range newID {
		if int(newID[v]) != v {
			newID[v] = newID[newID[v]]
			continue
		}
		s.X[kept], s.Y[kept], s.Z[kept] = s.X[v], s.Y[v], s.Z[v]
		for _, field := range s.VertexData {
			field[kept] = field[v]
		}
		newID[v] = int32(kept)
		kept++
	}
	removed := len(s.X) - kept
	if removed == 0 {
		return 0, nil
	}
	s.Marks = s.Marks.renumbered(newID)
	s.Marks.close()
	s.X, s.Y, s.Z = s.X[:kept], s.Y[:kept], s.Z[:kept]
	for name, field := range s.VertexData {
		s.VertexData[name] = field[:kept]
	}
	for c := range s.Cells {
		for k, v := range s.Cells[c] {
			s.Cells[c][k] = newID[v]
		}
	}
	found := map[TaggedFace]bool{}
	s.Faces = slices.DeleteFunc(s.Faces, func(f TaggedFace) bool {
		for k, v := range f.V {
			f.V[k] = newID[v]
		}
		key := TaggedFace{ascending(f.V), f.Tag}
		again := found[key]
		found[key] = true
		return again
	})
	for i := range s.Faces {
		for k, v := range s.Faces[i].V {
			s.Faces[i].V[k] = newID[v]
		}
	}
	return removed, nil
}

// duplicates returns, for each vertex, the one with the lowest id that MergeDuplicates merges it into, or itself.
func (s *Solid) duplicates() (target []int32) {
	order := s.byPosition()
	target = make([]int32, len(order))
	first := order[0]
	for _, v := range order {
		if s.At(v) != s.At(first) {
			first = v
		}
		target[v] = first
	}
	if skin, err := s.Skin(); err == nil { // otherwise the boundary is unknown
		joinPairs(target, s.nearVertices(skin))
	}
	return target
}

// DropCopies removes tetrahedra with a repeated vertex, which merging vertices may cause, and duplicates of earlier
// tetrahedra. It returns the number of tetrahedra removed. It refuses duplicates that differ in their tag or a field.
func (s *Solid) DropCopies() (int, error) {
	first := make(map[[4]int32]int32, len(s.Cells))
	keep := make([]bool, len(s.Cells))
	for c, v := range s.Cells {
		slices.Sort(v[:])
		if v[0] == v[1] || v[1] == v[2] || v[2] == v[3] {
			continue
		}
		f, again := first[v]
		if !again {
			first[v], keep[c] = int32(c), true
			continue
		}
		name, differ := differingField(s.CellData, f, int32(c))
		switch {
		case s.CellTag != nil && s.CellTag[f] != s.CellTag[c]:
			return 0, fmt.Errorf("tetrahedron %d is the same as tetrahedron %d, but their tags differ: %d and %d", f, c,
				s.CellTag[f], s.CellTag[c])
		case differ:
			return 0, fmt.Errorf("tetrahedron %d is the same as tetrahedron %d, but they differ in the field %q: %g and %g",
				f, c, name, s.CellData[name][f], s.CellData[name][c])
		}
	}
	before := len(s.Cells)
	s.Cells = filter(s.Cells, keep)
	if s.CellTag != nil {
		s.CellTag = filter(s.CellTag, keep)
	}
	for name, field := range s.CellData {
		s.CellData[name] = filter(field, keep)
	}
	return before - len(s.Cells), nil
}

// Orient makes inverted tetrahedra upright by swapping their first two vertices, and returns their number.
func (s *Solid) Orient() (int, error) {
	if err := s.CheckIDs(); err != nil {
		return 0, err
	}
	turned := 0
	for c := range s.Cells {
		if v := &s.Cells[c]; s.Volume(c) < 0 {
			v[0], v[1] = v[1], v[0]
			turned++
		}
	}
	return turned, nil
}

// DropDangling removes vertices in no tetrahedron and tagged faces that have one of them, renumbers the vertices that
// remain, and returns the numbers of vertices and faces removed.
func (s *Solid) DropDangling() (vertices, faces int, err error) {
	if err := s.CheckIDs(); err != nil {
		return 0, 0, err
	}
	newID := NoIDs(len(s.X))
	for _, c := range s.Cells {
		for _, v := range c {
			newID[v] = 0
		}
	}
	s.Marks.keepRefs(func(v int) bool { return newID[v] == 0 })
	kept := int32(0)
	for v := range newID {
		if newID[v] < 0 {
			continue
		}
		s.X[kept], s.Y[kept], s.Z[kept] = s.X[v], s.Y[v], s.Z[v]
		for _, field := range s.VertexData {
			field[kept] = field[v]
		}
		newID[v] = kept
		kept++
	}
	vertices = len(s.X) - int(kept)
	s.Marks = s.Marks.renumbered(newID)
	s.X, s.Y, s.Z = s.X[:kept], s.Y[:kept], s.Z[:kept]
	for name, field := range s.VertexData {
		s.VertexData[name] = field[:kept]
	}
	for c := range s.Cells {
		for k, v := range s.Cells[c] {
			s.Cells[c][k] = newID[v]
		}
	}
	before := len(s.Faces)
	s.Faces = slices.DeleteFunc(s.Faces, func(f TaggedFace) bool {
		return min(newID[f.V[0]], newID[f.V[1]], newID[f.V[2]]) < 0
	})
	for i := range s.Faces {
		for k, v := range s.Faces[i].V {
			s.Faces[i].V[k] = newID[v]
		}
	}
	return vertices, before - len(s.Faces), nil
}
