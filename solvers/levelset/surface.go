package levelset

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
)

// SurfaceField returns the level set with ghosts, of which SurfaceOf makes the interface.
func (s *solver[F]) SurfaceField(context.Context) (solvers.Field, error) {
	f := s.f[now].Data
	return solvers.Field{Name: "phi", Space: &solvers.Space{Owned: len(f)},
		View: func() solvers.View { return solvers.ViewOf[F](s.Env().Device, f, 0) }}, nil
}

// SurfaceOf returns the interface between the centres of the block's cells and of the next higher cells, so that there
// is no gap between blocks. It ends half a cell before walls, or, if closed is set, is continued to them and closed
// there. Any goroutine may call it.
func (s *solver[F]) SurfaceOf(field []float64, closed bool) *contour.Surface {
	b := s.block
	n := &contour.Nodes{Dim: b.Grid.Dim, N: b.N, Lo: b.Lo, Whole: b.Grid.N, Coordinate: func(axis, node int) float64 {
		if axis >= b.Grid.Dim {
			return b.Grid.Lo[axis]
		}
		return b.Grid.Centre(axis, node)
	}}
	for d := range b.Grid.Dim {
		if b.HasNeighbours(d)[1] || b.Grid.Periodic[d] {
			n.N[d]++
		}
		n.Whole[d]++ // along a periodic axis the first node occurs again at the end
	}
	var sides [3][2]bool
	if closed {
		sides = domain.SidesOf(b)
		s.addWalls(n, sides)
	}
	minValue := contour.MinDistance * float64(s.lattice.MinSide)
	size := n.N[0]
	if b.Grid.Dim == 3 {
		size *= n.N[1]
	}
	cell := func(axis, node int) int { // at a wall the next one
		if sides[axis][0] {
			node = max(0, node-1)
		}
		if sides[axis][1] {
			node = min(node, b.N[axis]-1)
		}
		return node
	}
	n.Layers = contour.LayersBy(size, func(layer int, values []float64) {
		for row := 0; row < size; row += n.N[0] {
			j, k := row/n.N[0], layer
			if b.Grid.Dim == 2 {
				j, k = layer, 0
			}
			from := field[b.Index(0, cell(1, j), cell(2, k)):]
			for i := range n.N[0] {
				v := from[cell(0, i)]
				if math.Abs(v) < minValue {
					v = math.Copysign(minValue, v+0) // -0 counts as outside, like 0
				}
				values[row+i] = v
			}
		}
	})
	if closed {
		_, longest := spacings(b.Grid)
		return n.Capped(sides, b.Grid.Periodic, 2*longest).Surface()
	}
	return n.Surface()
}

// addWalls adds nodes at the sides of the grid, where the level set is that of the next cell.
func (s *solver[F]) addWalls(n *contour.Nodes, sides [3][2]bool) {
	g, centre := s.block.Grid, n.Coordinate
	for d := range g.Dim {
		if g.Periodic[d] {
			continue
		}
		n.Whole[d] = g.N[d] + 2
		if sides[d][0] {
			n.N[d]++
		} else {
			n.Lo[d]++
		}
		if sides[d][1] {
			n.N[d]++
		}
	}
	n.Coordinate = func(axis, node int) float64 {
		switch {
		case axis >= g.Dim || g.Periodic[axis]:
			return centre(axis, node)
		case node == 0:
			return g.Lo[axis]
		case node > g.N[axis]:
			return g.Hi[axis]
		}
		return centre(axis, node-1)
	}
}
