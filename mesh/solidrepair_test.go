package mesh

import (
	"slices"
	"strings"
	"testing"
)

// MergeDuplicates restores a mesh of two pieces that do not share vertices.
func TestSolidMergeDuplicates(t *testing.T) {
	whole := cube(t, 3, .1)
	pieces := &Solid{VertexData: map[string][]float64{"x": nil}}
	var faces []TaggedFace
	for k := range 2 {
		local := map[int32]int32{}
		id := func(v int32) int32 {
			if _, ok := local[v]; !ok {
				local[v] = int32(len(pieces.X))
				pieces.X, pieces.Y, pieces.Z = append(pieces.X, whole.X[v]), append(pieces.Y, whole.Y[v]), append(pieces.Z,
					whole.Z[v])
				pieces.VertexData["x"] = append(pieces.VertexData["x"], whole.X[v])
			}
			return local[v]
		}
		for c := k; c < len(whole.Cells); c += 2 {
			v := whole.Cells[c]
			pieces.Cells = append(pieces.Cells, [4]int32{id(v[0]), id(v[1]), id(v[2]), id(v[3])})
		}
		for _, f := range whole.Faces { // each piece has all faces
			faces = append(faces, TaggedFace{[3]int32{id(f.V[0]), id(f.V[1]), id(f.V[2])}, f.Tag})
		}
	}
	pieces.Faces = faces
	if err := pieces.Check(); err == nil || !strings.Contains(err.Error(), "at the positions of others") {
		t.Errorf("duplicate vertices: error %v", err)
	}
	removed, err := pieces.MergeDuplicates()
	if err != nil || len(pieces.X) != len(whole.X) || removed == 0 || len(pieces.Faces) != len(whole.Faces) ||
		!slices.Equal(pieces.VertexData["x"], pieces.X) {
		t.Errorf("%d vertices removed, %d vertices and %d faces remain, error %v; want %d and %d to remain", removed,
			len(pieces.X), len(pieces.Faces), err, len(whole.X), len(whole.Faces))
	}
	if err := pieces.Check(); err != nil {
		t.Error(err)
	}
	if removed, err := pieces.MergeDuplicates(); removed != 0 || err != nil {
		t.Errorf("a second call removes %d vertices, error %v; want none", removed, err)
	}
}

// DropCopies removes duplicate and collapsed tetrahedra with their tags and fields.
func TestSolidDropCopies(t *testing.T) {
	want := cube(t, 3, .1)
	copied := func() *Solid {
		s := cube(t, 3, .1)
		v := s.Cells[4]
		s.Cells = slices.Insert(s.Cells, 9, [4]int32{v[1], v[2], v[0], v[3]}, [4]int32{v[0], v[1], v[1], v[2]})
		s.CellTag = make([]int32, len(s.Cells))
		s.CellData = map[string][]float64{"x": make([]float64, len(s.Cells))}
		for c := range s.Cells {
			s.CellTag[c], s.CellData["x"][c] = int32(c%3), float64(c)
		}
		s.CellTag[9], s.CellData["x"][9] = s.CellTag[4], 4
		return s
	}
	s := copied()
	if err := s.Check(); err == nil {
		t.Error("Check accepts duplicate tetrahedra, want an error")
	}
	tags := slices.Delete(slices.Clone(s.CellTag), 9, 11)
	if removed, err := s.DropCopies(); removed != 2 || err != nil {
		t.Errorf("%d tetrahedra removed, error %v; want 2", removed, err)
	}
	if !slices.Equal(s.Cells, want.Cells) || !slices.Equal(s.CellTag, tags) || s.CellData["x"][9] != 11 {
		t.Error("the cells, tags or fields that remain are not those expected")
	}
	if removed, err := s.DropCopies(); removed != 0 || err != nil {
		t.Errorf("a second call removes %d tetrahedra, error %v; want none", removed, err)
	}
	s = copied()
	s.CellTag[9]++
	if _, err := s.DropCopies(); err == nil ||
		!strings.Contains(err.Error(), "tetrahedron 4 is the same as tetrahedron 9") {
		t.Errorf("another tag: error %v", err)
	}
	s = copied()
	s.CellData["x"][9] = 5
	if _, err := s.DropCopies(); err == nil || !strings.Contains(err.Error(), `field "x": 4 and 5`) {
		t.Errorf("another value of a field: error %v", err)
	}
}

// Orient makes inverted cells upright; DropDangling removes vertices in no cell, and their tagged faces.
func TestSolidRepair(t *testing.T) {
	want, s := cube(t, 3, .1), cube(t, 3, .1)
	s.Cells[7][0], s.Cells[7][1] = s.Cells[7][1], s.Cells[7][0]
	s.VertexData = map[string][]float64{"x": slices.Clone(s.X)}
	added := int32(5) // id of an additional vertex
	for _, x := range []*[]float64{&s.X, &s.Y, &s.Z} {
		*x = slices.Insert(*x, int(added), 9)
	}
	s.VertexData["x"] = slices.Insert(s.VertexData["x"], int(added), 9)
	shift := func(v *int32) {
		if *v >= added {
			*v++
		}
	}
	for c := range s.Cells {
		for k := range s.Cells[c] {
			shift(&s.Cells[c][k])
		}
	}
	for i := range s.Faces {
		for k := range s.Faces[i].V {
			shift(&s.Faces[i].V[k])
		}
	}
	s.Faces = append(s.Faces, TaggedFace{[3]int32{added, 0, 1}, 3})
	if turned, err := s.Orient(); turned != 1 || err != nil {
		t.Errorf("Orient changed %d cells, error %v; want 1", turned, err)
	}
	if vertices, faces, err := s.DropDangling(); vertices != 1 || faces != 1 || err != nil {
		t.Errorf("%d vertices and %d faces removed, error %v; want 1 and 1", vertices, faces, err)
	}
	if err := s.Check(); err != nil || !slices.Equal(s.X, want.X) || !slices.Equal(s.Cells, want.Cells) ||
		!slices.Equal(s.Faces, want.Faces) || !slices.Equal(s.VertexData["x"], want.X) {
		t.Errorf("the repaired mesh differs from the original one, error %v", err)
	}
}

// Boundary vertices of tetrahedra that are much nearer than edges are long are noted, and merged on request; others
// are not: here the vertices of two pieces of a cube along a plane, which are moved apart along an axis.
func TestSolidNearVertices(t *testing.T) {
	for _, c := range []struct {
		axis       int
		gap, scale float64
		near       bool
	}{{0, 1e-7, 1, true}, {1, -1e-7, 1, true}, {2, 1e-10, 1e5, true}, {0, 1e-4, 1e-4, true}, {1, .01, 1, false},
		{2, .1, 100, false}} {
		s, err := Cube(4, 4, 4, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		coordinates := [3][]float64{s.X, s.Y, s.Z}
		upper := map[int32]int32{} // the copies of vertices in the plane
		for i := range s.Cells {
			if s.Centroid(i)[c.axis] < .5 {
				continue
			}
			for k, v := range s.Cells[i] {
				if coordinates[c.axis][v] != .5 {
					continue
				}
				if _, copied := upper[v]; !copied {
					upper[v] = int32(len(coordinates[0]))
					for d := range coordinates {
						coordinates[d] = append(coordinates[d], coordinates[d][v])
					}
					coordinates[c.axis][upper[v]] += c.gap
				}
				s.Cells[i][k] = upper[v]
			}
		}
		for d := range coordinates {
			for v := range coordinates[d] {
				coordinates[d][v] = c.scale * (coordinates[d][v] + 3)
			}
		}
		s.X, s.Y, s.Z, s.Faces = coordinates[0], coordinates[1], coordinates[2], nil
		skin, err := s.CheckedSkin()
		if err != nil {
			t.Fatal(err)
		}
		notes := s.NoteNear(skin)
		if c.near != (len(notes) == 1 && strings.HasPrefix(notes[0], "the mesh has 25 pairs of vertices ")) {
			t.Errorf("gap %g, scale %g: notes %q", c.gap, c.scale, notes)
		}
		if removed, err := s.MergeDuplicates(); err != nil || c.near != (removed == 25) {
			t.Errorf("gap %g, scale %g: merged %d vertices, %v", c.gap, c.scale, removed, err)
		}
		if skin, err = s.CheckedSkin(); err != nil || c.near != (len(skin) == 6*16*2) || c.near && len(s.NoteNear(skin)) > 0 {
			t.Errorf("gap %g, scale %g: after merging %d faces, %v", c.gap, c.scale, len(skin), err)
		}
	}
}
