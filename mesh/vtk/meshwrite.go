package vtk

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/columns"
	"github.com/atoll-hpc/atoll/mesh/vtk/internal/materials"
)

// WriteMesh writes a mesh to a .vtu file: its triangles, then its tagged edges as line cells, on which cell fields are
// NaN. ReadMesh returns the same mesh, with groups and fields, except that groups of dimension 1 and 2 with the same
// name become neighbours in the list. Errors name the file.
func WriteMesh(path string, m *mesh.Mesh) error {
	g, err := meshGrid(m)
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, err)
	}
	return Write(path, g)
}

func meshGrid(m *mesh.Mesh) (*Grid, error) {
	if len(m.X) != len(m.Y) || m.CellGroup != nil && len(m.CellGroup) != len(m.Cells) {
		return nil, fmt.Errorf("the mesh has %d x and %d y coordinates, %d cells and the groups of %d cells",
			len(m.X), len(m.Y), len(m.Cells), len(m.CellGroup))
	}
	g := Triangles(m.X, m.Y, m.Cells)
	for _, e := range m.Tagged {
		g.add(typeLine, e.A, e.B)
	}
	for _, a := range arraysOf(m.VertexData) {
		if a.Name != zField {
			g.PointData = append(g.PointData, a)
			continue
		}
		field := m.VertexData[zField]
		if len(field) != len(m.X) {
			return nil, fmt.Errorf("the vertex field %q has %d values for %d vertices", a.Name, len(field), len(m.X))
		}
		for i, z := range field {
			g.Points[3*i+2] = z
		}
	}
	if err := g.addGroups(m); err != nil {
		return nil, err
	}
	return g, g.addCellFields(m.CellData, len(m.Cells))
}

// addCellFields adds fields of the first cells of the grid. On the other cells they are NaN.
func (g *Grid) addCellFields(fields map[string][]float64, cells int) error {
	for _, c := range columns.Of(fields) {
		if materials.IsPhysical(c.Name) {
			return fmt.Errorf("the cell field %q would be read as group tags; rename it", c.Name)
		}
		if n := len(c.Components[0]); n != cells {
			return fmt.Errorf("the cell field %q has %d values for %d cells", c.Name, n, cells)
		}
		others := slices.Repeat([]float64{math.NaN()}, (len(g.Types)-cells)*len(c.Components))
		g.CellData = append(g.CellData, Array{Name: c.Name, Components: len(c.Components),
			Data: slices.Concat(c.Interleaved(), others)})
	}
	return nil
}

// addGroups adds the array of group tags and the arrays of group names, if the mesh has groups.
func (g *Grid) addGroups(m *mesh.Mesh) error {
	if len(m.Groups) == 0 {
		return nil
	}
	type key struct{ dim, tag int }
	groups := map[key]bool{}
	for i, group := range m.Groups {
		if group.Dim == 0 {
			continue
		}
		k := key{group.Dim, group.Tag}
		if group.Dim != 1 && group.Dim != 2 || group.Tag == 0 || group.Tag != int(int32(group.Tag)) || groups[k] {
			return fmt.Errorf("group %d %q has dimension %d and tag %d: the dimension must be 1 or 2, the tag an integer of "+
				"32 bits, not 0, and of no other group", i, group.Name, group.Dim, group.Tag)
		}
		groups[k] = true
		if group.Name == "" {
			group.Name = strconv.Itoa(group.Tag)
		}
		g.addName(group)
	}
	tags := make([]int32, 0, len(g.Types))
	tag := func(what string, i int, group int32, dim int) error {
		if group < 0 || int(group) >= len(m.Groups) || m.Groups[group].Dim != dim {
			return fmt.Errorf("%s %d is in group %d, which is not a group of dimension %d", what, i, group, dim)
		}
		tags = append(tags, int32(m.Groups[group].Tag))
		return nil
	}
	for i := range m.Cells {
		if m.CellGroup == nil || m.CellGroup[i] == -1 {
			tags = append(tags, 0)
		} else if err := tag("cell", i, m.CellGroup[i], 2); err != nil {
			return err
		}
	}
	for i, e := range m.Tagged {
		if err := tag("tagged edge", i, e.Group, 1); err != nil {
			return err
		}
	}
	g.CellData = append(g.CellData, Array{Name: cmp.Or(m.GroupArray, materials.Written), Data: tags})
	return nil
}

// addName adds a group to the field array with its name.
func (g *Grid) addName(group mesh.Group) {
	index := slices.IndexFunc(g.FieldData, func(a Array) bool { return a.Name == group.Name })
	if index < 0 {
		index = len(g.FieldData)
		g.FieldData = append(g.FieldData, Array{Name: group.Name, Components: 2, Data: []int32(nil)})
	}
	g.FieldData[index].Data = append(g.FieldData[index].Data.([]int32), int32(group.Tag), int32(group.Dim))
}
