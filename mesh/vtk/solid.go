package vtk

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
)

// typeTetrahedron is a VTK cell type.
const typeTetrahedron = 10

// WriteSolid writes a mesh of tetrahedra, with fields of its cells, to a .vtu file: its cells, then its tagged faces as
// triangles, on which the fields are NaN. The cell array "physical" holds tags.
func WriteSolid(path string, s *mesh.Solid, fields map[string][]float64) error {
	g := &Grid{Points: make([]float64, 0, 3*len(s.X))}
	for v := range s.X {
		g.Points = append(g.Points, s.X[v], s.Y[v], s.Z[v])
	}
	tags := make([]int32, 0, len(s.Cells)+len(s.Faces))
	add := func(kind uint8, tag int32, ids ...int32) {
		for _, v := range ids {
			g.Connectivity = append(g.Connectivity, int64(v))
		}
		g.Offsets = append(g.Offsets, int64(len(g.Connectivity)))
		g.Types = append(g.Types, kind)
		tags = append(tags, tag)
	}
	for c := range s.Cells {
		tag := int32(0)
		if s.CellTag != nil {
			tag = s.CellTag[c]
		}
		add(typeTetrahedron, tag, s.Cells[c][:]...)
	}
	for _, f := range s.Faces {
		add(typeTriangle, f.Tag, f.V[:]...)
	}
	if len(s.Faces) > 0 || s.CellTag != nil {
		g.CellData = append(g.CellData, Array{Name: physicalArray, Data: tags})
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if len(fields[name]) != len(s.Cells) || slices.Contains(physicalNames, name) {
			return fmt.Errorf("%s: cannot write: the field %q has %d values for %d cells, or a name that stands for tags", path,
				name, len(fields[name]), len(s.Cells))
		}
		field := slices.Clone(fields[name])
		for range s.Faces {
			field = append(field, math.NaN())
		}
		g.CellData = append(g.CellData, Array{Name: name, Data: field})
	}
	return Write(path, g)
}

// ReadSolid reads a mesh of tetrahedra from a .vtu file, or from a .pvtu file and its pieces; points that pieces share
// are not merged. Triangles with a tag become tagged faces; other triangles, lines and vertex cells are passed over,
// and so are all arrays but the tags, which ReadMesh finds alike. Cells of other types are refused.
func ReadSolid(path string) (*mesh.Solid, error) {
	g, err := Read(path)
	if err != nil {
		return nil, err
	}
	s, err := g.solid()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func (g *Grid) solid() (*mesh.Solid, error) {
	if g.points() > math.MaxInt32 || len(g.Types) > math.MaxInt32 {
		return nil, fmt.Errorf("a mesh has at most %d vertices and cells; here are %d and %d", math.MaxInt32, g.points(),
			len(g.Types))
	}
	tags, err := g.tags()
	if err != nil {
		return nil, err
	}
	s := &mesh.Solid{}
	for i := 0; i < len(g.Points); i += 3 {
		s.X, s.Y, s.Z = append(s.X, g.Points[i]), append(s.Y, g.Points[i+1]), append(s.Z, g.Points[i+2])
	}
	tagged := false
	for i, t := range g.Types {
		ids := g.Cell(i)
		switch {
		case t == typeVertex || t == typeLine:
		case t == typeTriangle && len(ids) == 3:
			if tags[i] != 0 {
				s.Faces = append(s.Faces, mesh.TaggedFace{V: [3]int32{int32(ids[0]), int32(ids[1]), int32(ids[2])}, Tag: tags[i]})
			}
		case t == typeTetrahedron && len(ids) == 4:
			s.Cells = append(s.Cells, [4]int32{int32(ids[0]), int32(ids[1]), int32(ids[2]), int32(ids[3])})
			s.CellTag = append(s.CellTag, tags[i])
			tagged = tagged || tags[i] != 0
		default:
			return nil, fmt.Errorf("cell %d is of VTK type %d with %d points; a mesh of tetrahedra (10) has triangles (5), "+
				"lines (3) and vertices (1) beside them", i, t, len(ids))
		}
	}
	if !tagged {
		s.CellTag = nil
	}
	return s, nil
}

// tags are the physical tags of all cells, 0 for none.
func (g *Grid) tags() ([]int32, error) {
	tags := make([]int32, len(g.Types))
	for _, name := range physicalNames {
		a, ok := g.CellData.Find(name)
		if !ok {
			continue
		}
		all, ok := a.Int64s()
		if !ok || a.width() != 1 {
			return nil, fmt.Errorf("the cell array %q holds %T in tuples of %d; physical tags are single integers", name, a.Data,
				a.width())
		}
		for i, tag := range all {
			if tags[i] = int32(tag); int64(tags[i]) != tag {
				return nil, fmt.Errorf("cell %d has the tag %d, of more than 32 bits", i, tag)
			}
		}
		break
	}
	return tags, nil
}
