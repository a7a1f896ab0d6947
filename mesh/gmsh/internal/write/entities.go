package write

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// entityKey identifies an entity of a written file: the elements of a dimension with one group tag, on periodic sides
// those of one side.
type entityKey struct {
	dim  int
	tag  int32 // of the group, 0 for none
	side int   // number of the periodic side in the file that was read, 0 for none
}

// elementSet has the elements of one dimension, and their entities in ascending order of tags.
type elementSet struct {
	*meshfile.Elements
	sides    map[int32][]int // periodic sides of the dimension that each vertex is on
	entities []entityKey
}

// newElementSet finds the entities of elements. It refuses negative tags of cells, and tags below 1 of others.
func (w *writer) newElementSet(e *meshfile.Elements) (set elementSet, err error) {
	set.Elements = e
	if m := w.Content.Marks; m != nil && len(m.Periodic) > 0 && e.Dim > 0 {
		set.sides = map[int32][]int{}
		for _, side := range m.Periodic {
			if side.Dim == e.Dim {
				for _, p := range side.Pairs {
					set.addSide(p[0], side.Entity)
					set.addSide(p[1], side.Master)
				}
			}
		}
	}
	what, lowest := []string{"point", "edge", "face", "cell"}[e.Dim], int32(1)
	if e.Dim == w.Cells.Dim {
		what, lowest = "cell", 0
	}
	seen := map[entityKey]bool{}
	for start := range meshfile.Runs(e.Count, set.key) {
		key := set.key(start)
		if key.tag < lowest {
			return set, fmt.Errorf("%s %d has the tag %d; Gmsh needs tags from 1 on", what, start, key.tag)
		}
		if !seen[key] {
			seen[key] = true
			set.entities = append(set.entities, key)
		}
	}
	slices.SortFunc(set.entities, func(a, b entityKey) int { return cmp.Or(cmp.Compare(a.tag, b.tag), a.side-b.side) })
	return set, nil
}

func (s *elementSet) addSide(v int32, side int) {
	if !slices.Contains(s.sides[v], side) {
		s.sides[v] = append(s.sides[v], side)
	}
}

// key returns the entity of an element.
func (s *elementSet) key(i int) entityKey {
	key := entityKey{s.Dim, s.Tag(i), 0}
	if s.sides == nil {
		return key
	}
	v := s.Vertices(i)
	for _, side := range s.sides[v[0]] {
		if !slices.ContainsFunc(v, func(u int32) bool { return !slices.Contains(s.sides[u], side) }) {
			key.side = side
		}
	}
	return key
}

// numberEntities gives each entity the number of its group, and those of periodic sides the number in the file that was
// read, if it is free. Periodic sides without elements are entities too.
func (w *writer) numberEntities() {
	w.numbers = map[entityKey]int{}
	for k := range w.elementSets {
		set := &w.elementSets[k]
		w.addBareSides(set)
		used := map[int]bool{}
		take := func(key entityKey, number int) {
			for number < 1 || used[number] {
				number++
			}
			used[number], w.numbers[key] = true, number
		}
		for pass := range 3 { // groups first, then periodic sides, then elements without a group
			for _, key := range set.entities {
				switch {
				case pass == 0 && key.side == 0 && key.tag > 0:
					take(key, int(key.tag))
				case pass == 1 && key.side != 0:
					take(key, key.side)
				case pass == 2 && key.side == 0 && key.tag == 0:
					take(key, 1)
				}
			}
		}
	}
}

// addBareSides adds the periodic sides of a set's dimension that have no elements.
func (w *writer) addBareSides(set *elementSet) {
	if w.Content.Marks == nil || set.Dim == 0 {
		return
	}
	for _, side := range w.Content.Marks.Periodic {
		for _, number := range []int{side.Entity, side.Master} {
			has := func(key entityKey) bool { return key.side == number }
			if side.Dim == set.Dim && !slices.ContainsFunc(set.entities, has) {
				set.entities = append(set.entities, entityKey{set.Dim, 0, number})
			}
		}
	}
}

// entities writes the entities of all dimensions.
func (w *writer) entities() {
	var counts [4]int
	for k := range w.elementSets {
		counts[w.elementSets[k].Dim] += len(w.elementSets[k].entities)
	}
	fmt.Fprint(w, "$Entities\n")
	for _, n := range counts {
		w.int64(n)
	}
	w.endLine()
	box := w.Box()
	for dim := range counts {
		for k := range w.elementSets {
			for _, key := range w.elementSets[k].entities {
				if key.dim == dim {
					w.entity(key, box)
				}
			}
		}
	}
	w.endBinary()
	fmt.Fprint(w, "$EndEntities\n")
}

// entity writes an entity with a bounding box, of a point its position, and groups. If the mesh has sides (tagged edges
// of triangles, tagged faces of tetrahedra) or lines (tagged edges of tetrahedra), an entity without a group gets group
// 0, because the Python package meshio needs a group for each entity if any has one.
func (w *writer) entity(key entityKey, box [6]float64) {
	w.int32(w.numbers[key])
	corners := box[:]
	if key.dim == 0 {
		corners = w.pointOf(key.tag)
	}
	for _, x := range corners {
		w.float(x)
	}
	groups := []int{int(key.tag)}
	if members := w.Combined[int(key.tag)]; members != nil && key.dim == w.Cells.Dim {
		groups = members
	}
	if w.Sides.Count+w.Lines.Count == 0 && key.tag == 0 {
		groups = nil
	}
	w.int64(len(groups))
	for _, group := range groups {
		w.int32(group)
	}
	if key.dim > 0 {
		w.int64(0) // entities that bound it
	}
	w.endLine()
}

// pointOf returns the position of the first vertex in a group of points.
func (w *writer) pointOf(tag int32) []float64 {
	position := make([]float64, 3)
	points := w.Content.Marks.Points
	v := points[slices.IndexFunc(points, func(p mesh.MarkedPoint) bool { return p.Tag == tag })].V
	for axis, x := range w.Content.Points {
		if x != nil {
			position[axis] = x[v]
		}
	}
	return position
}

// periodicSides writes the section $Periodic, if there are periodic sides of edges or faces. Those of single points
// follow from them.
func (w *writer) periodicSides() {
	if w.Content.Marks == nil {
		return
	}
	sides := slices.Clone(w.Content.Marks.Periodic)
	sides = slices.DeleteFunc(sides, func(s mesh.PeriodicSide) bool {
		return w.numberOfSide(s.Dim, s.Entity) == 0 || w.numberOfSide(s.Dim, s.Master) == 0
	})
	if len(sides) == 0 {
		return
	}
	fmt.Fprint(w, "$Periodic\n")
	w.int64(len(sides))
	w.endLine()
	for _, s := range sides {
		w.int32(s.Dim)
		w.int32(w.numberOfSide(s.Dim, s.Entity))
		w.int32(w.numberOfSide(s.Dim, s.Master))
		w.endLine()
		w.int64(len(s.Affine))
		for _, x := range s.Affine {
			w.float(x)
		}
		w.endLine()
		w.int64(len(s.Pairs))
		w.endLine()
		for _, p := range s.Pairs {
			w.int64(int(p[0]) + 1)
			w.int64(int(p[1]) + 1)
			w.endLine()
		}
	}
	w.endBinary()
	fmt.Fprint(w, "$EndPeriodic\n")
}

// numberOfSide returns the number of the first entity of a periodic side, 0 if it is not written.
func (w *writer) numberOfSide(dim, side int) int {
	if dim == 0 {
		return 0
	}
	for k := range w.elementSets {
		for _, key := range w.elementSets[k].entities {
			if key.dim == dim && key.side == side {
				return w.numbers[key]
			}
		}
	}
	return 0
}
