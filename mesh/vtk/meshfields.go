package vtk

import "fmt"

// physicalTags returns the tag of each cell and the name of the array that holds them, nothing without one.
func (g *Grid) physicalTags() ([]int64, string, error) {
	for _, name := range physicalNames {
		a, ok := g.CellData.Find(name)
		if !ok {
			continue
		}
		tags, ok := a.Int64s()
		if !ok || a.width() != 1 {
			return nil, "", fmt.Errorf("the cell array %q holds %T in tuples of %d; physical tags are single integers", name,
				a.Data, a.width())
		}
		return tags, name, nil
	}
	return nil, "", nil
}

// vertexFields are the point arrays of one component.
func (g *Grid) vertexFields() (fields map[string][]float64) {
	for _, a := range g.PointData {
		if a.width() == 1 {
			setField(&fields, a.Name, a.Float64s())
		}
	}
	return fields
}

// cellFields are the cell arrays of one component, but for that of tags, on some of the cells.
func (g *Grid) cellFields(cells []int, tags string) (fields map[string][]float64) {
	for _, a := range g.CellData {
		if a.width() == 1 && a.Name != tags {
			all, field := a.Float64s(), make([]float64, len(cells))
			for i, c := range cells {
				field[i] = all[c]
			}
			setField(&fields, a.Name, field)
		}
	}
	return fields
}

func setField(fields *map[string][]float64, name string, values []float64) {
	if *fields == nil {
		*fields = map[string][]float64{}
	}
	(*fields)[name] = values
}
