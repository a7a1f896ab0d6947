package grid

// Open tells whether other cells of the grid follow a block, below and above along an axis.
func (b *Block) Open(axis int) [2]bool {
	periodic := b.Grid.Periodic[axis]
	return [2]bool{periodic || b.Lo[axis] > 0, periodic || b.Lo[axis]+b.N[axis] < b.Grid.N[axis]}
}

// Walls lists the ghosts beyond the grid, and for each the nearest cell that is not: nothing changes across the
// boundary of the grid. (Extrapolation of higher order would leave [0, 1].) That cell may itself be a ghost that others
// own.
func (b *Block) Walls() (from, to []int32) {
	var n [3]int
	n[0], n[1], n[2] = b.Shape()
	near := func(axis, at int) int {
		open, ghost := b.Open(axis), b.GhostAlong(axis)
		if axis >= b.Grid.Dim {
			return at
		}
		if !open[0] {
			at = max(at, ghost)
		}
		if !open[1] {
			at = min(at, ghost+b.N[axis]-1)
		}
		return at
	}
	for k := range n[2] {
		for j := range n[1] {
			y, z := near(1, j), near(2, k)
			for i := 0; i < n[0]; i++ {
				if y == j && z == k && i == b.Ghost {
					i += b.N[0] // past the block
				}
				x := near(0, i)
				if x != i || y != j || z != k {
					from = append(from, int32(x+n[0]*(y+n[1]*z)))
					to = append(to, int32(i+n[0]*(j+n[1]*k)))
				}
			}
		}
	}
	return from, to
}

// Walled is how many cells Walls lists.
func (b *Block) Walled() int {
	var n [3]int
	n[0], n[1], n[2] = b.Shape()
	within := 1
	for axis := range 3 {
		if axis < b.Grid.Dim {
			for _, open := range b.Open(axis) {
				if !open {
					n[axis] -= b.GhostAlong(axis)
				}
			}
		}
		within *= n[axis]
	}
	return b.Len() - within
}
