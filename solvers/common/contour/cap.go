package contour

import "iter"

// Capped returns the nodes with a further layer at each of the given sides of the grid, at the position of the last
// layer there. Its values are outside, so that the contour is closed along these sides. outside is a positive value: if
// the values are distances, of at least two sides of a cell, so that no part of the contour folds back. All ranks must
// give a side that their parts have; along axes without sides the grid is periodic.
func (n *Nodes) Capped(sides [3][2]bool, periodic [3]bool, outside float64) *Nodes {
	c := *n
	for d := range n.Dim {
		if periodic[d] {
			continue
		}
		c.Whole[d] += 2
		if sides[d][0] {
			c.N[d]++
		} else {
			c.Lo[d]++
		}
		if sides[d][1] {
			c.N[d]++
		}
	}
	c.Coordinate = func(axis, node int) float64 {
		if axis < n.Dim && !periodic[axis] {
			node = min(max(node-1, 0), n.Whole[axis]-1)
		}
		return n.Coordinate(axis, node)
	}
	c.Layers = func(first, end int) iter.Seq[[]float64] { return n.cappedLayers(&c, sides, outside, first, end) }
	return &c
}

// cappedLayers yields the layers of the capped nodes c from first on.
func (n *Nodes) cappedLayers(c *Nodes, sides [3][2]bool, outside float64, first, end int) iter.Seq[[]float64] {
	last := n.Dim - 1
	below := 0
	if sides[last][0] {
		below = 1
	}
	size := c.N[0]
	if n.Dim == 3 {
		size *= c.N[1]
	}
	return func(yield func([]float64) bool) {
		var layers [2][]float64
		for k := range layers {
			layers[k] = make([]float64, size)
		}
		next, stop := iter.Pull(n.Layers(max(0, first-below), min(n.N[last], max(0, end-below))))
		defer stop()
		for layer := first; layer < end; layer++ {
			to := layers[layer%2]
			for i := range to {
				to[i] = outside
			}
			if base := layer - below; base >= 0 && base < n.N[last] {
				values, _ := next()
				n.copyLayer(c, sides, values, to)
			}
			if !yield(to) {
				return
			}
		}
	}
}

// copyLayer copies the values of a layer into one of the capped nodes c.
func (n *Nodes) copyLayer(c *Nodes, sides [3][2]bool, values, to []float64) {
	left, rows, below := 0, 1, 0
	if sides[0][0] {
		left = 1
	}
	if n.Dim == 3 {
		rows = n.N[1]
		if sides[1][0] {
			below = 1
		}
	}
	for j := range rows {
		copy(to[(j+below)*c.N[0]+left:], values[j*n.N[0]:(j+1)*n.N[0]])
	}
}
