package isovalue

import "github.com/atoll-hpc/atoll/mesh/vector"

// part is a part of a simplex on one side of the level.
type part struct {
	v    [4]int32
	side int8
}

// point returns the vertex at which the edge between two vertices is cut.
func (c *cutter) point(a, b int32) int32 { return c.points[edgeOf(a, b)] }

// replaced is a simplex with another vertex instead of one.
func replaced(v [4]int32, old, by int32) [4]int32 {
	for i := range v {
		if v[i] == old {
			v[i] = by
		}
	}
	return v
}

// sides sorts the vertices of a simplex by their sides, without changing the order of those of one side.
func (c *cutter) sides(v []int32) (below, on, above []int32) {
	for _, u := range v {
		switch c.side[u] {
		case -1:
			below = append(below, u)
		case 0:
			on = append(on, u)
		default:
			above = append(above, u)
		}
	}
	return below, on, above
}

// triangle returns the parts of a triangle, a cell or a face, with its orientation. A quadrilateral between four
// vertices is divided from the lowest of them, which is the same in all cells that have it.
func (c *cutter) triangle(v [3]int32) []part {
	below, on, above := c.sides(v[:])
	whole := [4]int32{v[0], v[1], v[2], -1}
	switch {
	case len(below) == 0 || len(above) == 0:
		return []part{{whole, c.sideOfWhole(below, above, v[:])}}
	case len(on) == 1:
		p := c.point(below[0], above[0])
		return []part{{replaced(whole, above[0], p), -1}, {replaced(whole, below[0], p), 1}}
	}
	side, lone := int8(-1), below[0]
	if len(above) == 1 {
		side, lone = 1, above[0]
	}
	i := 0
	for v[i] != lone {
		i++
	}
	b, d := v[(i+1)%3], v[(i+2)%3]
	p, q := c.point(lone, b), c.point(lone, d)
	parts := []part{{[4]int32{lone, p, q, -1}, side}}
	if b < d {
		return append(parts, part{[4]int32{p, b, q, -1}, -side}, part{[4]int32{b, d, q, -1}, -side})
	}
	return append(parts, part{[4]int32{p, b, d, -1}, -side}, part{[4]int32{p, d, q, -1}, -side})
}

// sideOfWhole is the side of a simplex that is not cut. One with all vertices on the level is where its centre is.
func (c *cutter) sideOfWhole(below, above []int32, v []int32) int8 {
	switch {
	case len(below) > 0:
		return -1
	case len(above) > 0:
		return 1
	}
	var centre [3]float64
	for _, u := range v {
		centre = vector.Plus(centre, 1/float64(len(v)), c.x[u])
	}
	if value, err := c.level(centre); err == nil && value < 0 {
		return -1
	}
	return 1
}

// tetrahedron returns the parts of a tetrahedron, of the same orientation.
func (c *cutter) tetrahedron(v [4]int32) (parts []part) {
	below, on, above := c.sides(v[:])
	if len(below) == 0 || len(above) == 0 {
		return []part{{v, c.sideOfWhole(below, above, v[:])}}
	}
	add := func(side int8, simplices ...[4]int32) {
		for _, s := range simplices {
			if c.volume(s) < 0 {
				s[2], s[3] = s[3], s[2]
			}
			parts = append(parts, part{s, side})
		}
	}
	few, many, side := below, above, int8(-1)
	if len(above) < len(below) {
		few, many, side = above, below, 1
	}
	switch {
	case len(on) == 2:
		p := c.point(few[0], many[0])
		return []part{{replaced(v, many[0], p), side}, {replaced(v, few[0], p), -side}}
	case len(few) == 1:
		tip := v
		cut := make([]int32, len(many))
		for i, u := range many {
			cut[i] = c.point(few[0], u)
			tip = replaced(tip, u, cut[i])
		}
		parts = append(parts, part{tip, side})
		if len(on) == 1 {
			add(-side, pyramid(on[0], [4]int32{many[0], many[1], cut[1], cut[0]})...)
		} else {
			add(-side, prism([3]int32(many), [3]int32(cut))...)
		}
	default:
		var cut [2][2]int32
		for i, a := range few {
			for j, b := range many {
				cut[i][j] = c.point(a, b)
			}
		}
		add(side, prism([3]int32{few[0], cut[0][0], cut[0][1]}, [3]int32{few[1], cut[1][0], cut[1][1]})...)
		add(-side, prism([3]int32{many[0], cut[0][0], cut[1][0]}, [3]int32{many[1], cut[0][1], cut[1][1]})...)
	}
	return parts
}

// pyramid returns the tetrahedra of a pyramid, whose base is divided from its lowest vertex.
func pyramid(apex int32, base [4]int32) [][4]int32 {
	low := lowest(base[:])
	return [][4]int32{{apex, base[low], base[(low+1)%4], base[(low+2)%4]},
		{apex, base[low], base[(low+2)%4], base[(low+3)%4]}}
}

// prism returns the tetrahedra of a prism between two triangles, whose sides are divided from their lowest vertices (J.
// Dompierre, P. Labbé, M.-G. Vallet and R. Camarero, "How to subdivide pyramids, prisms and hexahedra into tetrahedra",
// 8th Int. Meshing Roundtable, 1999).
func prism(a, b [3]int32) [][4]int32 {
	if i := lowest([]int32{a[0], a[1], a[2], b[0], b[1], b[2]}); i >= 3 {
		a, b = b, a
	}
	i := lowest(a[:])
	j, k := (i+1)%3, (i+2)%3
	return append(pyramid(a[i], [4]int32{a[j], a[k], b[k], b[j]}), [4]int32{a[i], b[0], b[1], b[2]})
}

// lowest returns the index of the lowest number.
func lowest(v []int32) (at int) {
	for i := range v {
		if v[i] < v[at] {
			at = i
		}
	}
	return at
}
