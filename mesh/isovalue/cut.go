// Package isovalue cuts a mesh of triangles or tetrahedra along a level of a function, so that the level becomes an
// interface between materials: edges in the plane, faces in space. Vertices of the interface are where the function
// has the value, up to rounding, on the edges of the mesh. Vertices nearby are moved there first, as in F. Labelle
// and J. R. Shewchuk, "Isosurface stuffing" (ACM Trans. Graph. 26 (2007) 57), since slivers would be cut off there.
// The area or volume on either side is exact to second order in the size of cells.
package isovalue

import (
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Level is a continuous function. Its value, less that at which a mesh is cut, is negative below the level.
type Level func(x, y, z float64) (float64, error)

const (
	moveWithin = 0.25 // a vertex may move to a crossing nearer than this share of the edge
	keepVolume = 0.3  // a move leaves each cell this share of its volume at least
	snapWithin = 1e-4 // a vertex that may not move counts as on the level nearer than this
)

// cutter cuts a mesh.
type cutter struct {
	dim    int
	x      [][3]float64
	cells  [][4]int32 // in the plane the last is not used
	level  func(p [3]float64) (float64, error)
	side   []int8             // of each vertex: below (-1), on (0) or above (1) the level
	points map[[2]int32]int32 // the vertex at which an edge is cut, by its ends in ascending order
	share  map[[2]int32]float64
}

// sideOf is the side of a value.
func sideOf(value float64) int8 {
	switch {
	case value < 0:
		return -1
	case value > 0:
		return 1
	}
	return 0
}

// cutAll finds the sides of all vertices, moves those near the level that neither held nor marks hold, and adds the
// vertices at which edges are cut.
func (c *cutter) cutAll(k *mesh.Marks, held []bool) error {
	if err := hold(k, held); err != nil {
		return err
	}
	c.side = make([]int8, len(c.x))
	low, high := math.Inf(1), math.Inf(-1)
	for v, p := range c.x {
		value, err := c.level(p)
		if err != nil {
			return err
		}
		if math.IsNaN(value) {
			return fmt.Errorf("the function has no value at %v", p)
		}
		c.side[v] = sideOf(value)
		low, high = min(low, value), max(high, value)
	}
	if !(low < 0 && high > 0) {
		return fmt.Errorf("the level does not cross the mesh: at its vertices the function less the level is %.6g to %.6g",
			low, high)
	}
	if err := c.findCrossings(); err != nil {
		return err
	}
	c.moveNear(held)
	for _, e := range c.edges() {
		if c.side[e[0]]*c.side[e[1]] < 0 {
			c.points[e] = int32(len(c.x))
			c.x = append(c.x, c.between(e))
		}
	}
	if len(c.x) > math.MaxInt32 {
		return errors.New("the cut mesh would have too many vertices")
	}
	return nil
}

// edges returns the edges of the cells, each once, in the order of the cells.
func (c *cutter) edges() (list [][2]int32) {
	seen := map[[2]int32]bool{}
	for _, v := range c.cells {
		for i := range c.dim + 1 {
			for j := range i {
				// Those between two vertices on one side are never cut.
				if e := edgeOf(v[i], v[j]); c.side[e[0]] != c.side[e[1]] && !seen[e] {
					seen[e] = true
					list = append(list, e)
				}
			}
		}
	}
	return list
}

func edgeOf(a, b int32) [2]int32 { return [2]int32{min(a, b), max(a, b)} }

// between returns the position at which an edge is cut.
func (c *cutter) between(e [2]int32) [3]float64 {
	return vector.Plus(c.x[e[0]], c.share[e], vector.Minus(c.x[e[1]], c.x[e[0]]))
}

// findCrossings finds by bisection where the function changes its sign on edges.
func (c *cutter) findCrossings() error {
	c.points, c.share = map[[2]int32]int32{}, map[[2]int32]float64{}
	for _, e := range c.edges() {
		if c.side[e[0]] == 0 || c.side[e[1]] == 0 {
			continue
		}
		from, to := 0.0, 1.0
		for to-from > 1e-15 {
			c.share[e] = from + (to-from)/2
			value, err := c.level(c.between(e))
			if err != nil {
				return err
			}
			switch side := sideOf(value); {
			case side == 0:
				from, to = c.share[e], c.share[e]
			case side == c.side[e[0]]:
				from = c.share[e]
			default:
				to = c.share[e]
			}
		}
	}
	return nil
}

// moveNear moves vertices to the nearest crossing on their edges, one after the other, in the order of their ids.
func (c *cutter) moveNear(held []bool) {
	type crossing struct {
		edge [2]int32
		away float64 // share of the edge
	}
	nearest := make([]crossing, len(c.x))
	for _, e := range c.edges() {
		t, ok := c.share[e]
		if !ok {
			continue
		}
		for k, away := range [2]float64{t, 1 - t} {
			if n := &nearest[e[k]]; n.edge == [2]int32{} || away < n.away {
				*n = crossing{e, away}
			}
		}
	}
	around := make([][]int32, len(c.x))
	for k, v := range c.cells {
		for _, u := range v[:c.dim+1] {
			if nearest[u].edge != [2]int32{} {
				around[u] = append(around[u], int32(k))
			}
		}
	}
	for v := range nearest {
		n := &nearest[v]
		if n.edge == [2]int32{} || c.side[n.edge[0]]*c.side[n.edge[1]] >= 0 { // its other end has moved
			continue
		}
		switch {
		case held[v] && n.away < snapWithin:
			c.side[v] = 0
		case !held[v] && n.away < moveWithin && c.move(int32(v), c.between(n.edge), around[v]):
			c.side[v] = 0
		}
	}
}

// move moves a vertex, unless a cell around it would become too small.
func (c *cutter) move(v int32, to [3]float64, around []int32) bool {
	from := c.x[v]
	for _, k := range around {
		before := c.volume(c.cells[k])
		c.x[v] = to
		after := c.volume(c.cells[k])
		if c.x[v] = from; after < keepVolume*before {
			return false
		}
	}
	c.x[v] = to
	return true
}

// volume returns the area or volume of a cell, up to a factor.
func (c *cutter) volume(v [4]int32) float64 {
	a, b := vector.Minus(c.x[v[1]], c.x[v[0]]), vector.Minus(c.x[v[2]], c.x[v[0]])
	if c.dim == 2 {
		return a[0]*b[1] - a[1]*b[0]
	}
	return vector.Dot(vector.Cross(a, b), vector.Minus(c.x[v[3]], c.x[v[0]]))
}
