package gmsh

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/mesh"
)

// membership has the groups of the elements of a file.
type membership struct {
	ofCells      []int32        // group of each cell, -1 for none, -2-k for all groups of sets[k]
	sets         [][]int32      // ascending groups of cells that are in several
	physical     bool           // the file has physical groups
	entityOfCell []int32        // elementary entity of each cell, 0 if unknown
	loose        []looseElement // elements without a physical group
	pointGroups  []mesh.Group   // named groups of points
}

// looseElement is a face, edge or point and its elementary entity.
type looseElement struct {
	v      [3]int32
	dim    int8
	entity int32
}

// groupOf returns the index of a physical group; of a group of points its tag.
func (r *reader) groupOf(dim int, tag int64) (int32, error) {
	if !r.physical {
		r.physical, r.loose = true, nil
	}
	if (r.solid != nil || dim == 0) && tag > math.MaxInt32 {
		return 0, fmt.Errorf("the physical group %d has more than 32 bits", tag)
	}
	if dim == 0 {
		return int32(tag), nil
	}
	return r.groups.Of(dim, int(tag))
}

// set returns the number in ofCells that stands for groups.
func (r *reader) set(groups []int32) int32 {
	switch len(groups) {
	case 0:
		return -1
	case 1:
		return groups[0]
	}
	sorted := slices.Clone(groups)
	slices.Sort(sorted)
	if sorted = slices.Compact(sorted); len(sorted) == 1 {
		return sorted[0]
	}
	k := slices.IndexFunc(r.sets, func(s []int32) bool { return slices.Equal(s, sorted) })
	if k < 0 {
		k = len(r.sets)
		r.sets = append(r.sets, sorted)
	}
	return int32(-2 - k)
}

// join adds a cell to a further group. It returns false if the cell has no group, or that one already.
func (r *reader) join(cell int, group int32) bool {
	was := r.ofCells[cell]
	groups := []int32{was}
	if was < -1 {
		groups = r.sets[-2-was]
	}
	if was == -1 || slices.Contains(groups, group) {
		return false
	}
	r.ofCells[cell] = r.set(append(slices.Clone(groups), group))
	return true
}

// resolveGroups makes groups of elementary entities if the file has no physical groups, or of those of cells without
// one, and gives each set of groups a group that stands for it.
func (r *reader) resolveGroups() error {
	take := r.takeEntities
	if r.physical {
		take = r.takeEntitiesOfOthers
	}
	if err := take(); err != nil {
		return err
	}
	dim, highest := r.dim(), 0
	names := map[string]bool{}
	for _, g := range r.mesh.Groups {
		if names[g.Name] = true; g.Dim == dim {
			highest = max(highest, g.Tag)
		}
	}
	standFor := make([]int32, len(r.sets))
	for k, set := range r.sets {
		var tags []int
		var members []string
		for _, g := range set {
			tags, members = append(tags, r.mesh.Groups[g].Tag), append(members, r.mesh.Groups[g].Name)
		}
		name := strings.Join(members, " and ")
		for names[name] {
			name += "'"
		}
		names[name] = true
		if highest++; highest > math.MaxInt32 {
			return fmt.Errorf("no tag is left for the cells of the groups %s; use tags of 32 bits", name)
		}
		standFor[k] = int32(len(r.mesh.Groups))
		r.mesh.Groups = append(r.mesh.Groups, mesh.Group{Dim: dim, Tag: highest, Name: name})
		if r.mesh.Combined == nil {
			r.mesh.Combined = map[int][]int{}
		}
		r.mesh.Combined[highest] = tags
	}
	for c, g := range r.ofCells {
		if g < -1 {
			r.ofCells[c] = standFor[-2-g]
		}
	}
	for _, g := range r.pointGroups {
		if slices.ContainsFunc(r.points, func(p mesh.MarkedPoint) bool { return int(p.Tag) == g.Tag }) {
			r.mesh.Groups = append(r.mesh.Groups, g)
		}
	}
	return nil
}

// takeEntitiesOfOthers makes groups of the elementary entities of cells without a physical group, if there are several:
// Gmsh writes such cells with Mesh.SaveAll, and their interfaces are as meant as others. A tag of a physical group is
// not used again.
func (r *reader) takeEntitiesOfOthers() error {
	tags := map[int32]int{} // by entity
	for c, e := range r.entityOfCell {
		if r.ofCells[c] == -1 && e > 0 {
			tags[e] = int(e)
		}
	}
	if len(tags) < 2 {
		return nil
	}
	taken, highest := map[int]bool{}, 0
	for _, g := range r.mesh.Groups {
		if g.Dim == r.dim() {
			taken[g.Tag], highest = true, max(highest, g.Tag)
		}
	}
	for e := range tags {
		highest = max(highest, int(e))
	}
	for _, e := range slices.Sorted(maps.Keys(tags)) {
		if taken[tags[e]] {
			highest++
			tags[e] = highest
		}
	}
	if highest > math.MaxInt32 {
		return errors.New("no tag is left for the elementary entities without a physical group; use tags of 32 bits")
	}
	for c, e := range r.entityOfCell {
		if r.ofCells[c] != -1 || e <= 0 {
			continue
		}
		g, err := r.groups.Of(r.dim(), tags[e])
		if err != nil {
			return err
		}
		r.ofCells[c], r.groups.HasCells = g, true
	}
	return nil
}

// takeEntities makes groups of elementary entities: of cells if there are several, and of all faces, edges and points.
func (r *reader) takeEntities() error {
	r.mesh.Elementary = true
	several := slices.ContainsFunc(r.entityOfCell, func(e int32) bool { return e != r.entityOfCell[0] })
	for c, e := range r.entityOfCell {
		if !several || e <= 0 {
			continue
		}
		g, err := r.groups.Of(r.dim(), int(e))
		if err != nil {
			return err
		}
		r.ofCells[c], r.groups.HasCells = g, true
	}
	for _, e := range r.loose {
		group, err := e.entity, error(nil)
		if e.dim > 0 {
			group, err = r.groups.Of(int(e.dim), int(e.entity))
		}
		if err != nil {
			return err
		}
		r.addSide(int(e.dim), [4]int32{e.v[0], e.v[1], e.v[2]}, group)
	}
	return nil
}
