package terrain

import (
	"math"
	"slices"
)

// sizes is a grid of the sizes of edges on the map, with values at nodes.
type sizes struct {
	x0, y0, step  float64
	columns, rows int
	size          []float64 // by rows from the south
	inside        []bool    // nodes in the region
	region        int       // number of nodes inside
	scale         []float64 // of rows: the length of a metre of the ground on the map
}

// mostNodes bounds the nodes along the longer side of the grid.
const mostNodes = 2048

// newSizes returns a grid over a box with a step of at least the given one on the ground.
func newSizes(low, high [2]float64, step float64, scale func(y float64) float64) *sizes {
	extent := max(high[0]-low[0], high[1]-low[1])
	s := &sizes{step: max(step*min(scale(low[1]), scale((low[1]+high[1])/2), scale(high[1])), extent/mostNodes)}
	s.x0, s.y0 = low[0]-s.step, low[1]-s.step
	s.columns, s.rows = int((high[0]-low[0])/s.step)+4, int((high[1]-low[1])/s.step)+4
	s.size = make([]float64, s.columns*s.rows)
	s.inside = make([]bool, len(s.size))
	s.scale = make([]float64, s.rows)
	for row := range s.scale {
		_, y := s.node(0, row)
		s.scale[row] = scale(y)
	}
	return s
}

// at interpolates bilinearly.
func (s *sizes) at(x, y float64) float64 {
	u := min(max((x-s.x0)/s.step, 0), float64(s.columns-1))
	v := min(max((y-s.y0)/s.step, 0), float64(s.rows-1))
	i, j := min(int(u), s.columns-2), min(int(v), s.rows-2)
	u, v = u-float64(i), v-float64(j)
	k := j*s.columns + i
	low := s.size[k] + u*(s.size[k+1]-s.size[k])
	up := s.size[k+s.columns] + u*(s.size[k+s.columns+1]-s.size[k+s.columns])
	return low + v*(up-low)
}

// node returns the coordinates of a node.
func (s *sizes) node(column, row int) (x, y float64) {
	return s.x0 + float64(column)*s.step, s.y0 + float64(row)*s.step
}

// fill calls f with all nodes that are inside an odd number of rings.
func (s *sizes) fill(rings [][][2]float64, f func(node int)) {
	crossings := make([][]float64, s.rows) // columns at which rings cross each row
	for _, ring := range rings {
		for k := 1; k < len(ring); k++ {
			a, b := ring[k-1], ring[k]
			if a[1] > b[1] {
				a, b = b, a
			}
			first := max(0, int(math.Ceil((a[1]-s.y0)/s.step)))
			for row := first; row < s.rows; row++ {
				_, y := s.node(0, row)
				if !(y >= a[1]) {
					continue
				}
				if !(y < b[1]) {
					break
				}
				crossings[row] = append(crossings[row], (a[0]+(y-a[1])/(b[1]-a[1])*(b[0]-a[0])-s.x0)/s.step)
			}
		}
	}
	for row, list := range crossings {
		slices.Sort(list)
		for k := 1; k < len(list); k += 2 {
			for column := max(0, int(math.Ceil(list[k-1]))); column < s.columns && float64(column) < list[k]; column++ {
				f(row*s.columns + column)
			}
		}
	}
}

// lower lowers the sizes within a radius of a position, and at the nodes around it, to one that grows with the distance
// from there.
func (s *sizes) lower(x, y, size, radius, growth float64) {
	reach := radius + s.step
	first, last := int(max(0, (x-reach-s.x0)/s.step)), int(min(float64(s.columns-1), (x+reach-s.x0)/s.step))
	low, high := int(max(0, (y-reach-s.y0)/s.step)), int(min(float64(s.rows-1), (y+reach-s.y0)/s.step))
	for j := low; j <= high; j++ {
		for i := first; i <= last; i++ {
			nx, ny := s.node(i, j)
			k := j*s.columns + i
			s.size[k] = min(s.size[k], size+growth*max(0, math.Hypot(nx-x, ny-y)-radius))
		}
	}
}

// lowerAlong lowers the sizes along a line.
func (s *sizes) lowerAlong(l *Along, growth float64, scale func(y float64) float64) {
	lower := func(x, y float64) { s.lower(x, y, l.Size*scale(y), l.Width/2*scale(y), growth) }
	for k, p := range l.X {
		lower(p[0], p[1])
		if k == 0 {
			continue
		}
		q := l.X[k-1]
		spacing := max(0.5*s.step, 0.25*l.Width*min(scale(p[1]), scale(q[1])))
		n := int(math.Hypot(p[0]-q[0], p[1]-q[1])/spacing) + 1
		for i := range n {
			w := float64(i) / float64(n)
			lower(q[0]+w*(p[0]-q[0]), q[1]+w*(p[1]-q[1]))
		}
	}
}

// grade lowers sizes until none is larger than another one and growth times the distance, along the grid and its
// diagonals: two sweeps in opposite orders suffice in a rectangle.
func (s *sizes) grade(growth float64) {
	straight, diagonal := growth*s.step, growth*s.step*math.Sqrt2
	for row := range s.rows {
		for column := range s.columns {
			s.relax(column, row, -1, straight, diagonal)
		}
	}
	for row := s.rows - 1; row >= 0; row-- {
		for column := s.columns - 1; column >= 0; column-- {
			s.relax(column, row, 1, straight, diagonal)
		}
	}
}

// relax lowers the size of a node by those of the four neighbours before it in the order of a sweep.
func (s *sizes) relax(column, row, side int, straight, diagonal float64) {
	k := row*s.columns + column
	h := s.size[k]
	if c := column + side; c >= 0 && c < s.columns {
		h = min(h, s.size[k+side]+straight)
	}
	if r := row + side; r >= 0 && r < s.rows {
		up := k + side*s.columns
		h = min(h, s.size[up]+straight)
		if column > 0 {
			h = min(h, s.size[up-1]+diagonal)
		}
		if column+1 < s.columns {
			h = min(h, s.size[up+1]+diagonal)
		}
	}
	s.size[k] = h
}

// triangles is the number of triangles of these sizes in the region: one of edge h has the area √3/4 h².
func (s *sizes) triangles() float64 {
	sum := 0.0
	for k, h := range s.size {
		if s.inside[k] {
			sum += 1 / (h * h)
		}
	}
	return sum * s.step * s.step * 4 / math.Sqrt(3)
}
