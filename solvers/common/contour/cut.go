package contour

// cut adds what lies in a simplex of a cell.
func (w *surfacing) cut(cell [3]int, s simplex, inside int) {
	count := w.Dim + 1
	in, out := make([]int, 0, 4), make([]int, 0, 4)
	odd := s.odd
	for _, corner := range s.corners[:count] {
		if inside>>corner&1 == 0 {
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

// point is where the numbers are 0 between two corners of a cell. It is found from the lower to the higher one, so that
// all cells round the edge have the same.
func (w *surfacing) point(cell [3]int, from, to int) int32 {
	if from > to { // of two corners of a simplex the higher one has the bits of the lower one
		from, to = to, from
	}
	along := to ^ from
	var at, next [3]int
	id := int64(0)
	for d := 2; d >= 0; d-- {
		at[d] = cell[d] + from>>d&1
		next[d] = cell[d] + to>>d&1
		id = id*int64(w.Whole[d]) + int64(w.Lo[d]+at[d])
	}
	id = id*8 + int64(along)
	if p, ok := w.known[id]; ok {
		return p
	}
	p := int32(len(w.ID))
	w.known[id] = p
	w.ID = append(w.ID, id)
	lo, hi := w.Values[w.index(at[0], at[1], at[2])], w.Values[w.index(next[0], next[1], next[2])]
	t := lo / (lo - hi)
	for d := range 3 {
		x := w.At(d, w.Lo[d]+at[d])
		if along>>d&1 == 1 {
			x += t * (w.At(d, w.Lo[d]+next[d]) - x)
		}
		w.Points = append(w.Points, x)
	}
	return p
}
