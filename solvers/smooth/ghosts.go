package smooth

// spread finds the ghosts of every rank: the vertices of all triangles that touch an owned one. For deep ghosts it then
// follows the chains in a sweep: a vertex sees the new place of a neighbour whose turn came before, so that
// neighbour moves here too, which takes its own neighbours.
func (c *cutter) spread() {
	l := c.layout
	pairs := c.pairs()
	for _, cell := range l.mesh.Cells {
		a, b, d := c.owner[cell[0]], c.owner[cell[1]], c.owner[cell[2]]
		if a == b && b == d {
			continue
		}
		for _, r := range [3]int32{a, b, d} {
			for _, v := range cell {
				if c.owner[v] != r {
					pairs[r][v] = false
				}
			}
		}
	}
	c.take(pairs)
}

// pairs makes room for the ghosts of each rank, and whether they are copied.
func (c *cutter) pairs() []map[int32]bool {
	pairs := make([]map[int32]bool, len(c.owned))
	for r := range pairs {
		pairs[r] = map[int32]bool{}
	}
	return pairs
}

// take makes ghosts of the vertices of other ranks' that the cells of a rank have.
func (c *cutter) take(pairs []map[int32]bool) {
	l := c.layout
	for r := range pairs {
		if l.options.Deep {
			c.follow(int32(r), pairs[r])
		}
		for v, copied := range pairs[r] {
			c.ghosts[r] = append(c.ghosts[r], ghost{v, copied})
			if !copied && l.class[v] != fixed {
				c.needed[v] = true
			}
		}
	}
	if !l.clustered() {
		return
	}
	whole := map[int32]bool{}
	for v, k := range l.cluster {
		if k >= 0 && c.needed[v] {
			whole[k] = true
		}
	}
	for v, k := range l.cluster {
		c.needed[v] = k >= 0 && whole[k]
	}
}

// follow marks the ghosts that rank r has to move, and adds their neighbours.
func (c *cutter) follow(r int32, ghosts map[int32]bool) {
	l := c.layout
	var stack []int32
	reach := func(v int32) {
		for _, u := range l.rings.Of(v) {
			if c.owner[u] == r {
				continue
			}
			if copied, here := ghosts[u]; !here {
				ghosts[u] = false
			} else if copied {
				continue
			}
			if l.class[u] != fixed && l.turn[u] < l.turn[v] {
				ghosts[u] = true
				stack = append(stack, u)
			}
		}
	}
	for _, v := range c.owned[r] {
		if l.class[v] != fixed {
			reach(v)
		}
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		reach(v)
	}
}
