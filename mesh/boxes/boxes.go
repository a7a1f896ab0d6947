// Package boxes divides the bounding box of positions into a grid of boxes, through which edges and positions that are
// near to each other are found.
package boxes

import "math"

// Grid has N × N boxes, numbered row by row.
type Grid struct {
	N             int
	X, Y          float64 // lower corner
	Width, Height float64 // of a box
}

// New returns the grid over a bounding box with about as many boxes as are asked for.
func New(count int64, left, bottom, right, top float64) Grid {
	n := max(1, int(math.Ceil(math.Sqrt(float64(count)))))
	return Grid{n, left, bottom, (right - left) / float64(n), (top - bottom) / float64(n)}
}

// Of returns the box of a position.
func (g *Grid) Of(x, y float64) int {
	return index(g.N, y-g.Y, g.Height)*g.N + index(g.N, x-g.X, g.Width)
}

// index is the index, along one axis of n boxes, of that at a distance from the lower corner; size is that of a box.
func index(n int, distance, size float64) int {
	if !(distance > 0) {
		return 0
	}
	if k := distance / size; k < float64(n-1) {
		return int(k)
	}
	return n - 1 // also if size is 0 or infinite
}

// Along visits the boxes through which an edge passes.
func (g *Grid) Along(x0, y0, x1, y1 float64, visit func(box int)) {
	x0, y0, x1, y1 = x0-g.X, y0-g.Y, x1-g.X, y1-g.Y
	if x0 > x1 {
		x0, y0, x1, y1 = x1, y1, x0, y0
	}
	// Boxes are widened by more than the round-off with which positions are assigned to them.
	wide, tall := 1e-6*g.Width, 1e-6*g.Height
	for i := index(g.N, x0-wide, g.Width); i <= index(g.N, x1+wide, g.Width); i++ {
		low, high := y0, y1 // of the edge, within this column of boxes
		if x1 > x0 {
			slope := (y1 - y0) / (x1 - x0)
			low = y0 + slope*(min(x1, max(x0, float64(i)*g.Width-wide))-x0)
			high = y0 + slope*(max(x0, min(x1, float64(i+1)*g.Width+wide))-x0)
		}
		low, high = min(low, high)-tall, max(low, high)+tall
		for j := index(g.N, low, g.Height); j <= index(g.N, high, g.Height); j++ {
			visit(j*g.N + i)
		}
	}
}

// Around visits the boxes with positions up to a distance away along each axis.
func (g *Grid) Around(x, y, distance float64, visit func(box int)) {
	wide, tall := distance+1e-6*g.Width, distance+1e-6*g.Height
	x, y = x-g.X, y-g.Y
	for j := index(g.N, y-tall, g.Height); j <= index(g.N, y+tall, g.Height); j++ {
		for i := index(g.N, x-wide, g.Width); i <= index(g.N, x+wide, g.Width); i++ {
			visit(j*g.N + i)
		}
	}
}

// grazing is the sine of the largest angle between two directions that count as equal.
const grazing = 1e-9

// OnEdge reports whether v lies on the edge from a to b up to round-off, strictly between its ends.
func OnEdge(a, b, v [2]float64) bool {
	dx, dy := b[0]-a[0], b[1]-a[1]
	ux, uy := v[0]-a[0], v[1]-a[1]
	wx, wy := b[0]-v[0], b[1]-v[1]
	if !(dx*ux+dy*uy > 0 && dx*wx+dy*wy > 0) {
		return false
	}
	distance, length := math.Abs(dx*uy-dy*ux), math.Hypot(dx, dy)
	rounding := 8 * 0x1p-53 * max(math.Abs(v[0]), math.Abs(v[1])) // a few times the round-off of coordinates
	return distance <= length*max(rounding, grazing*min(math.Hypot(ux, uy), math.Hypot(wx, wy)))
}
