package vtk

import (
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk/internal/materials"
)

// grouping chooses the groups of a file of which the given cells are those of the mesh, and sets what the mesh keeps of
// the choice. pairs returns the pairs of their indices that are neighbours.
func (g *Grid) grouping(o *mesh.Origin, cells []int, pairs func() [][2]int32) (*materials.Groups, error) {
	arrays := make([]materials.Array, len(g.CellData))
	for i, a := range g.CellData {
		arrays[i].Name = a.Name
		arrays[i].Tags, _ = a.integers()
		_, arrays[i].Integer = a.Int64s()
	}
	var named []int64
	for _, group := range g.namedGroups(0, 3) {
		named = append(named, int64(group.Tag))
	}
	grouped, err := materials.Choose(arrays, cells, pairs, named)
	if err != nil {
		return nil, err
	}
	o.Notes, o.Elementary = append(o.Notes, grouped.Notes...), grouped.Elementary
	if grouped.Array != materials.Written {
		o.GroupArray = grouped.Array
	}
	return grouped, nil
}

// marks returns the vertex cells that have a tag, up to highest also the lines, and what is not kept; nil for none.
func (g *Grid) marks(grouped *materials.Groups, highest uint8) *mesh.Marks {
	k := &mesh.Marks{Skipped: grouped.Lost}
	for i, tag := range grouped.Tags {
		if tag == 0 || tag != int64(int32(tag)) || g.Types[i] > highest {
			continue
		}
		switch p := g.Cell(i); {
		case g.Types[i] == typeVertex && len(p) == 1:
			k.Points = append(k.Points, mesh.MarkedPoint{V: int32(p[0]), Tag: int32(tag)})
		case g.Types[i] == typeLine && len(p) == 2:
			k.Lines = append(k.Lines, mesh.MarkedEdge{A: int32(p[0]), B: int32(p[1]), Tag: int32(tag)})
		}
	}
	if len(k.Points)+len(k.Lines)+len(k.Skipped) == 0 {
		return nil
	}
	return k
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
