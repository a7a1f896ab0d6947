package vtk

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk/internal/materials"
)

// typeTetrahedron is the VTK cell type of tetrahedra.
const typeTetrahedron = 10

// WriteSolid writes a mesh of tetrahedra to a .vtu file: its cells, then its tagged faces as triangles, on which cell
// fields are NaN. Group tags and names are written as by WriteMesh.
func WriteSolid(path string, s *mesh.Solid) error {
	g, err := solidGrid(s)
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, err)
	}
	return Write(path, g)
}

func solidGrid(s *mesh.Solid) (*Grid, error) {
	g := Tetrahedra(s.X, s.Y, s.Z, s.Cells)
	tags := make([]int32, len(s.Cells), len(s.Cells)+len(s.Faces))
	copy(tags, s.CellTag)
	for _, f := range s.Faces {
		g.add(typeTriangle, f.V[:]...)
		tags = append(tags, f.Tag)
	}
	if len(s.Faces) > 0 || s.CellTag != nil {
		g.CellData = append(g.CellData, Array{Name: cmp.Or(s.GroupArray, materials.Written), Data: tags})
	}
	for _, group := range s.Groups {
		if group.Dim < 2 { // of lines, which are not written
			continue
		}
		if group.Name == "" || group.Tag != int(int32(group.Tag)) {
			return nil, fmt.Errorf("group %q has the tag %d: the name must not be empty, the tag must fit 32 bits", group.Name,
				group.Tag)
		}
		g.addName(group)
	}
	g.PointData = append(g.PointData, arraysOf(s.VertexData)...)
	return g, g.addCellFields(s.CellData, len(s.Cells))
}

// add adds a cell.
func (g *Grid) add(kind uint8, points ...int32) {
	for _, v := range points {
		g.Connectivity = append(g.Connectivity, int64(v))
	}
	g.Offsets = append(g.Offsets, int64(len(g.Connectivity)))
	g.Types = append(g.Types, kind)
}

// ReadSolid reads a mesh of tetrahedra from a .vtu file, or from a .pvtu file and the pieces that it lists. Points of
// several pieces at the same position are merged. Triangles with a tag become tagged faces, lines and vertex cells with
// a tag Marks; others are skipped; cells of other types are refused. Tags, names of groups and fields are read as by
// ReadMesh.
func ReadSolid(path string) (*mesh.Solid, error) {
	g, err := Read(path)
	if err != nil {
		return nil, err
	}
	s, err := g.solid()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if g.pieces > 1 {
		if _, err := s.MergeDuplicates(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return s, nil
}

func (g *Grid) solid() (*mesh.Solid, error) {
	if g.points() > math.MaxInt32 || len(g.Types) > math.MaxInt32 {
		return nil, fmt.Errorf("a mesh has at most %d vertices and as many cells; the file has %d and %d", math.MaxInt32,
			g.points(), len(g.Types))
	}
	s := &mesh.Solid{}
	grouped, tags, err := g.tags(s)
	if err != nil {
		return nil, err
	}
	s.Groups = g.namedGroups(2, 3)
	s.Groups = slices.DeleteFunc(s.Groups, func(group mesh.Group) bool { return group.Dim == 3 && !grouped.Named })
	var cells []int // cells of the file that are tetrahedra
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
			cells = append(cells, i)
			tagged = tagged || tags[i] != 0
		default:
			return nil, fmt.Errorf("cell %d is of VTK type %d with %d points; want tetrahedra (10), triangles (5), lines (3) "+
				"and vertices (1)", i, t, len(ids))
		}
	}
	if len(cells) == 0 {
		return nil, errors.New("the file has no tetrahedra")
	}
	if !tagged {
		s.CellTag = nil
	}
	s.VertexData, s.CellData = g.vertexFields(), g.cellFields(cells, grouped)
	s.Marks = g.marks(grouped, typeLine)
	return s, nil
}

// namedGroups returns the groups of dimensions low to high that field arrays name, the first for each dimension
// and tag.
func (g *Grid) namedGroups(low, high int) (groups []mesh.Group) {
	for _, a := range g.FieldData {
		pairs, ok := a.Int64s()
		if !ok || a.width() != 2 {
			continue
		}
		for i := 0; i < len(pairs); i += 2 {
			group := mesh.Group{Dim: int(pairs[i+1]), Tag: int(pairs[i]), Name: a.Name}
			same := func(o mesh.Group) bool { return o.Dim == group.Dim && o.Tag == group.Tag }
			if group.Dim >= low && group.Dim <= high && group.Tag != 0 && !slices.ContainsFunc(groups, same) {
				groups = append(groups, group)
			}
		}
	}
	return groups
}

// tags returns the group tags of all cells of the file, 0 for none, and adds what is known about them to s.
func (g *Grid) tags(s *mesh.Solid) (*materials.Groups, []int32, error) {
	var cells []int
	for i, t := range g.Types {
		if t == typeTetrahedron && len(g.Cell(i)) == 4 {
			cells = append(cells, i)
		}
	}
	tags := make([]int32, len(g.Types))
	grouped, err := g.grouping(&s.Origin, cells, func() [][2]int32 { return g.solidPairs(cells) })
	if err != nil {
		return nil, nil, err
	}
	for i, tag := range grouped.Tags {
		if tags[i] = int32(tag); int64(tags[i]) != tag {
			return nil, nil, fmt.Errorf("cell %d has the tag %d, of more than 32 bits", i, tag)
		}
	}
	return grouped, tags, nil
}

// solidPairs returns the pairs of neighbouring tetrahedra, nil if the mesh is invalid.
func (g *Grid) solidPairs(cells []int) [][2]int32 {
	s := &mesh.Solid{Cells: make([][4]int32, len(cells))}
	for i, c := range cells {
		for k, p := range g.Cell(c) {
			s.Cells[i][k] = int32(p)
		}
	}
	nb, err := s.Neighbours()
	if err != nil {
		return nil
	}
	return pairsOf(len(nb), func(c int) []int32 { return nb[c][:] })
}
