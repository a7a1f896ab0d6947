package mesh

import (
	"maps"
	"slices"
	"strconv"

	"github.com/atoll-hpc/atoll/internal/words"
)

// Mend repairs a mesh of tetrahedra as [Mesh.Mend] does one of triangles.
func (s *Solid) Mend() (original []int32) {
	if s.CheckIDs() != nil {
		return nil
	}
	used := make([]bool, len(s.X))
	for _, c := range s.Cells {
		for _, v := range c {
			used[v] = true
		}
	}
	stray := s.dropStrayFaces()
	if slices.Contains(used, false) {
		original = idsOf(used)
		vertices, faces, err := s.DropDangling()
		if err != nil {
			return nil
		}
		s.noteDropped(vertices, "tetrahedron", stray+faces, "tagged face")
	} else {
		s.noteDropped(0, "tetrahedron", stray, "tagged face")
	}
	s.orientConsistently()
	s.markCracks()
	return original
}

// dropStrayFaces removes tagged faces that no cell has, and returns their number.
func (s *Solid) dropStrayFaces() int {
	missing := map[[3]int32]bool{}
	for _, f := range s.Faces {
		missing[ascending(f.V)] = true
	}
	for c := range s.Cells {
		if len(missing) == 0 {
			return 0
		}
		for k := range 4 {
			delete(missing, ascending(s.FaceOpposite(int32(c), k)))
		}
	}
	before := len(s.Faces)
	s.Faces = slices.DeleteFunc(s.Faces, func(f TaggedFace) bool { return missing[ascending(f.V)] })
	return before - len(s.Faces)
}

// orientConsistently makes inverted cells upright if no cells overlap then.
func (s *Solid) orientConsistently() {
	inverted := false
	for c := range s.Cells {
		inverted = inverted || s.Volume(c) < 0
	}
	if !inverted {
		return
	}
	before := slices.Clone(s.Cells)
	turned, err := s.Orient()
	if err == nil {
		_, err = s.Skin()
	}
	if err != nil {
		s.Cells = before
		return
	}
	s.note("turned: %s of negative volume", words.Count(turned, "tetrahedron"))
}

// markCracks marks the vertices of cracks, as [Mesh.markCracks] does, with tagged faces instead of edges.
func (s *Solid) markCracks() {
	if s.Elementary || len(s.Faces) == 0 {
		return
	}
	tags := map[int32][]int32{} // of the tagged faces at vertices that share their position
	order := s.byPosition()
	for i := 1; i < len(order); i++ {
		if s.At(order[i-1]) == s.At(order[i]) {
			tags[order[i-1]], tags[order[i]] = nil, nil
		}
	}
	if len(tags) == 0 {
		return
	}
	for _, f := range s.Faces {
		for _, v := range f.V {
			if list, ok := tags[v]; ok {
				tags[v] = append(list, f.Tag)
			}
		}
	}
	cracked, names := map[int32]bool{}, map[string]bool{}
	for i := 1; i < len(order); i++ {
		if a, b := order[i-1], order[i]; s.At(a) == s.At(b) {
			for _, tag := range tags[a] {
				if slices.Contains(tags[b], tag) {
					cracked[a], cracked[b], names[s.nameOfFaces(tag)] = true, true, true
				}
			}
		}
	}
	if len(cracked) == 0 {
		return
	}
	if s.Marks == nil {
		s.Marks = &Marks{}
	}
	s.Marks.Cracked = slices.Sorted(maps.Keys(cracked))
	s.noteCrack(len(cracked), names, "faces")
}

// nameOfFaces returns the name of a group of faces, its tag if it has none.
func (s *Solid) nameOfFaces(tag int32) string {
	for _, g := range s.Groups {
		if g.Dim == 2 && g.Tag == int(tag) {
			return g.Name
		}
	}
	return strconv.Itoa(int(tag))
}
