package adaptation

import (
	"maps"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// Carried is a field of the input that the new mesh has: interpolated linearly between vertices, or that of the old
// cell at the centre of a new one.
type Carried struct {
	Name string
	Cell bool // it is a field of cells
	// Error is the largest difference from the old values when the new ones are interpolated back, and Range that of the
	// old values.
	Error, Range float64
	Missing      int // number of vertices without a value (NaN)
}

// carryFields interpolates the fields of the mesh that was read to a new one, and measures the errors. It returns
// vertex and cell fields.
func (s *session) carryFields(to request.Nodes) (vertex, cell map[string][]float64, carried []Carried) {
	data := s.start.Data
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(data)), func(name string) bool {
		return name != mesh.Heights && request.AreIDs(data[name])
	})
	cells := slices.DeleteFunc(slices.Sorted(maps.Keys(s.start.CellData)), func(name string) bool {
		return name == qualityField || request.AreIDs(s.start.CellData[name])
	})
	vertex, cell = map[string][]float64{}, map[string][]float64{}
	if len(names)+len(cells) == 0 {
		return vertex, cell, nil
	}
	find := request.NewFinder(s.start.Mesh)
	vertex = find.Interpolated(data, names, to.Mesh)
	back := request.NewFinder(to.Mesh).Interpolated(vertex, names, s.start.Mesh)
	for _, name := range names {
		c := Carried{Name: name}
		low, high := math.Inf(1), math.Inf(-1)
		for v, x := range data[name] {
			if math.IsNaN(x) {
				c.Missing++
				continue
			}
			if y := back[name][v]; !math.IsNaN(y) {
				c.Error = max(c.Error, math.Abs(y-x))
			}
			low, high = min(low, x), max(high, x)
		}
		if c.Range = max(0, high-low); low == high {
			for v := range vertex[name] { // without rounding
				if !math.IsNaN(vertex[name][v]) {
					vertex[name][v] = low
				}
			}
			c.Error = 0
		}
		carried = append(carried, c)
	}
	for _, name := range cells {
		cell[name] = make([]float64, len(to.Cells)/(to.Dim+1))
		carried = append(carried, Carried{Name: name, Cell: true})
	}
	for c := range len(to.Cells) / (to.Dim + 1) {
		if len(cells) == 0 {
			break
		}
		at, _ := find.Find(to.Centre(c))
		for _, name := range cells {
			cell[name][c] = s.start.CellData[name][at]
		}
	}
	return vertex, cell, carried
}

// qualityField is the field of cells that the command adds.
const qualityField = "quality"
