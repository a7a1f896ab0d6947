package grid

// HasNeighbours reports whether a block has neighbours, {below, above} along an axis: false at a boundary of the grid
// that is not periodic.
func (b *Block) HasNeighbours(axis int) [2]bool {
	periodic := b.Grid.Periodic[axis]
	return [2]bool{periodic || b.Lo[axis] > 0, periodic || b.Lo[axis]+b.N[axis] < b.Grid.N[axis]}
}

// BoundaryGhosts returns, for each ghost outside the grid, its index in an array, to, and the index of the nearest
// cell inside the grid, from, whose value the ghost takes: zero gradient across the boundary. (Extrapolation of
// higher order could leave the range [0, 1] of volume fractions.) The cell inside may be a ghost too.
func (b *Block) BoundaryGhosts() (from, to []int32) {
	var n [3]int
	n[0], n[1], n[2] = b.Shape()
	nearest := func(axis, i int) int {
		hasNeighbour, ghost := b.HasNeighbours(axis), b.GhostAlong(axis)
		if axis >= b.Grid.Dim {
			return i
		}
		if !hasNeighbour[0] {
			i = max(i, ghost)
		}
		if !hasNeighbour[1] {
			i = min(i, ghost+b.N[axis]-1)
		}
		return i
	}
	for k := range n[2] {
		for j := range n[1] {
			y, z := nearest(1, j), nearest(2, k)
			for i := 0; i < n[0]; i++ {
				if y == j && z == k && i == b.Ghost {
					i += b.N[0] // skip the owned cells
				}
				x := nearest(0, i)
				if x != i || y != j || z != k {
					from = append(from, int32(x+n[0]*(y+n[1]*z)))
					to = append(to, int32(i+n[0]*(j+n[1]*k)))
				}
			}
		}
	}
	return from, to
}

// BoundaryGhostCount returns the number of ghosts that BoundaryGhosts returns.
func (b *Block) BoundaryGhostCount() int {
	var n [3]int
	n[0], n[1], n[2] = b.Shape()
	inside := 1
	for axis := range 3 {
		if axis < b.Grid.Dim {
			for _, hasNeighbour := range b.HasNeighbours(axis) {
				if !hasNeighbour {
					n[axis] -= b.GhostAlong(axis)
				}
			}
		}
		inside *= n[axis]
	}
	return b.Len() - inside
}
