package partition

import (
	"cmp"
	"fmt"
	"slices"
)

// Neighbour is another part, with those of its cells that are ghosts of this part.
type Neighbour struct {
	Part  int32
	Cells []int32 // ascending
}

// Ghosts lists the ghosts of a part: the cells of other parts that are at most depth edges of the graph away from a
// cell of the part, sorted by owner and then by id. cells lists the cells of the part in ascending order, as
// [Split] returns them. The time is proportional to the numbers of own cells and ghosts; the memory includes one
// bit for each cell of the graph.
func Ghosts(g Graph, partOf, cells []int32, depth int) ([]Neighbour, error) {
	if depth < 0 {
		return nil, fmt.Errorf("a halo of depth %d: give 0 or more", depth)
	}
	if len(cells) == 0 {
		return nil, nil
	}
	if err := checkPart(g, partOf, cells); err != nil {
		return nil, err
	}
	if len(cells) == g.N() {
		return nil, nil
	}
	part := partOf[cells[0]]
	visited := make([]uint64, (g.N()+63)/64)
	var ghosts []int32
	front := cells
	for range depth {
		first := len(ghosts)
		for _, v := range front {
			for _, u := range g.Neighbours(v) {
				if word, bit := &visited[u/64], uint64(1)<<(u%64); partOf[u] != part && *word&bit == 0 {
					*word |= bit
					ghosts = append(ghosts, u)
				}
			}
		}
		front = ghosts[first:]
		if len(front) == 0 {
			break
		}
	}
	slices.SortFunc(ghosts, func(a, b int32) int {
		return cmp.Or(cmp.Compare(partOf[a], partOf[b]), cmp.Compare(a, b))
	})
	var neighbours []Neighbour
	for first := 0; first < len(ghosts); {
		owner := partOf[ghosts[first]]
		end := first + 1
		for end < len(ghosts) && partOf[ghosts[end]] == owner {
			end++
		}
		neighbours = append(neighbours, Neighbour{owner, ghosts[first:end:end]})
		first = end
	}
	return neighbours, nil
}
