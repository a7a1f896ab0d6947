package layout

// spread finds the ghosts of every rank: the vertices of all triangles that touch an owned one. For deep ghosts it then
// follows the chains in a sweep: a vertex sees the new position of a neighbour whose set came before, so that
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
					pairs[r][v] = 0
				}
			}
		}
	}
	c.take(pairs)
}

// pairs makes room for the ghosts of each rank, and how often they move there with one exchange.
func (c *cutter) pairs() []map[int32]int8 {
	pairs := make([]map[int32]int8, len(c.owned))
	for r := range pairs {
		pairs[r] = map[int32]int8{}
	}
	return pairs
}

// take makes ghosts of the vertices of other ranks' that the cells of a rank have.
func (c *cutter) take(pairs []map[int32]int8) {
	l := c.layout
	for r := range pairs {
		if l.options.Deep {
			c.follow(int32(r), pairs[r])
		}
		for v, moves := range pairs[r] {
			c.ghosts[r] = append(c.ghosts[r], ghost{v, moves > 0, moves})
			if moves == 0 && l.Class[v] != fixed {
				c.needed[v] = true
			}
		}
	}
}

// follow finds how often rank r moves which ghosts in the sweeps of a batch, and adds their neighbours.
func (c *cutter) follow(r int32, ghosts map[int32]int8) {
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
			reach(moved{v, int8(l.options.batch())})
		}
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		reach(v)
	}
}
