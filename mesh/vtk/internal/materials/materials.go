// Package materials chooses the groups of a mesh among the integer cell arrays of a VTK file, whose format says of no
// array what it means.
package materials

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Written is the name of the cell array with the group tag of each cell and edge, 0 for none, that Atoll writes.
const Written = "physical"

// elementary is the name that the Python package meshio gives the elementary entities of Gmsh files.
const elementary = "gmsh:geometrical"

// physicalNames are the cell arrays that are read as group tags before others: Atoll's own, and those of the Python
// package meshio and of VTK's readers.
var physicalNames = []string{Written, "gmsh:physical", "CellEntityIds"}

// materialNames are the cell arrays that are read as group tags next: those of OpenGeoSys, of meshio for Medit and Gmsh
// files, and of ParaView for Exodus files.
var materialNames = []string{"MaterialIDs", "medit:ref", elementary, "ElementBlockIds", "ObjectId"}

// dataNames are integer cell arrays that are constant on parts of a mesh, but not materials, in lower case.
var dataNames = []string{"rank", "partition", "partition_id", "partitionid", "part_id", "part", "process", "process_id",
	"processid", "vtkprocessid", "processor", "processorid", "proc", "procid", "owner", "mpi_rank", "vtkghosttype",
	"vtkghostlevels", "vtkdomainid", "colour", "color", "level", "key"}

// Array is a cell array of a file.
type Array struct {
	Name    string
	Tags    []int64 // its values; nil if they are not single integers
	Integer bool    // its type is one of integers
}

// Groups are the groups of the cells of a file.
type Groups struct {
	Tags       []int64  // of each cell of the file, 0 for none; nil if no array has groups
	Array      string   // with the tags of cells of the mesh, "" for none
	Named      bool     // the names of groups in the file are of these tags of cells
	Elementary bool     // the groups are elementary entities of Gmsh
	Notes      []string // for users
	Lost       []string // arrays that are not kept
}

// IsPhysical reports whether an array of this name is always read as tags, and never as a field.
func IsPhysical(name string) bool { return slices.Contains(physicalNames, name) }

// candidate is an array that may have groups.
type candidate struct {
	name    string
	tags    []int64
	divides bool // cells of the mesh have several values
	ofCells bool // cells of the mesh have other values than 0
	ofSides bool // other cells of the file have other values than 0
}

func newCandidate(a Array, cells []int) candidate {
	c := candidate{name: a.Name, tags: a.Tags}
	sides := slices.Clone(a.Tags)
	for _, cell := range cells {
		sides[cell] = 0
		c.divides = c.divides || a.Tags[cell] != a.Tags[cells[0]]
		c.ofCells = c.ofCells || a.Tags[cell] != 0
	}
	c.ofSides = slices.ContainsFunc(sides, func(tag int64) bool { return tag != 0 })
	return c
}

func (c candidate) physical() bool { return IsPhysical(c.name) }

// choice is a choice that is being made.
type choice struct {
	Groups
	arrays     []Array
	cells      []int // cells of the mesh
	pairs      func() [][2]int32
	candidates []candidate
}

// Choose chooses the groups of a file. An array with one value for all cells of the mesh divides nothing, so the groups
// of cells are those of the first array that divides them: of physicalNames, of materialNames, or an integer array that
// is constant on parts. If there is none, they are those of the first that has any. Elementary entities are groups only
// of cells without physical ones, as in Gmsh. Groups of the other cells of the file are those of a physical array if
// one has any, otherwise of the array of cells.
//
// cells are the cells of the mesh, pairs returns the pairs of their indices that are neighbours, and named are tags of
// groups that have a name. A physical array whose values are not single integers is an error.
func Choose(arrays []Array, cells []int, pairs func() [][2]int32, named []int64) (*Groups, error) {
	h := &choice{arrays: arrays, cells: cells, pairs: pairs}
	if err := h.findCandidates(); err != nil {
		return nil, err
	}
	covered := slices.ContainsFunc(h.candidates, func(c candidate) bool { return c.physical() && c.ofCells })
	var entities []int64
	k := slices.IndexFunc(h.candidates, func(c candidate) bool { return c.name == elementary })
	if k >= 0 && covered {
		entities = h.candidates[k].tags
		h.candidates = slices.Delete(h.candidates, k, k+1)
	}
	if of := h.choose(); of >= 0 {
		c := h.candidates[of]
		h.Array, h.Tags, h.Elementary = c.name, slices.Clone(c.tags), c.name == elementary
		h.Named = c.physical() || !covered
		h.takeSides()
		if c.physical() && entities != nil {
			h.addEntities(entities, named)
		}
		h.losePhysical()
	}
	h.noteOthers()
	return &h.Groups, nil
}

// findCandidates finds the arrays of physicalNames and materialNames.
func (h *choice) findCandidates() error {
	for _, name := range slices.Concat(physicalNames, materialNames) {
		k := slices.IndexFunc(h.arrays, func(a Array) bool { return a.Name == name })
		switch {
		case k < 0:
		case h.arrays[k].Tags != nil:
			h.candidates = append(h.candidates, newCandidate(h.arrays[k], h.cells))
		case IsPhysical(name):
			return fmt.Errorf("the cell array %q, the tags of groups, has values that are not single integers", name)
		}
	}
	return nil
}

// choose returns the candidate with the groups of cells, -1 for none.
func (h *choice) choose() int {
	if of := slices.IndexFunc(h.candidates, func(c candidate) bool { return c.divides }); of >= 0 {
		return of
	}
	for _, a := range h.arrays {
		known := slices.Contains(dataNames, strings.ToLower(a.Name)) || IsPhysical(a.Name) ||
			slices.Contains(materialNames, a.Name)
		if a.Integer && !known && h.hasParts(a) {
			h.Notes = append(h.Notes, fmt.Sprintf("groups of cells are those of the integer cell field %q", a.Name))
			h.candidates = append(h.candidates, newCandidate(a, h.cells))
			return len(h.candidates) - 1
		}
	}
	if of := slices.IndexFunc(h.candidates, func(c candidate) bool { return c.ofCells || c.ofSides }); of >= 0 {
		return of
	}
	return slices.IndexFunc(h.candidates, candidate.physical) // there may be names of groups
}

// takeSides takes the groups of the file's other cells from the first physical array that has any.
func (h *choice) takeSides() {
	k := slices.IndexFunc(h.candidates, func(c candidate) bool { return c.physical() && c.ofSides })
	if k < 0 {
		return
	}
	tags := slices.Clone(h.candidates[k].tags)
	for _, c := range h.cells {
		tags[c] = h.Tags[c]
	}
	h.Tags = tags
}

// addEntities makes groups of the elementary entities of cells without a physical group, if there are several. A tag of
// a physical group is not used again.
func (h *choice) addEntities(entities, named []int64) {
	taken := map[int64]bool{}
	for _, tag := range named {
		taken[tag] = true
	}
	tags := map[int64]int64{} // by entity
	for _, c := range h.cells {
		if tag := h.Tags[c]; tag != 0 {
			taken[tag] = true
		} else if e := entities[c]; e > 0 {
			tags[e] = e
		}
	}
	if len(tags) < 2 {
		return
	}
	highest := slices.Max(slices.AppendSeq(slices.Collect(maps.Keys(taken)), maps.Keys(tags)))
	for _, e := range slices.Sorted(maps.Keys(tags)) {
		if taken[e] {
			highest++
			tags[e] = highest
		}
	}
	for _, c := range h.cells {
		if h.Tags[c] == 0 {
			h.Tags[c] = tags[entities[c]]
		}
	}
}

// losePhysical lists the physical arrays with groups of cells that were not taken: no field can have their names.
func (h *choice) losePhysical() {
	for _, a := range h.candidates {
		differs := func(c int) bool { return a.tags[c] != h.Tags[c] }
		if !a.physical() || a.name == h.Array || !a.ofCells || !slices.ContainsFunc(h.cells, differs) {
			continue
		}
		what := fmt.Sprintf("cell field %q", a.name)
		if !a.divides {
			what += fmt.Sprintf(", %d in all cells", a.tags[h.cells[0]])
		}
		h.Lost = append(h.Lost, what)
	}
}

// noteOthers adds notes about arrays of integers, other than that with the tags of groups, that are constant on parts.
// Those of floating-point numbers that are integers may be materials by the name of no program.
func (h *choice) noteOthers() {
	for _, a := range h.arrays {
		ofGroups := a.Name == elementary && IsPhysical(h.Array) // the entities of groups
		if a.Name != h.Array && !IsPhysical(a.Name) && !ofGroups && h.hasParts(a) {
			h.Notes = append(h.Notes, fmt.Sprintf("the cell field %q of integers is not taken for groups: its parts may "+
				"change their shapes; name it MaterialIDs if they must not", a.Name))
		}
	}
}

// hasParts reports whether an array of single integers has several values, and is constant on parts of the mesh: at
// most a third of its neighbouring cells differ.
func (h *choice) hasParts(a Array) bool {
	if a.Tags == nil || len(h.cells) == 0 || !newCandidate(a, h.cells).divides {
		return false
	}
	found := h.pairs()
	h.pairs = func() [][2]int32 { return found }
	differ := 0
	for _, p := range found {
		if a.Tags[h.cells[p[0]]] != a.Tags[h.cells[p[1]]] {
			differ++
		}
	}
	return len(found) > 0 && 3*differ <= len(found)
}
