package vtk

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk/internal/materials"
)

// integers returns the values of an array of single integers, or of floating-point numbers that are integers.
func (a *Array) integers() ([]int64, bool) {
	if a.width() != 1 {
		return nil, false
	}
	if values, ok := a.Int64s(); ok {
		return values, true
	}
	var out []int64
	for _, x := range a.Float64s() {
		if x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
			return nil, false
		}
		out = append(out, int64(x))
	}
	return out, true
}

// vertexFields returns the point arrays of one component, and texts about those of more, which are not kept.
func (g *Grid) vertexFields() (fields map[string][]float64, lost []string) {
	for _, a := range g.PointData {
		if a.width() != 1 {
			lost = append(lost, mesh.LostField("vertex", a.Name, a.width()))
			continue
		}
		mesh.SetField(&fields, a.Name, a.Float64s())
	}
	return fields, lost
}

// cellFields returns the cell arrays of one component, except those with tags, restricted to the given cells, and texts
// about those of more components, which are not kept.
func (g *Grid) cellFields(cells []int, tags *materials.Groups) (fields map[string][]float64, lost []string) {
	for _, a := range g.CellData {
		switch {
		case a.Name == tags.Array || materials.IsPhysical(a.Name):
		case a.width() != 1:
			lost = append(lost, mesh.LostField("cell", a.Name, a.width()))
		default:
			values, field := a.Float64s(), make([]float64, len(cells))
			for i, c := range cells {
				field[i] = values[c]
			}
			mesh.SetField(&fields, a.Name, field)
		}
	}
	return fields, lost
}
