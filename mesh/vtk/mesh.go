package vtk

import (
	"fmt"
	"math"
	"strconv"

	"github.com/atoll-hpc/atoll/mesh"
)

// The arrays by which a mesh keeps its physical groups. The cell array holds the tag of each cell and edge, 0 for
// none. Of a group that has a name, the field array of that name holds tuples of tag and dimension.
const physicalArray = "physical"

// physicalNames are the cell arrays that are taken for physical tags: ours, and those of meshio and of VTK's readers.
// The first that a file has counts.
var physicalNames = []string{physicalArray, "gmsh:physical", "CellEntityIds"}

// zField is the vertex field that third coordinates become.
const zField = "z"

// ReadMesh reads a triangle mesh from a .vtu file, or from a .pvtu file and those it lists. Pieces share the points
// that are in one position. Triangles keep their order and orientation. Vertex cells are passed over; line cells are
// edges, kept where they have a physical tag; cells of other types are refused.
//
// Tags come from the integer cell array "physical", "gmsh:physical" or "CellEntityIds", 0 meaning none, and names of
// groups from integer field arrays of tuples (tag, dimension), as WriteMesh writes them. The other arrays of one
// component become fields; those of more components are passed over. Third coordinates that are not zero everywhere
// become the vertex field "z". Errors name the file.
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
		return nil, fmt.Errorf("a mesh has at most %d vertices and cells; here are %d and %d",
			math.MaxInt32, g.points(), len(g.Types))
	}
	m := &mesh.Mesh{}
	m.X, m.Y = make([]float64, g.points()), make([]float64, g.points())
	z, flat := make([]float64, g.points()), true
	for i := range m.X {
		m.X[i], m.Y[i], z[i] = g.Points[3*i], g.Points[3*i+1], g.Points[3*i+2]
		flat = flat && z[i] == 0
	}
	triangles := make([]int, 0, len(g.Types)) // the triangles among the cells
	for i, t := range g.Types {
		switch t {
		case typeVertex, typeLine:
		case typeTriangle:
			triangles = append(triangles, i)
		default:
			err := fmt.Errorf("cell %d is of VTK type %d; a mesh has triangles (5), lines (3) and vertices (1)", i, t)
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
	tagArray, err := g.groups(m, triangles)
	if err != nil {
		return nil, err
	}
	m.VertexData, m.CellData = g.vertexFields(), g.cellFields(triangles, tagArray)
	if !flat {
		if err := mesh.CheckHeights(m, z); err != nil {
			return nil, err
		}
		if _, ok := m.VertexData[zField]; ok {
			return nil, fmt.Errorf("both the third coordinates and a point array give the vertex field %q; rename the array",
				zField)
		}
		setField(&m.VertexData, zField, z)
	}
	return m, nil
}

// groups gives m its physical groups, and returns the name of the cell array that holds their tags, "" without one.
func (g *Grid) groups(m *mesh.Mesh, triangles []int) (string, error) {
	tags, tagArray, err := g.physicalTags()
	if tagArray == "" {
		return "", err
	}
	type key struct{ dim, tag int }
	index := map[key]int32{}
	group := func(dim int, tag int64, name string) int32 {
		k := key{dim, int(tag)}
		at, ok := index[k]
		if !ok {
			at = int32(len(m.Groups))
			index[k] = at
			m.Groups = append(m.Groups, mesh.Group{Dim: dim, Tag: int(tag), Name: name})
		}
		return at
	}
	for _, a := range g.FieldData {
		pairs, ok := a.Int64s()
		if !ok || a.width() != 2 {
			continue
		}
		for i := 0; i < len(pairs); i += 2 {
			tag, dim := pairs[i], pairs[i+1]
			if dim != 1 && dim != 2 || tag == 0 {
				continue
			}
			if at := group(int(dim), tag, a.Name); m.Groups[at].Name != a.Name {
				return "", fmt.Errorf("the field arrays %q and %q both name the group of dimension %d and tag %d",
					m.Groups[at].Name, a.Name, dim, tag)
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
			at := group(1, tag, strconv.FormatInt(tag, 10))
			m.Tagged = append(m.Tagged, mesh.TaggedEdge{A: int32(p[0]), B: int32(p[1]), Group: at})
		}
	}
	return tagArray, nil
}
