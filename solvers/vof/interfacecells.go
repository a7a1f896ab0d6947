package vof

// simplex is one of those that a cell is cut into, by its corners: bit d of a corner is its place along axis d. Each
// corner has the bits of those before it, so that edges are the same for both cells or boxes that they are of.
type simplex struct {
	corners [4]int
	odd     bool // the simplex is turned against the axes
}

// simplices are all paths from the lowest corner to the highest one along axes, in the plane and in space.
var simplices = map[int][]simplex{
	2: {{corners: [4]int{0, 1, 3}}, {corners: [4]int{0, 2, 3}, odd: true}},
	3: {
		{corners: [4]int{0, 1, 3, 7}}, {corners: [4]int{0, 2, 6, 7}}, {corners: [4]int{0, 4, 5, 7}},
		{corners: [4]int{0, 2, 3, 7}, odd: true}, {corners: [4]int{0, 1, 5, 7}, odd: true},
		{corners: [4]int{0, 4, 6, 7}, odd: true},
	},
}

// surfacing is a surface in the making.
type surfacing struct {
	*corners
	Surface
	known map[int64]int32 // points by their number
}

// surface is where the distances change their sign.
func (c *corners) surface() *Surface {
	c.average()
	w := &surfacing{corners: c, known: map[int64]int32{}}
	b := c.block
	all := 1 << b.Grid.Dim
	for k := range b.N[2] {
		for j := range b.N[1] {
			for i := range b.N[0] {
				fluid := 0 // a bit for each corner
				for bits := range all {
					if c.distance[c.index(i+bits&1, j+bits>>1&1, k+bits>>2)] < 0 {
						fluid |= 1 << bits
					}
				}
				if fluid == 0 || fluid == 1<<all-1 {
					continue
				}
				for _, s := range simplices[b.Grid.Dim] {
					w.cut([3]int{i, j, k}, s, fluid)
				}
			}
		}
	}
	return &w.Surface
}

// cut adds what lies in a simplex of a cell.
func (w *surfacing) cut(cell [3]int, s simplex, fluid int) {
	count := w.block.Grid.Dim + 1
	in, out := make([]int, 0, 4), make([]int, 0, 4)
	odd := s.odd
	for _, corner := range s.corners[:count] {
		if fluid>>corner&1 == 0 {
			out = append(out, corner)
			continue
		}
		odd = odd != (len(out)%2 == 1) // it passes those outside
		in = append(in, corner)
	}
	p := func(a, b int) int32 { return w.point(cell, a, b) }
	switch {
	case len(in) == 0 || len(out) == 0:
	case count == 3 && len(in) == 1:
		w.join(odd, p(in[0], out[0]), p(in[0], out[1]))
	case count == 3:
		w.join(odd, p(in[1], out[0]), p(in[0], out[0]))
	case len(in) == 1:
		w.join(odd, p(in[0], out[0]), p(in[0], out[1]), p(in[0], out[2]))
	case len(in) == 3:
		w.join(odd, p(in[0], out[0]), p(in[1], out[0]), p(in[2], out[0]))
	default:
		a, b, c, d := p(in[0], out[0]), p(in[0], out[1]), p(in[1], out[1]), p(in[1], out[0])
		w.join(odd, a, b, c)
		w.join(odd, a, c, d)
	}
}

// join adds a segment or a triangle, the other way round if it is odd.
func (w *surfacing) join(odd bool, points ...int32) {
	if odd {
		last := len(points) - 1
		points[last-1], points[last] = points[last], points[last-1]
	}
	w.Simplices = append(w.Simplices, points...)
}

// point is where the distance is zero between two corners of a cell. It is found from the lower to the higher one, so
// that all cells round the edge have the same.
func (w *surfacing) point(cell [3]int, from, to int) int32 {
	if from > to { // of two corners of a simplex the higher one has the bits of the lower one
		from, to = to, from
	}
	g, along := w.block.Grid, to^from
	var at, next [3]int
	id := int64(0)
	for d := 2; d >= 0; d-- {
		at[d] = cell[d] + from>>d&1
		next[d] = cell[d] + to>>d&1
		id = id*int64(g.N[d]+1) + int64(w.block.Lo[d]+at[d])
	}
	id = id*8 + int64(along)
	if p, ok := w.known[id]; ok {
		return p
	}
	p := int32(len(w.ID))
	w.known[id] = p
	w.ID = append(w.ID, id)
	lo, hi := w.distance[w.index(at[0], at[1], at[2])], w.distance[w.index(next[0], next[1], next[2])]
	t := lo / (lo - hi)
	for d := range 3 {
		x := g.Lo[2]
		if d < g.Dim {
			x = g.Face(d, w.block.Lo[d]+at[d])
			if along>>d&1 == 1 {
				x += t * (g.Face(d, w.block.Lo[d]+next[d]) - x)
			}
		}
		w.Points = append(w.Points, x)
	}
	return p
}
