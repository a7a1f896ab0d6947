package vtk

import (
	"fmt"
	"math"
	"strconv"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk/internal/materials"
)

// zField is the name of the vertex field of third coordinates.
const zField = mesh.Heights

// ReadMesh reads a triangle mesh from a .vtu file, or from a .pvtu file and the pieces that it lists. Points of several
// pieces at the same position are merged. Triangles keep their order and orientation. Line cells with a group tag
// become tagged edges; other line cells are skipped; cells of other types are refused.
//
// Group tags are those of the integer cell array "physical", "gmsh:physical" or "CellEntityIds", of other arrays that
// programs use for materials ("MaterialIDs", "medit:ref"), or of the first integer array that is constant on parts of
// the mesh and not known as a partition; 0 for none. An array with one value for all triangles is passed over if
// another divides them. Notes name what was taken, and what was not. Names of groups are those of integer field arrays
// of tuples (tag, dimension), as WriteMesh writes them. Vertex cells with a tag become Marks. Other arrays of one
// component become fields; those of more components are skipped and listed in Marks. Third coordinates, if not all
// zero, become the vertex field "z". Errors name the file.
func ReadMesh(path string) (*mesh.Mesh, error) {
	g, err := Read(path)
	if err != nil {
		return nil, err
	}
	m, err := g.mesh()
	if err == nil && g.pieces > 1 {
		_, _, err = m.MergeDuplicates()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func (g *Grid) mesh() (*mesh.Mesh, error) {
	if g.points() > math.MaxInt32 || len(g.Types) > math.MaxInt32 {
		return nil, fmt.Errorf("a mesh has at most %d vertices and as many cells; the file has %d and %d",
			math.MaxInt32, g.points(), len(g.Types))
	}
	m := &mesh.Mesh{}
	m.X, m.Y = make([]float64, g.points()), make([]float64, g.points())
	z, flat := make([]float64, g.points()), true
	for i := range m.X {
		m.X[i], m.Y[i], z[i] = g.Points[3*i], g.Points[3*i+1], g.Points[3*i+2]
		flat = flat && z[i] == 0
	}
	triangles := make([]int, 0, len(g.Types)) // cells of the file that are triangles
	for i, t := range g.Types {
		switch t {
		case typeVertex, typeLine:
		case typeTriangle:
			triangles = append(triangles, i)
		default:
			err := fmt.Errorf("cell %d is of VTK type %d; want triangles (5), lines (3) and vertices (1)", i, t)
			if t == typeTetrahedron {
				return nil, mesh.TetrahedraError(err)
			}
			return nil, err
		}
		if n := len(g.Cell(i)); t == typeLine && n != 2 || t == typeTriangle && n != 3 {
			return nil, fmt.Errorf("cell %d of VTK type %d has %d points", i, t, n)
		}
	}
	m.Cells = make([][3]int32, len(triangles))
	for i, c := range triangles {
		for k, p := range g.Cell(c) {
			m.Cells[i][k] = int32(p)
		}
	}
	grouped, err := g.groups(m, triangles)
	if err != nil {
		return nil, err
	}
	m.VertexData, m.CellData = g.vertexFields(), g.cellFields(triangles, grouped)
	m.Marks = g.marks(grouped, typeVertex)
	if !flat {
		if err := mesh.CheckHeights(m, z); err != nil {
			return nil, err
		}
		if _, ok := m.VertexData[zField]; ok {
			return nil, fmt.Errorf("the file has a point array %q, which is the name of the field of third coordinates; rename "+
				"the array", zField)
		}
		mesh.SetField(&m.VertexData, zField, z)
	}
	return m, nil
}

// groups sets the physical groups of m.
func (g *Grid) groups(m *mesh.Mesh, triangles []int) (*materials.Groups, error) {
	grouped, err := g.grouping(&m.Origin, triangles, func() [][2]int32 {
		nb, err := m.Neighbours()
		if err != nil {
			return nil
		}
		return pairsOf(len(nb), func(c int) []int32 { return nb[c][:] })
	})
	if err != nil || grouped.Array == "" {
		return grouped, err
	}
	tags := grouped.Tags
	group := groupIndex(m)
	for _, a := range g.FieldData {
		pairs, ok := a.Int64s()
		if !ok || a.width() != 2 {
			continue
		}
		for i := 0; i < len(pairs); i += 2 {
			tag, dim := pairs[i], pairs[i+1]
			if dim != 1 && (dim != 2 || !grouped.Named) || tag == 0 {
				continue
			}
			if index := group(int(dim), tag, a.Name); m.Groups[index].Name != a.Name {
				return nil, fmt.Errorf("the field arrays %q and %q both name the group of dimension %d and tag %d",
					m.Groups[index].Name, a.Name, dim, tag)
			}
		}
	}
	cellGroup := make([]int32, len(triangles))
	used := false
	for i, c := range triangles {
		cellGroup[i] = -1
		if tag := tags[c]; tag != 0 {
			cellGroup[i] = group(2, tag, strconv.FormatInt(tag, 10))
			used = true
		}
	}
	if used {
		m.CellGroup = cellGroup
	}
	for i, t := range g.Types {
		if tag := tags[i]; t == typeLine && tag != 0 {
			p := g.Cell(i)
			index := group(1, tag, strconv.FormatInt(tag, 10))
			m.Tagged = append(m.Tagged, mesh.TaggedEdge{A: int32(p[0]), B: int32(p[1]), Group: index})
		}
	}
	return grouped, nil
}

// groupIndex returns a function that returns the number of a group in m, and adds it where it is new.
func groupIndex(m *mesh.Mesh) func(dim int, tag int64, name string) int32 {
	type key struct{ dim, tag int }
	index := map[key]int32{}
	return func(dim int, tag int64, name string) int32 {
		k := key{dim, int(tag)}
		number, ok := index[k]
		if !ok {
			number = int32(len(m.Groups))
			index[k] = number
			m.Groups = append(m.Groups, mesh.Group{Dim: dim, Tag: int(tag), Name: name})
		}
		return number
	}
}
