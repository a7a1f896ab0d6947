package adaptation

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/conserve"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// Carried is a field of the input that the new mesh has: interpolated linearly between vertices, or that of the old
// cell at the centre of a new one, or conserved.
type Carried struct {
	Name      string
	Cell      bool // it is a field of cells
	Conserved bool // the integrals of it over the materials are kept
	// Error is the largest difference from the old values when the new ones are interpolated back, or averaged over old
	// cells, and Range that of the old values. Unknown for a field of cells that is not conserved.
	Error, Range  float64
	Before, After float64 // integrals of a conserved field
	Missing       int     // number of vertices, or cells of a conserved field, without a value (NaN)
}

// compare sets the error, the range and the number of missing values.
func (c *Carried) compare(old, back []float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for i, x := range old {
		if math.IsNaN(x) {
			c.Missing++
			continue
		}
		if y := back[i]; !math.IsNaN(y) {
			c.Error = max(c.Error, math.Abs(y-x))
		}
		low, high = min(low, x), max(high, x)
	}
	c.Range = max(0, high-low)
}

// chooseFields finds the fields of cells that are carried, and those of them that are conserved.
func (s *session) chooseFields() error {
	s.cellFields = slices.DeleteFunc(slices.Sorted(maps.Keys(s.start.CellData)), func(name string) bool {
		return name == qualityField || request.AreIDs(s.start.CellData[name])
	})
	switch s.w.Method.Conserve {
	case "":
		return nil
	case "all":
		s.conserved = s.cellFields
		return nil
	}
	for name := range strings.SplitSeq(s.w.Method.Conserve, ",") {
		if name = strings.TrimSpace(name); !slices.Contains(s.cellFields, name) {
			return fmt.Errorf("--conserve: %q is no field of cells that could be carried; the mesh has %s", name,
				cmp.Or(strings.Join(s.cellFields, ", "), "none"))
		}
		s.conserved = append(s.conserved, name)
	}
	return nil
}

// carryFields carries the fields of the mesh that was read to a new one, of cells of the given materials, and measures
// the errors. It returns vertex and cell fields.
func (s *session) carryFields(to request.Nodes, materials []int32) (vertex, cell map[string][]float64,
	carried []Carried) {
	data := s.start.Data
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(data)), func(name string) bool {
		return name != mesh.Heights && request.AreIDs(data[name])
	})
	vertex, cell = map[string][]float64{}, map[string][]float64{}
	if len(names)+len(s.cellFields) == 0 {
		return vertex, cell, nil
	}
	find := request.NewFinder(s.start.Mesh)
	vertex = find.Interpolated(data, names, to.Mesh)
	back := request.NewFinder(to.Mesh).Interpolated(vertex, names, s.start.Mesh)
	for _, name := range names {
		c := Carried{Name: name}
		if c.compare(data[name], back[name]); c.Range == 0 {
			settle(vertex[name], data[name])
			c.Error = 0
		}
		carried = append(carried, c)
	}
	return vertex, cell, append(carried, s.carryCells(find, to, materials, cell)...)
}

// settle makes the values of a constant field equal, without rounding.
func settle(values, old []float64) {
	known := slices.IndexFunc(old, func(x float64) bool { return !math.IsNaN(x) })
	for v := range values {
		if !math.IsNaN(values[v]) {
			values[v] = old[known]
		}
	}
}

// carryCells adds the fields of cells to cell.
func (s *session) carryCells(find *request.Finder, to request.Nodes, materials []int32,
	cell map[string][]float64) (carried []Carried) {
	if len(s.cellFields) == 0 {
		return nil
	}
	n := len(to.Cells) / (to.Dim + 1)
	at := make([]int32, n)
	for c := range at {
		at[c], _ = find.Find(to.Centre(c))
	}
	from, onto := conserve.Cells{Mesh: s.start.Mesh, Material: s.materials()}, conserve.Cells{Mesh: to.Mesh,
		Material: materials}
	var overlap *conserve.Overlap
	if len(s.conserved) > 0 {
		overlap = conserve.Intersect(from, onto)
	}
	for _, name := range s.cellFields {
		old := s.start.CellData[name]
		c := Carried{Name: name, Cell: true, Conserved: slices.Contains(s.conserved, name)}
		if c.Conserved {
			cell[name] = overlap.Field(old)
			c.Before, c.After = from.Integral(old), onto.Integral(cell[name])
			c.compare(old, overlap.Back(cell[name]))
		} else {
			cell[name] = make([]float64, n)
			for k := range at {
				cell[name][k] = old[at[k]]
			}
		}
		carried = append(carried, c)
	}
	return carried
}

// materials returns those of the cells that were read; nil if all have the same.
func (s *session) materials() []int32 {
	if s.solid != nil {
		return s.solid.CellTag
	}
	return s.plane.CellGroup
}

// qualityField is the field of cells that the command adds.
const qualityField = "quality"
