package contour

// simplex is a part of a cell, given by corners of the cell: bit d of a corner is its position along axis d. Each
// corner has all bits of the corners before it, so that neighbouring cells have the same edges.
type simplex struct {
	corners [4]int
	odd     bool // negative orientation
}

// simplices are all paths from the lowest to the highest corner along the axes, by dimension.
var simplices = map[int][]simplex{
	2: {{corners: [4]int{0, 1, 3}}, {corners: [4]int{0, 2, 3}, odd: true}},
	3: {
		{corners: [4]int{0, 1, 3, 7}}, {corners: [4]int{0, 2, 6, 7}}, {corners: [4]int{0, 4, 5, 7}},
		{corners: [4]int{0, 2, 3, 7}, odd: true}, {corners: [4]int{0, 1, 5, 7}, odd: true},
		{corners: [4]int{0, 4, 6, 7}, odd: true},
	},
}

// builder makes the contour in some layers of cells, one layer after the other.
type builder struct {
	*Nodes
	Surface
	last   int          // the last axis
	values [2][]float64 // of the layers of nodes below and above the layer of cells
	inside [2]edgePoints
	across edgePoints
}

// edgePoints are the points on edges with their lower ends in a layer of nodes: either on those within the layer, or
// on those to the next layer. The key of an edge is edgesPerNode·node + its direction along the other axes, as bits.
type edgePoints struct {
	index []int32 // of the point on each edge, plus 1; 0 for none
	keys  []int   // of the edges with a point, in the order of their points
}

func (e *edgePoints) clear() {
	for _, key := range e.keys {
		e.index[key] = 0
	}
	e.keys = e.keys[:0]
}

// cut makes the contour in the layers [lo, hi) of cells.
func (n *Nodes) cut(lo, hi int) *part {
	w := &builder{Nodes: n, last: n.Dim - 1}
	edges := n.N[0] << w.last
	if n.Dim == 3 {
		edges *= n.N[1]
	}
	for _, e := range []*edgePoints{&w.inside[0], &w.inside[1], &w.across} {
		e.index = make([]int32, edges)
	}
	p := &part{}
	layer := lo - 1 // of cells, below the layer of nodes
	for values := range n.Layers(lo, hi+1) {
		w.values[0], w.values[1] = w.values[1], values
		if layer >= lo {
			w.cutLayer(layer)
			if layer == lo {
				p.first = w.inside[0].points()
			}
			w.inside[0].clear()
			w.across.clear()
			w.inside[0], w.inside[1] = w.inside[1], w.inside[0]
		}
		layer++
	}
	p.Surface, p.last = w.Surface, w.inside[0].points()
	return p
}

// points returns the points by the keys of their edges.
func (e *edgePoints) points() []edgePoint {
	list := make([]edgePoint, len(e.keys))
	for k, key := range e.keys {
		list[k] = edgePoint{key, e.index[key] - 1}
	}
	return list
}

// cutLayer cuts the cells in a layer.
func (w *builder) cutLayer(layer int) {
	if w.last == 1 {
		w.cutRow([][]float64{w.values[0], w.values[1]}, [3]int{0, layer, 0})
		return
	}
	n := w.N[0]
	for j := range w.N[1] - 1 {
		w.cutRow([][]float64{w.values[0][n*j : n*(j+1)], w.values[0][n*(j+1) : n*(j+2)],
			w.values[1][n*j : n*(j+1)], w.values[1][n*(j+1) : n*(j+2)]}, [3]int{0, j, layer})
	}
}

// cutRow cuts a row of cells along x, whose first one is cell. rows are the values of the nodes, by the bits of y and z
// of the cells' corners.
func (w *builder) cutRow(rows [][]float64, cell [3]int) {
	all := 1<<(2*len(rows)) - 1
	left := negative(rows, 0)
	for i := range w.N[0] - 1 {
		right := negative(rows, i+1)
		inside := left | right<<1 // a bit for each corner
		if left = right; inside == 0 || inside == all {
			continue
		}
		cell[0] = i
		for _, s := range simplices[w.Dim] {
			w.cut(cell, s, inside)
		}
	}
}

// negative returns an integer whose bit 2n is set if the i-th value of row n is negative.
func negative(rows [][]float64, i int) int {
	bits := 0
	for n, row := range rows {
		if row[i] < 0 {
			bits |= 1 << (2 * n)
		}
	}
	return bits
}

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
	edges := &w.across
	if along>>w.last == 0 {
		edges = &w.inside[a>>w.last]
	}
	key := w.node(cell, a)<<w.last | along&(1<<w.last-1)
	if p := edges.index[key]; p > 0 {
		return p - 1
	}
	p := int32(len(w.ID))
	edges.index[key] = p + 1
	edges.keys = append(edges.keys, key)
	lo, hi := w.values[a>>w.last][w.node(cell, a)], w.values[b>>w.last][w.node(cell, b)]
	t := lo / (lo - hi)
	id := int64(0)
	for d := 2; d >= 0; d-- {
		id = id*int64(w.Whole[d]) + int64(w.Lo[d]+cell[d]+a>>d&1)
	}
	w.ID = append(w.ID, id*8+int64(along))
	for d := range 3 {
		lower := w.Lo[d] + cell[d] + a>>d&1
		x := w.Coordinate(d, lower)
		if along>>d&1 == 1 {
			x += t * (w.Coordinate(d, lower+1) - x)
		}
		w.Points = append(w.Points, x)
	}
	return p
}

// node returns the index of a corner of a cell in its layer of nodes.
func (w *builder) node(cell [3]int, corner int) int {
	n := cell[0] + corner&1
	if w.last == 2 {
		n += w.N[0] * (cell[1] + corner>>1&1)
	}
	return n
}
