package mesh

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/internal/words"
)

// Mend repairs what has only one repair, with a note in Notes for each: it removes vertices in no cell and tagged edges
// that no cell has, which Gmsh writes for points and curves of the geometry, and orients clockwise cells if that makes
// the mesh consistent. It records cracks in Marks. Other faults are left to Check. It returns the id that each vertex
// had before, nil if none was removed.
func (m *Mesh) Mend() (original []int32) {
	if m.CheckIDs() != nil {
		return nil
	}
	used := m.usedVertices()
	if slices.Contains(used, false) {
		original = idsOf(used)
	}
	vertices, tagged, err := m.DropDangling()
	if err != nil {
		return nil
	}
	m.NoteMended(vertices, tagged, m.orientConsistently())
	m.markCracks()
	return original
}

// NoteMended adds the notes of Mesh.Mend about vertices and tagged edges that were removed, and cells that were turned.
func (o *Origin) NoteMended(vertices, tagged, turned int) {
	o.noteDropped(vertices, "triangle", tagged, "tagged edge")
	if turned > 0 {
		o.note("turned: %s that ran clockwise", words.Count(turned, "triangle"))
	}
}

// noteDropped adds a note about vertices and sides without cells that were removed.
func (o *Origin) noteDropped(vertices int, cell string, sides int, side string) {
	if vertices > 0 {
		o.note("left out: %s in no %s", words.Count(vertices, "vertex"), cell)
	}
	if sides > 0 {
		o.note("left out: %s that no %s has", words.Count(sides, side), cell)
	}
}

// idsOf lists the indices of true values.
func idsOf(used []bool) (ids []int32) {
	for v, u := range used {
		if u {
			ids = append(ids, int32(v))
		}
	}
	return ids
}

// orientConsistently makes clockwise cells counter-clockwise if no cells overlap then, and returns their number.
// Otherwise the positions of vertices are wrong, and not the order of those of cells.
func (m *Mesh) orientConsistently() (turned int) {
	if parallel.All(len(m.Cells), itemsPerWorker, func(c int) bool { return m.shape(c) != cellClockwise }) {
		return 0
	}
	before := slices.Clone(m.Cells)
	turned, err := m.Orient()
	if err == nil {
		var nb [][3]int32
		if nb, err = m.Neighbours(); err == nil {
			err = joinFaults(m.overlaps(nb))
		}
	}
	if err != nil {
		m.Cells = before
		return 0
	}
	return turned
}

// markCracks marks the vertices of cracks: those at the position of another that, like the other, ends a tagged edge of
// one physical group, as Gmsh's plugin Crack makes them. Other vertices at the same position are left to Check.
func (m *Mesh) markCracks() {
	if m.Elementary || len(m.Tagged) == 0 {
		return
	}
	groups := map[int32][]int32{} // of the tagged edges at each vertex
	for _, e := range m.Tagged {
		groups[e.A], groups[e.B] = append(groups[e.A], e.Group), append(groups[e.B], e.Group)
	}
	first := make(map[[2]float64]int32, len(groups)) // the first vertex at each position
	var pairs [][2]int32
	for _, v := range slices.Sorted(maps.Keys(groups)) {
		at := [2]float64{m.X[v], m.Y[v]}
		if u, again := first[at]; again {
			pairs = append(pairs, [2]int32{u, v})
		} else {
			first[at] = v
		}
	}
	cracked := map[int32]bool{}
	names := map[string]bool{}
	for _, p := range pairs {
		for _, g := range groups[p[0]] {
			if slices.Contains(groups[p[1]], g) {
				cracked[p[0]], cracked[p[1]], names[m.Groups[g].Name] = true, true, true
			}
		}
	}
	if len(cracked) == 0 {
		return
	}
	if m.Marks == nil {
		m.Marks = &Marks{}
	}
	m.Marks.Cracked = slices.Sorted(maps.Keys(cracked))
	m.noteCrack(len(cracked), names, "edges")
}

// noteCrack adds a note about the vertices of cracks.
func (o *Origin) noteCrack(vertices int, names map[string]bool, sides string) {
	var quoted []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	o.note("cracked along %s of group %s: %s at the position of another; atoll mesh convert --merge-duplicates closes "+
		"the crack", sides, strings.Join(quoted, ", "), words.Count(vertices, "vertex"))
}
