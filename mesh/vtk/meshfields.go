package vtk

import (
	"fmt"

	"github.com/atoll-hpc/atoll/mesh"
)

// physicalTags returns the group tag of each cell and the name of their array; nil and "" if there is no such array.
func (g *Grid) physicalTags() ([]int64, string, error) {
	for _, name := range physicalNames {
		a, ok := g.CellData.Find(name)
		if !ok {
			continue
		}
		tags, ok := a.Int64s()
		if !ok || a.width() != 1 {
			return nil, "", fmt.Errorf("the cell array %q has type %T and %d components; group tags must be single integers",
				name, a.Data, a.width())
		}
		return tags, name, nil
	}
	return nil, "", nil
}

// vertexFields returns the point arrays of one component.
func (g *Grid) vertexFields() (fields map[string][]float64) {
	for _, a := range g.PointData {
		if a.width() == 1 {
			mesh.SetField(&fields, a.Name, a.Float64s())
		}
	}
	return fields
}

// cellFields returns the cell arrays of one component, except the array of tags, restricted to the given cells.
func (g *Grid) cellFields(cells []int, tags string) (fields map[string][]float64) {
	for _, a := range g.CellData {
		if a.width() == 1 && a.Name != tags {
			values, field := a.Float64s(), make([]float64, len(cells))
			for i, c := range cells {
				field[i] = values[c]
			}
			mesh.SetField(&fields, a.Name, field)
		}
	}
	return fields
}
