package terrain

import "math"

// crowd has the sizes at vertices of lines that are nearer to others than the step of the grid of sizes, which cannot
// have them: the ends of lines that just cross others, and corners of narrow gaps.
type crowd struct {
	growth, reach float64
	squares       map[square][]small
}

// small is a size at a position.
type small struct{ x, y, size float64 }

// newCrowd returns an empty crowd for a grid with a step. Beyond two steps the grid has the sizes of all vertices.
func newCrowd(step, growth float64) *crowd {
	return &crowd{growth: growth, reach: 2 * step, squares: map[square][]small{}}
}

func (c *crowd) square(x, y float64) square {
	return square{int(math.Floor(x / c.reach)), int(math.Floor(y / c.reach))}
}

// add adds the size at a position to the squares that it may reach.
func (c *crowd) add(x, y, size float64) {
	at := c.square(x, y)
	for column := at.column - 1; column <= at.column+1; column++ {
		for row := at.row - 1; row <= at.row+1; row++ {
			q := square{column, row}
			c.squares[q] = append(c.squares[q], small{x, y, size})
		}
	}
}

// at returns the largest size at a position that the crowd allows.
func (c *crowd) at(x, y float64) float64 {
	size := math.Inf(1)
	for _, s := range c.squares[c.square(x, y)] {
		if d := math.Hypot(x-s.x, y-s.y); d < c.reach {
			size = min(size, s.size+c.growth*d)
		}
	}
	return size
}
