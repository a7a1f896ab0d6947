package vof

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Surface is the interface as a mesh without gaps: segments in the plane, triangles in space. Planes of neighbouring
// cells do not meet, so it goes through none of them exactly. At each corner of a cell the signed distances to the planes
// of the mixed cells round it are averaged; the surface is where this is zero, linear along the edges of simplices (two
// triangles of each rectangle, six tetrahedra of each box, alike in all cells). It is closed within the grid whatever the
// distances are, and ends at its sides. What is thinner than a cell may be missing.
//
// A point has the same number and the same bits on all ranks that hold it.
type Surface struct {
	Points []float64 // x, y, z of each
	ID     []int64   // of each point in the whole grid
	// Simplices are points, 2 to a segment, which has the fluid on its left, or 3 to a triangle, which is seen
	// counter-clockwise from outside of the fluid.
	Simplices []int32
}

// Surface is that of the cells of the block.
func (s *solver[F]) Surface(ctx context.Context) (*Surface, error) {
	field, err := s.view(ctx, true)
	if err != nil {
		return nil, err
	}
	c := newCorners(s.block)
	lo, hi := [3]int{-1, -1, -1}, s.block.N
	if s.block.Grid.Dim == 2 {
		lo[2], hi[2] = 0, 0
	}
	for k := lo[2]; k <= hi[2]; k++ {
		for j := lo[1]; j <= hi[1]; j++ {
			for i := lo[0]; i <= hi[0]; i++ {
				if _, _, _, inside := s.block.Global(i, j, k); !inside {
					continue
				}
				at := s.block.Index(i, j, k)
				f := float64(field[at])
				var m [3]float64
				alpha, mixed := 0.0, s.mixed(f)
				if mixed {
					m, alpha = s.unitPlane(field, at)
					mixed = m != [3]float64{}
				}
				c.add(i, j, k, f, m, alpha, mixed)
			}
		}
	}
	return c.surface(), nil
}

// unitPlane is the plane m·ξ = α of a mixed cell in unit coordinates.
func (s *solver[F]) unitPlane(field []F, at int) (m [3]float64, alpha float64) {
	if s.block.Grid.Dim == 2 {
		p := kernels.PlaneOf2(field, at, lattice(s.block), s.cfg.way(), nudge[F]())
		return [3]float64{float64(p.X), float64(p.Y), 0}, float64(p.Alpha)
	}
	p := kernels.PlaneOf3(field, at, lattice(s.block), s.cfg.way(), nudge[F]())
	return [3]float64{float64(p.X), float64(p.Y), float64(p.Z)}, float64(p.Alpha)
}

// corners gathers distances at the corners of a block's cells.
type corners struct {
	block    *grid.Block
	n        [3]int // corners along each axis; 1 along z in the plane
	distance []float64
	planes   []uint8 // that a distance is the sum of
	fluid    []float64
	cells    []uint8 // that fluid is the sum of
}

func newCorners(b *grid.Block) *corners {
	c := &corners{block: b, n: [3]int{b.N[0] + 1, b.N[1] + 1, 1}}
	if b.Grid.Dim == 3 {
		c.n[2] = b.N[2] + 1
	}
	total := c.n[0] * c.n[1] * c.n[2]
	c.distance, c.fluid = make([]float64, total), make([]float64, total)
	c.planes, c.cells = make([]uint8, total), make([]uint8, total)
	return c
}

func (c *corners) index(i, j, k int) int { return i + c.n[0]*(j+c.n[1]*k) }

// add gives a cell's volume fraction and distances to its corners. Cells come in the same order at every corner,
// whichever block it is of, since they come x fastest.
func (c *corners) add(i, j, k int, f float64, m [3]float64, alpha float64, mixed bool) {
	g, size := c.block.Grid, 0.0
	for d := range g.Dim {
		size += m[d] / g.Spacing(d) * (m[d] / g.Spacing(d))
	}
	size = math.Sqrt(size)
	for bits := range 1 << g.Dim {
		x, y, z := i+bits&1, j+bits>>1&1, k+bits>>2&1
		if x < 0 || y < 0 || z < 0 || x >= c.n[0] || y >= c.n[1] || z >= c.n[2] {
			continue
		}
		at := c.index(x, y, z)
		c.fluid[at] += f
		c.cells[at]++
		if !mixed {
			continue
		}
		along := -alpha
		for d := range g.Dim {
			if bits>>d&1 == 1 {
				along += m[d]
			}
		}
		c.distance[at] += along / size
		c.planes[at]++
	}
}

// average makes distances of sums. Where no plane is near, the fluid around tells the side.
func (c *corners) average() {
	h := math.Inf(1)
	for d := range c.block.Grid.Dim {
		h = min(h, c.block.Grid.Spacing(d))
	}
	for at, n := range c.planes {
		if n > 0 {
			c.distance[at] /= float64(n)
		} else {
			c.distance[at] = h * (0.5 - c.fluid[at]/float64(c.cells[at]))
		}
	}
}
