package vof

import "github.com/atoll-hpc/atoll/solvers/common/contour"

// surface returns the zero contour of the distances.
func (c *corners) surface() *contour.Surface {
	c.average()
	b := c.block
	nodes := &contour.Nodes{Dim: b.Grid.Dim, N: c.n, Values: c.distance, Lo: b.Lo, Whole: b.Grid.N,
		Coordinate: func(axis, node int) float64 {
			if axis >= b.Grid.Dim {
				return b.Grid.Lo[axis]
			}
			return b.Grid.Face(axis, node)
		}}
	for d := range nodes.Whole {
		nodes.Whole[d]++
	}
	return nodes.Surface()
}
