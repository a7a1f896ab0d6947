package partition

import (
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Arrange puts the cells of one part in local order: first the core, cells without a neighbour in another part,
// then the boundary. Both follow the chosen ordering of the subgraph of the part; ties are broken by global id, and
// Random mixes the number of the part into the seed.
//
// cells lists the cells of the part in ascending order, as [Split] returns them. x and y are the coordinates of all
// cells of g; only Hilbert uses them. The cost is proportional to the number of cells in the part.
func Arrange(g Graph, partOf, cells []int32, ordering Ordering, x, y []float64, seed uint64) (core, boundary []int32,
	err error) {
	if len(cells) == 0 {
		// An empty part needs no ordering, but an unknown ordering is still an error.
		_, err := Order(ordering, Graph{Start: []int32{0}}, [][]float64{nil, nil}, seed)
		return nil, nil, err
	}
	if err := checkPart(g, partOf, cells); err != nil {
		return nil, nil, err
	}
	part := partOf[cells[0]]
	whole := len(cells) == g.N()
	var localX, localY []float64
	if ordering == Hilbert {
		if len(x) != g.N() || len(y) != g.N() {
			return nil, nil, fmt.Errorf("order %q: %d x and %d y coordinates for %d cells: give one for each", ordering,
				len(x), len(y), g.N())
		}
		if localX, localY = x, y; !whole {
			localX, localY = gather(x, cells), gather(y, cells)
		}
	}
	sub := g
	switch {
	case whole:
	case ordering == RCM || ordering == GPS:
		sub = g.subgraph(cells)
	default:
		sub = Graph{Start: make([]int32, len(cells)+1)} // the other orderings need only the number of cells
	}
	perm, err := Order(ordering, sub, [][]float64{localX, localY}, seed^uint64(part))
	if err != nil {
		return nil, nil, fmt.Errorf("part %d, cells numbered within the part: %w", part, err)
	}
	if whole {
		return perm, nil, nil
	}
	onBoundary := make([]bool, len(perm))
	parallel.Ranges(len(perm), parallel.Parts(len(perm), verticesPerWorker), func(_, lo, hi int) {
		for i, local := range perm[lo:hi] {
			onBoundary[lo+i] = slices.ContainsFunc(g.Neighbours(cells[local]), func(u int32) bool { return partOf[u] != part })
		}
	})
	core = make([]int32, 0, len(cells))
	for i, local := range perm {
		if onBoundary[i] {
			boundary = append(boundary, cells[local])
		} else {
			core = append(core, cells[local])
		}
	}
	return core, boundary, nil
}

// checkPart refuses a list of cells that is not ascending or not of one part.
func checkPart(g Graph, partOf, cells []int32) error {
	if len(partOf) != g.N() {
		return fmt.Errorf("the partition has %d cells, the graph has %d", len(partOf), g.N())
	}
	fault := func(i int) error {
		switch cell := cells[i]; {
		case cell < 0 || int(cell) >= len(partOf):
			return fmt.Errorf("cell %d is not in 0..%d", cell, len(partOf)-1)
		case i > 0 && cell <= cells[i-1]:
			return fmt.Errorf("cell %d follows cell %d: the cells of a part must ascend", cell, cells[i-1])
		case i > 0 && partOf[cell] != partOf[cells[0]]:
			return fmt.Errorf("the cells are of several parts: cell %d is in part %d, cell %d in part %d", cells[0],
				partOf[cells[0]], cell, partOf[cell])
		}
		return nil
	}
	if err := fault(0); err != nil { // all others are compared with the first
		return err
	}
	if parallel.All(len(cells), verticesPerWorker, func(i int) bool { return fault(i) == nil }) {
		return nil
	}
	for i := range cells {
		if err := fault(i); err != nil {
			return err
		}
	}
	return nil
}

// gather returns values[indices[i]] for each i.
func gather(values []float64, indices []int32) []float64 {
	gathered := make([]float64, len(indices))
	for i, id := range indices {
		gathered[i] = values[id]
	}
	return gathered
}
