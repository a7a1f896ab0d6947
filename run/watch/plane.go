package watch

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// mostPixels is how wide and high a picture is at most.
const mostPixels = 640

// Plane is what a picture shows: a rectangle of the plane, or the projection of a box along z. It is the same on all
// ranks.
type Plane struct {
	Lo, Hi        [3]float64 // bounds of the mesh or grid over all ranks
	Space         bool       // there is a third axis
	Width, Height int        // pixels
}

// Bounds is the box around what a rank has, for NewPlane: corners of minimum and of negated maximum, so that one
// reduction by minimum serves both. A rank that has nothing has +Inf.
func Bounds(g solvers.Geometry) (b [6]float64) {
	for k := range b {
		b[k] = math.Inf(1)
	}
	if g.Block != nil {
		for axis := range g.Block.Dim {
			b[axis] = g.Block.Origin[axis]
			b[3+axis] = -b[axis] - g.Block.Spacing[axis]*float64(g.Block.Whole[axis])
		}
		if g.Block.Dim == 2 {
			b[2], b[5] = 0, 0
		}
		return b
	}
	for i, x := range g.Mesh.Points {
		b[i%3] = min(b[i%3], x)
		b[3+i%3] = min(b[3+i%3], -x)
	}
	return b
}

// NewPlane lays out the pictures of what has these bounds, of all ranks. Those of a grid have no more pixels than it
// has cells.
func NewPlane(b [6]float64, g solvers.Geometry) (Plane, error) {
	p := Plane{Lo: [3]float64(b[:3])}
	for axis := range p.Hi {
		p.Hi[axis] = -b[3+axis]
	}
	p.Space = p.Hi[2] > p.Lo[2]
	wide, high := p.Hi[0]-p.Lo[0], p.Hi[1]-p.Lo[1]
	if !(wide > 0 && high > 0) || math.IsInf(wide, 0) || math.IsInf(high, 0) {
		return p, fmt.Errorf("there is no area to show: %g by %g", wide, high)
	}
	scale := mostPixels / max(wide, high)
	p.Width, p.Height = max(1, int(math.Round(wide*scale))), max(1, int(math.Round(high*scale)))
	if g.Block != nil {
		p.Width, p.Height = min(p.Width, g.Block.Whole[0]), min(p.Height, g.Block.Whole[1])
	}
	return p, nil
}

// Tile is a rank's part of a picture: a number for each pixel of a rectangle, row by row from above. None is where it
// has nothing to show, NaN where its number is not finite.
type Tile struct {
	X, Y, W, H int
	Values     []float64
}

// None is the value of a pixel outside the mesh; Masked of one where the field is not defined, such as the velocity of
// a dry cell.
var (
	None   = math.Inf(1)
	Masked = math.Inf(-1)
)

// Ends returns the least finite value and the greatest, negated, so that one reduction by minimum serves both; +Inf
// where there are none.
func (t *Tile) Ends() (least, negatedMost float64) {
	least, negatedMost = math.Inf(1), math.Inf(1)
	for _, v := range t.Values {
		if v-v == 0 {
			least, negatedMost = min(least, v), min(negatedMost, -v)
		}
	}
	return least, negatedMost
}

// Along says how the values of a column of cells along z are projected to one pixel.
type Along string

const (
	Largest  Along = "the largest along z"
	Smallest Along = "the smallest along z"
)

// Block draws the values of the cells of a block of a grid, x fastest; in space it projects each column along z.
func (p *Plane) Block(m *vtk.Image, values []float64, along Along) *Tile {
	columns := values
	if m.Dim == 3 {
		columns = project(m.Box, values, along)
	}
	first := func(axis, pixels, at int) int { // pixel whose centre is the first in the cell
		return int(math.Ceil(float64(at)*float64(pixels)/float64(m.Whole[axis]) - 0.5))
	}
	t := &Tile{X: first(0, p.Width, m.Lo[0])}
	t.W = first(0, p.Width, m.Lo[0]+m.N[0]) - t.X
	low, high := first(1, p.Height, m.Lo[1]), first(1, p.Height, m.Lo[1]+m.N[1])
	t.Y, t.H = p.Height-high, high-low
	cell := func(axis, pixels, at int) int {
		i := int((float64(at) + 0.5) * float64(m.Whole[axis]) / float64(pixels))
		return min(max(i-m.Lo[axis], 0), m.N[axis]-1)
	}
	t.Values = make([]float64, 0, t.W*t.H)
	for row := range t.H {
		from := cell(1, p.Height, high-1-row) * m.N[0]
		for i := range t.W {
			t.Values = append(t.Values, columns[from+cell(0, p.Width, t.X+i)])
		}
	}
	return t
}
