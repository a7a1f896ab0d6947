package terrain

import "math"

// crowd has the sizes at vertices of lines that are nearer to others than the step of the grid of sizes, which cannot
// have them: the ends of lines that just cross others, and corners of narrow gaps.
type crowd struct {
	growth, reach float64
	squares       squares[small]
}

// small is a size at a position.
type small struct{ x, y, size float64 }

// newCrowd returns an empty crowd for a grid with a step. Beyond two steps the grid has the sizes of all vertices.
func newCrowd(step, growth float64) *crowd {
	return &crowd{growth: growth, reach: 2 * step, squares: newSquares[small](2 * step)}
}

// add adds the size at a position to the squares that it may reach.
func (c *crowd) add(x, y, size float64) {
	c.squares.each(x-c.reach, y-c.reach, x+c.reach, y+c.reach, func(q square) {
		c.squares.in[q] = append(c.squares.in[q], small{x, y, size})
	})
}

// at returns the largest size at a position that the crowd allows.
func (c *crowd) at(x, y float64) float64 {
	size := math.Inf(1)
	for _, s := range c.squares.at(x, y) {
		if d := math.Hypot(x-s.x, y-s.y); d < c.reach {
			size = min(size, s.size+c.growth*d)
		}
	}
	return size
}
