package watch

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// maxPixels is the largest width and height of a picture.
const maxPixels = 640

// Plane is the rectangle that pictures show: of a plane domain, or of the projection of a domain in space along z. It
// is the same on all ranks.
type Plane struct {
	Lo, Hi        [3]float64 // bounds of the mesh or grid over all ranks
	ThreeD        bool       // whether the domain has three dimensions
	Width, Height int        // pixels
}

// Bounds returns the bounding box of a rank's geometry for NewPlane: minimum and negated maximum, so that one reduction
// by minimum serves both. Without points all are +Inf.
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

// NewPlane returns the plane for the reduced bounds of all ranks. A picture of a grid has at most as many pixels as the
// grid has cells.
func NewPlane(b [6]float64, g solvers.Geometry) (Plane, error) {
	p := Plane{Lo: [3]float64(b[:3])}
	for axis := range p.Hi {
		p.Hi[axis] = -b[3+axis]
	}
	p.ThreeD = p.Hi[2] > p.Lo[2]
	width, height := p.Hi[0]-p.Lo[0], p.Hi[1]-p.Lo[1]
	if !(width > 0 && height > 0) || math.IsInf(width, 0) || math.IsInf(height, 0) {
		return p, fmt.Errorf("nothing to show: the domain is %g by %g m", width, height)
	}
	scale := maxPixels / max(width, height)
	p.Width, p.Height = max(1, int(math.Round(width*scale))), max(1, int(math.Round(height*scale)))
	if g.Block != nil {
		p.Width, p.Height = min(p.Width, g.Block.Whole[0]), min(p.Height, g.Block.Whole[1])
	}
	return p, nil
}

// Tile is a rank's part of a picture: values of a rectangle of pixels, row by row from the top. A value is NoCell
// outside the rank's cells, and NaN where the field is not finite.
type Tile struct {
	X, Y, W, H int
	Values     []float64
}

// NoCell is the value of a pixel outside the mesh, Masked that of a pixel where the field is undefined, such as the
// velocity of a dry cell.
var (
	NoCell = math.Inf(1)
	Masked = math.Inf(-1)
)

// isFinite reports whether v is neither infinite nor NaN: then v - v is 0, otherwise NaN.
func isFinite(v float64) bool { return v-v == 0 }

// Limits returns the smallest finite value, and the largest one negated, so that one reduction by minimum serves both;
// +Inf without finite values.
func (t *Tile) Limits() (least, negatedMost float64) {
	least, negatedMost = math.Inf(1), math.Inf(1)
	for _, v := range t.Values {
		if isFinite(v) {
			least, negatedMost = min(least, v), min(negatedMost, -v)
		}
	}
	return least, negatedMost
}

// Projection says how the values of a column of cells along z are projected to one pixel.
type Projection string

const (
	LargestAlongZ  Projection = "the largest along z"
	SmallestAlongZ Projection = "the smallest along z"
)

// Block draws the cells of a block of a grid, whose values are ordered with x fastest. Blocks in space are projected
// along z.
func (p *Plane) Block(m *vtk.Image, values []float64, projection Projection) *Tile {
	columns := values
	if m.Dim == 3 {
		columns = project(m.Box, values, projection)
	}
	first := func(axis, pixels, index int) int { // first pixel whose centre is in the cell
		return int(math.Ceil(float64(index)*float64(pixels)/float64(m.Whole[axis]) - 0.5))
	}
	t := &Tile{X: first(0, p.Width, m.Lo[0])}
	t.W = first(0, p.Width, m.Lo[0]+m.N[0]) - t.X
	low, high := first(1, p.Height, m.Lo[1]), first(1, p.Height, m.Lo[1]+m.N[1])
	t.Y, t.H = p.Height-high, high-low
	cell := func(axis, pixels, index int) int {
		i := int((float64(index) + 0.5) * float64(m.Whole[axis]) / float64(pixels))
		return min(max(i-m.Lo[axis], 0), m.N[axis]-1)
	}
	t.Values = make([]float64, 0, t.W*t.H)
	for row := range t.H {
		start := cell(1, p.Height, high-1-row) * m.N[0]
		for i := range t.W {
			t.Values = append(t.Values, columns[start+cell(0, p.Width, t.X+i)])
		}
	}
	return t
}
