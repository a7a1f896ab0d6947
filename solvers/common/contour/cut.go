package contour

// cut adds the part of the contour in a simplex of a cell.
func (w *builder) cut(cell [3]int, s simplex, inside int) {
	count := w.Dim + 1
	in, out := make([]int, 0, 4), make([]int, 0, 4)
	odd := s.odd // orientation of (inside corners, outside corners)
	for _, corner := range s.corners[:count] {
		if inside>>corner&1 == 0 {
			out = append(out, corner)
			continue
		}
		odd = odd != (len(out)%2 == 1) // parity of the permutation that moves inside corners to the front
		in = append(in, corner)
	}
	p := func(a, b int) int32 { return w.point(cell, a, b) }
	switch {
	case len(in) == 0 || len(out) == 0:
	case count == 3 && len(in) == 1:
		w.add(odd, p(in[0], out[0]), p(in[0], out[1]))
	case count == 3:
		w.add(odd, p(in[1], out[0]), p(in[0], out[0]))
	case len(in) == 1:
		w.add(odd, p(in[0], out[0]), p(in[0], out[1]), p(in[0], out[2]))
	case len(in) == 3:
		w.add(odd, p(in[0], out[0]), p(in[1], out[0]), p(in[2], out[0]))
	default:
		a, b, c, d := p(in[0], out[0]), p(in[0], out[1]), p(in[1], out[1]), p(in[1], out[0])
		w.add(odd, a, b, c)
		w.add(odd, a, c, d)
	}
}

// add adds a segment or a triangle, with the opposite orientation if odd is true.
func (w *builder) add(odd bool, points ...int32) {
	if odd {
		last := len(points) - 1
		points[last-1], points[last] = points[last], points[last-1]
	}
	w.Simplices = append(w.Simplices, points...)
}

// point returns the zero between two corners of a cell, interpolated from the lower to the higher corner, so that all
// cells at the edge get the same bits.
func (w *builder) point(cell [3]int, a, b int) int32 {
	if a > b { // the higher corner has all bits of the lower one
		a, b = b, a
	}
	along := b ^ a
	var lower, upper [3]int
	id := int64(0)
	for d := 2; d >= 0; d-- {
		lower[d] = cell[d] + a>>d&1
		upper[d] = cell[d] + b>>d&1
		id = id*int64(w.Whole[d]) + int64(w.Lo[d]+lower[d])
	}
	id = id*8 + int64(along)
	if p, ok := w.known[id]; ok {
		return p
	}
	p := int32(len(w.ID))
	w.known[id] = p
	w.ID = append(w.ID, id)
	lo, hi := w.Values[w.index(lower[0], lower[1], lower[2])], w.Values[w.index(upper[0], upper[1], upper[2])]
	t := lo / (lo - hi)
	for d := range 3 {
		x := w.Coordinate(d, w.Lo[d]+lower[d])
		if along>>d&1 == 1 {
			x += t * (w.Coordinate(d, w.Lo[d]+upper[d]) - x)
		}
		w.Points = append(w.Points, x)
	}
	return p
}
