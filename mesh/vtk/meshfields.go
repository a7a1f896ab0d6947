package vtk

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/columns"
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

// components returns the numbers of an array at some entities, or at all if entities is nil, those of each component by
// itself, with their names in a mesh.
func (a *Array) components(entities []int) (names []string, fields [][]float64) {
	values, width := a.Float64s(), a.width()
	if entities == nil {
		if width == 1 {
			return []string{a.Name}, [][]float64{values}
		}
		entities = make([]int, len(values)/width)
		for i := range entities {
			entities[i] = i
		}
	}
	for k := range width {
		field := make([]float64, len(entities))
		for i, e := range entities {
			field[i] = values[e*width+k]
		}
		name := a.Name
		if width > 1 {
			name = columns.ComponentName(name, k)
		}
		names, fields = append(names, name), append(fields, field)
	}
	return names, fields
}

// vertexFields returns the point arrays.
func (g *Grid) vertexFields() map[string][]float64 { return fieldsOf(g.PointData, nil) }

// cellFields returns the cell arrays, except those with tags, restricted to the given cells.
func (g *Grid) cellFields(cells []int, tags *materials.Groups) map[string][]float64 {
	data := slices.DeleteFunc(slices.Clone(g.CellData), func(a Array) bool {
		return a.Name == tags.Array || materials.IsPhysical(a.Name)
	})
	return fieldsOf(data, cells)
}

func fieldsOf(data Arrays, entities []int) (fields map[string][]float64) {
	for _, a := range data {
		names, components := a.components(entities)
		for k, name := range names {
			mesh.SetField(&fields, name, components[k])
		}
	}
	return fields
}

// arraysOf returns fields of a mesh as arrays.
func arraysOf(fields map[string][]float64) (data Arrays) {
	for _, c := range columns.Of(fields) {
		data = append(data, Array{Name: c.Name, Components: len(c.Components), Data: c.Interleaved()})
	}
	return data
}
