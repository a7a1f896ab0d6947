package vtk

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/mesh"
)

// materialNames are the cell arrays that are read as group tags if there is none of physicalNames: those of OpenGeoSys,
// of the Python package meshio for Medit and Gmsh files, and of ParaView for Exodus files.
var materialNames = []string{"MaterialIDs", "medit:ref", "gmsh:geometrical", "ElementBlockIds", "ObjectId"}

// dataNames are integer cell arrays that are constant on parts of a mesh, but not materials, in lower case.
var dataNames = []string{"rank", "partition", "partition_id", "partitionid", "part_id", "part", "process", "process_id",
	"processid", "vtkprocessid", "processor", "processorid", "proc", "procid", "owner", "mpi_rank", "vtkghosttype",
	"vtkghostlevels", "vtkdomainid", "colour", "color", "level", "key"}

// groupTags returns the group tag of each cell of the file and the name of their array; nil and "" if there is no such
// array. cells are the cells of the mesh; pairs returns the pairs of their indices that are neighbours.
func (g *Grid) groupTags(cells []int, pairs func() [][2]int32) (tags []int64, name string, notes []string, err error) {
	for _, name := range physicalNames {
		a, ok := g.CellData.Find(name)
		if !ok {
			continue
		}
		tags, ok := a.integers()
		if !ok {
			return nil, "", nil, fmt.Errorf("the cell array %q, the tags of groups, has values that are not single integers",
				name)
		}
		return tags, name, g.otherParts(name, cells, pairs), nil
	}
	for _, name := range materialNames {
		if a, ok := g.CellData.Find(name); ok {
			if tags, ok := a.integers(); ok {
				return tags, name, g.otherParts(name, cells, pairs), nil
			}
		}
	}
	for _, a := range g.CellData {
		if tags, ok := a.parts(cells, &pairs); ok && a.ofIntegers() && !slices.Contains(dataNames, strings.ToLower(a.Name)) {
			notes := []string{fmt.Sprintf("groups of cells are those of the integer cell field %q", a.Name)}
			return tags, a.Name, append(notes, g.otherParts(a.Name, cells, pairs)...), nil
		}
	}
	return nil, "", g.otherParts("", cells, pairs), nil
}

// otherParts returns notes about arrays of integers, other than that with the tags of groups, that are constant on
// parts. Those of floating-point numbers that are integers may be materials by the name of no program.
func (g *Grid) otherParts(tags string, cells []int, pairs func() [][2]int32) (notes []string) {
	for _, a := range g.CellData {
		if a.Name == tags || a.Name == "gmsh:geometrical" && slices.Contains(physicalNames, tags) {
			continue // the entities of groups
		}
		if _, ok := a.parts(cells, &pairs); ok {
			notes = append(notes, fmt.Sprintf("the cell field %q of integers is not taken for groups: its parts may change "+
				"their shapes; name it MaterialIDs if they must not", a.Name))
		}
	}
	return notes
}

// pairsOf lists each pair of neighbouring cells once.
func pairsOf(cells int, neighbours func(c int) []int32) (pairs [][2]int32) {
	for c := range cells {
		for _, other := range neighbours(c) {
			if int(other) > c {
				pairs = append(pairs, [2]int32{int32(c), other})
			}
		}
	}
	return pairs
}

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

// ofIntegers reports whether the type of the array is one of integers.
func (a *Array) ofIntegers() bool {
	_, ok := a.Int64s()
	return ok
}

// parts returns the values of an array of single integers that has several values, and is constant on parts of the
// mesh: at most a third of its neighbouring cells differ. It replaces pairs by a function that returns the same pairs.
func (a *Array) parts(cells []int, pairs *func() [][2]int32) ([]int64, bool) {
	values, ok := a.integers()
	if !ok || len(cells) == 0 {
		return nil, false
	}
	several := slices.ContainsFunc(cells, func(c int) bool { return values[c] != values[cells[0]] })
	if !several {
		return nil, false
	}
	found := (*pairs)()
	*pairs = func() [][2]int32 { return found }
	differ := 0
	for _, p := range found {
		if values[cells[p[0]]] != values[cells[p[1]]] {
			differ++
		}
	}
	return values, len(found) > 0 && 3*differ <= len(found)
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
