package mesh

import (
	"fmt"
	"strconv"
)

// groupIndex finds and adds groups of a mesh that is being read.
type groupIndex struct {
	mesh  *Mesh
	tags  map[[2]int]int32
	names map[Group]bool // with Tag 0
	cells bool           // whether a cell has a group
}

// name adds a group that the file names.
func (x *groupIndex) name(dim, tag int, name string) error {
	if x.tags == nil {
		x.tags, x.names = make(map[[2]int]int32), make(map[Group]bool)
	}
	if g, ok := x.tags[[2]int{dim, tag}]; ok {
		return fmt.Errorf("physical group %d of dimension %d has two names, %q and %q", tag, dim, x.mesh.Groups[g].Name, name)
	}
	if x.names[Group{Dim: dim, Name: name}] {
		return fmt.Errorf("two physical groups of dimension %d have the name %q; rename one", dim, name)
	}
	x.names[Group{Dim: dim, Name: name}] = true
	x.tags[[2]int{dim, tag}] = int32(len(x.mesh.Groups))
	x.mesh.Groups = append(x.mesh.Groups, Group{dim, tag, name})
	return nil
}

// of returns the index of a group, adding one if it has not been named.
func (x *groupIndex) of(dim, tag int) (int32, error) {
	if g, ok := x.tags[[2]int{dim, tag}]; ok {
		return g, nil
	}
	if err := x.name(dim, tag, strconv.Itoa(tag)); err != nil {
		return 0, err
	}
	return x.tags[[2]int{dim, tag}], nil
}
