package layout

// findGhosts finds the ghosts of every rank: the vertices of all triangles with an owned vertex. For a deep halo it
// adds what these depend on within a sweep: a vertex reads the new position of a neighbour in an earlier set, so this
// rank moves that neighbour too, as a copy, and needs the copy's neighbours.
func (c *partMaker) findGhosts() {
	l := c.layout
	moves := c.ghostMoves()
	for _, cell := range l.mesh.Cells {
		a, b, d := c.owner[cell[0]], c.owner[cell[1]], c.owner[cell[2]]
		if a == b && b == d {
			continue
		}
		for _, r := range [3]int32{a, b, d} {
			for _, v := range cell {
				if c.owner[v] != r {
					moves[r][v] = 0
				}
			}
		}
	}
	c.addGhosts(moves)
}

// ghostMoves returns an empty map for each rank, of the number of times that the rank moves a ghost between two
// exchanges.
func (c *partMaker) ghostMoves() []map[int32]int8 {
	moves := make([]map[int32]int8, len(c.owned))
	for r := range moves {
		moves[r] = map[int32]int8{}
	}
	return moves
}

// addGhosts sets the ghosts of each rank to the vertices of its map, including, for a deep halo, those that copies
// need.
func (c *partMaker) addGhosts(moves []map[int32]int8) {
	l := c.layout
	for r := range moves {
		if l.options.Deep {
			c.addCopies(int32(r), moves[r])
		}
		for v, times := range moves[r] {
			c.ghosts[r] = append(c.ghosts[r], ghost{v, times > 0, times})
			if times == 0 && l.Class[v] != fixed && !l.options.Deep {
				c.neededElsewhere[v] = true
			}
		}
	}
}

// addCopies computes how often rank r moves each ghost in the sweeps of a batch, and adds the neighbours of those
// that it moves: a neighbour in an earlier set moves as often, any other once less.
func (c *partMaker) addCopies(r int32, ghosts map[int32]int8) {
	l := c.layout
	type moved struct {
		vertex int32
		times  int8
	}
	var stack []moved
	reach := func(v moved) {
		for _, u := range l.rings.Of(v.vertex) {
			if c.owner[u] == r {
				continue
			}
			times := v.times - 1
			switch {
			case l.Class[u] == fixed:
				times = 0
			case l.set[u] < l.set[v.vertex]:
				times = v.times
			}
			if already, here := ghosts[u]; here && already >= times {
				continue
			}
			if ghosts[u] = times; times > 0 {
				stack = append(stack, moved{u, times})
			}
		}
	}
	for _, v := range c.owned[r] {
		if l.Class[v] != fixed {
			reach(moved{v, int8(l.options.batchSweeps())})
		}
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		reach(v)
	}
}
