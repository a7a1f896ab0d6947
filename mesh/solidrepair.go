package mesh

import (
	"cmp"
	"fmt"
	"slices"
)

// byPlace lists the vertices by their positions, those in one position by id. Coordinates are finite.
func (s *Solid) byPlace() []int32 {
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

// checkPlaces refuses vertices in the same position, between which a mesh would come apart.
func (s *Solid) checkPlaces() error {
	same := fault{what: "vertex in the place of another", many: "vertices in the places of others",
		advice: "merge them with atoll mesh convert --merge-duplicates"}
	order := s.byPlace()
	for i := 1; i < len(order); i++ {
		if a, b := order[i-1], order[i]; s.At(a) == s.At(b) {
			same.add(func() string { return fmt.Sprintf("vertices %d and %d at %v", a, b, s.At(a)) })
		}
	}
	return joinFaults(&same)
}

// MergeDuplicates makes one of vertices in the same position, with the lowest id and its fields; ids of others move up.
// It returns how many went. Tagged faces that are then there twice in one group go too.
func (s *Solid) MergeDuplicates() (int, error) {
	if err := s.CheckIDs(); err != nil {
		return 0, err
	}
	order := s.byPlace()
	to := make([]int32, len(order))
	first := order[0]
	for _, v := range order {
		if s.At(v) != s.At(first) {
			first = v
		}
		to[v] = first
	}
	s.Marks.keepRefs(func(v int) bool { return int(to[v]) == v })
	kept := 0
	for v := range to {
		if int(to[v]) != v {
			to[v] = to[to[v]]
			continue
		}
		s.X[kept], s.Y[kept], s.Z[kept] = s.X[v], s.Y[v], s.Z[v]
		for _, field := range s.VertexData {
			field[kept] = field[v]
		}
		to[v] = int32(kept)
		kept++
	}
	gone := len(s.X) - kept
	if gone == 0 {
		return 0, nil
	}
	s.Marks = s.Marks.renumbered(to)
	s.X, s.Y, s.Z = s.X[:kept], s.Y[:kept], s.Z[:kept]
	for name, field := range s.VertexData {
		s.VertexData[name] = field[:kept]
	}
	for c := range s.Cells {
		for k, v := range s.Cells[c] {
			s.Cells[c][k] = to[v]
		}
	}
	seen := map[TaggedFace]bool{}
	s.Faces = slices.DeleteFunc(s.Faces, func(f TaggedFace) bool {
		for k, v := range f.V {
			f.V[k] = to[v]
		}
		key := TaggedFace{ascending(f.V), f.Tag}
		again := seen[key]
		seen[key] = true
		return again
	})
	for i := range s.Faces {
		for k, v := range s.Faces[i].V {
			s.Faces[i].V[k] = to[v]
		}
	}
	return gone, nil
}

// DropCopies drops tetrahedra that have a vertex twice, as merged vertices leave them, and those that are given again,
// and returns how many went. Copies with another tag or field are refused.
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
		name, other := differs(s.CellData, f, int32(c))
		switch {
		case s.CellTag != nil && s.CellTag[f] != s.CellTag[c]:
			return 0, fmt.Errorf("tetrahedron %d is given again as %d with another tag, %d and %d", f, c, s.CellTag[f],
				s.CellTag[c])
		case other:
			return 0, fmt.Errorf("tetrahedron %d is given again as %d with another value of the field %q: %g and %g", f, c,
				name, s.CellData[name][f], s.CellData[name][c])
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

// Orient turns tetrahedra round whose volume is negative, and returns how many they were.
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

// DropDangling drops vertices of no tetrahedron, and tagged faces that have one of them; ids of others move up. It
// returns how many went.
func (s *Solid) DropDangling() (vertices, faces int, err error) {
	if err := s.CheckIDs(); err != nil {
		return 0, 0, err
	}
	to := NewMarks(len(s.X))
	for _, c := range s.Cells {
		for _, v := range c {
			to[v] = 0
		}
	}
	s.Marks.keepRefs(func(v int) bool { return to[v] == 0 })
	kept := int32(0)
	for v := range to {
		if to[v] < 0 {
			continue
		}
		s.X[kept], s.Y[kept], s.Z[kept] = s.X[v], s.Y[v], s.Z[v]
		for _, field := range s.VertexData {
			field[kept] = field[v]
		}
		to[v] = kept
		kept++
	}
	vertices = len(s.X) - int(kept)
	s.Marks = s.Marks.renumbered(to)
	s.X, s.Y, s.Z = s.X[:kept], s.Y[:kept], s.Z[:kept]
	for name, field := range s.VertexData {
		s.VertexData[name] = field[:kept]
	}
	for c := range s.Cells {
		for k, v := range s.Cells[c] {
			s.Cells[c][k] = to[v]
		}
	}
	before := len(s.Faces)
	s.Faces = slices.DeleteFunc(s.Faces, func(f TaggedFace) bool { return min(to[f.V[0]], to[f.V[1]], to[f.V[2]]) < 0 })
	for i := range s.Faces {
		for k, v := range s.Faces[i].V {
			s.Faces[i].V[k] = to[v]
		}
	}
	return vertices, before - len(s.Faces), nil
}
