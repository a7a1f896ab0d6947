package medit

import (
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// ReadSolid reads a mesh of tetrahedra from a Medit file, in text or binary, as Read does for triangles. Triangles with
// a reference other than 0 become tagged faces. Edges with a reference, ridges and required edges become Marks; other
// edges are skipped. Errors give the line or the byte offset.
func ReadSolid(path string) (*mesh.Solid, error) {
	return meshfile.Read(path, parseSolid)
}

func parseSolid(data []byte) (*mesh.Solid, error) {
	r := newReader(data)
	r.solid = &mesh.Solid{}
	if err := r.sections(); err != nil {
		return nil, err
	}
	s, m := r.solid, r.mesh
	switch {
	case !r.sectionsRead["Vertices"] || len(s.Cells) == 0:
		return nil, r.At(len(r.Data), "the file has no vertices or no tetrahedra")
	case r.dim != 3:
		return nil, r.At(len(r.Data), "tetrahedra in dimension %d", r.dim)
	}
	for _, g := range m.Groups {
		if g.Tag != int(int32(g.Tag)) {
			return nil, r.At(len(r.Data), "the reference %d has more than 32 bits", g.Tag)
		}
	}
	s.X, s.Y, s.Z = m.X, m.Y, r.z
	triangles := make([]mesh.TaggedFace, len(m.Cells))
	for i, g := range m.CellGroup {
		triangles[i].V = m.Cells[i]
		if g >= 0 {
			triangles[i].Tag = int32(m.Groups[g].Tag)
			s.Faces = append(s.Faces, triangles[i])
		}
	}
	var err error
	if s.Marks, err = r.marksOf(triangles); err != nil {
		return nil, err
	}
	return s, nil
}

// cellElements names the elements that can be cells.
func (r *reader) cellElements() string {
	if r.solid != nil {
		return "tetrahedra"
	}
	return "triangles"
}

func (r *reader) tetrahedra(count int64) error {
	if err := r.CheckRemaining(count, 10, "tetrahedra"); err != nil {
		return err
	}
	s := r.solid
	first := int64(len(s.Cells))
	s.Cells, r.solidTags = more(s.Cells, count), more(r.solidTags, count)
	for c := first; c < first+count; c++ {
		g, err := r.entry("tetrahedron", c, s.Cells[c][:])
		if err != nil {
			return err
		}
		if g >= 0 {
			r.solidTags[c], s.CellTag = int32(r.mesh.Groups[g].Tag), r.solidTags
		}
	}
	if s.CellTag != nil {
		s.CellTag = r.solidTags
	}
	return nil
}
