package meshfile

import (
	"fmt"
	"strconv"

	"github.com/atoll-hpc/atoll/mesh"
)

// GroupIndex finds and adds groups of a mesh that is being read.
type GroupIndex struct {
	Mesh     *mesh.Mesh
	tags     map[[2]int]int32    // indices in Mesh.Groups, by dimension and tag
	names    map[mesh.Group]bool // names in use, as groups with Tag 0
	HasCells bool                // whether any cell has a group
}

// AddNamed adds a group that the file names.
func (x *GroupIndex) AddNamed(dim, tag int, name string) error {
	if x.tags == nil {
		x.tags, x.names = make(map[[2]int]int32), make(map[mesh.Group]bool)
	}
	if g, ok := x.tags[[2]int{dim, tag}]; ok {
		return fmt.Errorf("physical group %d of dimension %d has two names, %q and %q", tag, dim, x.Mesh.Groups[g].Name, name)
	}
	if x.names[mesh.Group{Dim: dim, Name: name}] {
		return fmt.Errorf("two physical groups of dimension %d have the name %q; rename one", dim, name)
	}
	x.names[mesh.Group{Dim: dim, Name: name}] = true
	x.tags[[2]int{dim, tag}] = int32(len(x.Mesh.Groups))
	x.Mesh.Groups = append(x.Mesh.Groups, mesh.Group{Dim: dim, Tag: tag, Name: name})
	return nil
}

// Of returns the index of a group. A group without a name is added, with its tag as the name.
func (x *GroupIndex) Of(dim, tag int) (int32, error) {
	if g, ok := x.tags[[2]int{dim, tag}]; ok {
		return g, nil
	}
	if err := x.AddNamed(dim, tag, strconv.Itoa(tag)); err != nil {
		return 0, err
	}
	return x.tags[[2]int{dim, tag}], nil
}
