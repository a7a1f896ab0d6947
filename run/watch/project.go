package watch

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// project reduces each column of a box along z to one value. x is fastest in the result.
func project(b vtk.Box, values []float64, projection Projection) []float64 {
	layer := b.N[0] * b.N[1]
	columns := make([]float64, layer)
	copy(columns, values)
	for start := layer; start < len(values); start += layer {
		for i, v := range values[start : start+layer] {
			columns[i] = visibleValue(columns[i], v, projection)
		}
	}
	return columns
}

// visibleValue returns which of two values in a column is shown: NaN if there is one, else the one that the projection
// selects among finite values.
func visibleValue(a, b float64, projection Projection) float64 {
	switch {
	case a != a || b != b:
		return math.NaN()
	case !isFinite(a):
		return b
	case !isFinite(b):
		return a
	case projection == SmallestAlongZ:
		return min(a, b)
	}
	return max(a, b)
}

const (
	triangle    = 5 // cell types of VTK
	tetrahedron = 10
)

// Mesh draws cells by their values: triangles, or the sections of tetrahedra with the horizontal plane halfway up the
// domain.
func (p *Plane) Mesh(g *vtk.Grid, values []float64) *Tile {
	r := &rasteriser{plane: p, tile: newTile(p, g)}
	begin := int64(0)
	for cell, end := range g.Offsets {
		corners := g.Connectivity[begin:end]
		begin = end
		switch {
		case g.Types[cell] == triangle && len(corners) == 3:
			r.triangle([3][2]float64{r.position(g, corners[0]), r.position(g, corners[1]), r.position(g, corners[2])},
				values[cell])
		case g.Types[cell] == tetrahedron && len(corners) == 4:
			r.cut(g, corners, values[cell])
		}
	}
	return r.tile
}

// newTile returns an empty tile that covers all points of a mesh.
func newTile(p *Plane, g *vtk.Grid) *Tile {
	r := rasteriser{plane: p}
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i := range len(g.Points) / 3 {
		point := r.position(g, int64(i))
		for k := range point {
			lo[k], hi[k] = min(lo[k], point[k]), max(hi[k], point[k])
		}
	}
	t := &Tile{X: ceil(lo[0], p.Width), Y: ceil(lo[1], p.Height)}
	t.W, t.H = max(0, ceil(hi[0], p.Width)-t.X), max(0, ceil(hi[1], p.Height)-t.Y)
	t.Values = make([]float64, t.W*t.H)
	for i := range t.Values {
		t.Values[i] = NoCell
	}
	return t
}

// rasteriser draws triangles of a mesh into a tile of the picture.
type rasteriser struct {
	plane *Plane
	tile  *Tile
}

// position returns the position of a point in the picture. Pixel (i, j) has its centre at (i, j); rows count from the
// top.
func (r *rasteriser) position(g *vtk.Grid, point int64) [2]float64 {
	p := r.plane
	return [2]float64{
		(g.Points[3*point]-p.Lo[0])/(p.Hi[0]-p.Lo[0])*float64(p.Width) - 0.5,
		(p.Hi[1]-g.Points[3*point+1])/(p.Hi[1]-p.Lo[1])*float64(p.Height) - 0.5,
	}
}

// triangle fills the pixels whose centres lie in a triangle. A centre on a shared edge belongs to exactly one of the
// two triangles.
func (r *rasteriser) triangle(corners [3][2]float64, v float64) {
	t := r.tile
	low := min(corners[0][1], corners[1][1], corners[2][1])
	high := max(corners[0][1], corners[1][1], corners[2][1])
	for row := max(ceil(low, r.plane.Height), t.Y); row < min(ceil(high, r.plane.Height), t.Y+t.H); row++ {
		y, left, right := float64(row), math.Inf(1), math.Inf(-1)
		for k := range corners {
			a, b := corners[k], corners[(k+1)%3]
			if a[1] > b[1] {
				a, b = b, a
			}
			if a[1] <= y && y < b[1] {
				x := a[0] + (y-a[1])*((b[0]-a[0])/(b[1]-a[1]))
				left, right = min(left, x), max(right, x)
			}
		}
		from, to := max(ceil(left, r.plane.Width), t.X), min(ceil(right, r.plane.Width), t.X+t.W)
		line := t.Values[(row-t.Y)*t.W : (row-t.Y+1)*t.W]
		for i := from; i < to; i++ {
			line[i-t.X] = v
		}
	}
}

// cut fills the section of a tetrahedron: a triangle, or a quadrangle, whose corners lie on the edges between vertices
// below and above the plane.
func (r *rasteriser) cut(g *vtk.Grid, corners []int64, v float64) {
	middle := (r.plane.Lo[2] + r.plane.Hi[2]) / 2
	var below, above []int64
	for _, c := range corners {
		if g.Points[3*c+2] < middle {
			below = append(below, c)
		} else {
			above = append(above, c)
		}
	}
	var polygon [][2]float64
	for i, a := range below {
		for k := range above {
			if i%2 == 1 { // around the quadrangle, not across
				k = len(above) - 1 - k
			}
			b := above[k]
			za, zb := g.Points[3*a+2], g.Points[3*b+2]
			fraction := (middle - za) / (zb - za)
			from, to := r.position(g, a), r.position(g, b)
			polygon = append(polygon, [2]float64{from[0] + fraction*(to[0]-from[0]), from[1] + fraction*(to[1]-from[1])})
		}
	}
	for k := 2; k < len(polygon); k++ {
		r.triangle([3][2]float64{polygon[0], polygon[k-1], polygon[k]}, v)
	}
}

// ceil returns the smallest integer that is at least v, bounded to 0 … n.
func ceil(v float64, n int) int {
	switch {
	case !(v > 0):
		return 0
	case v >= float64(n):
		return n
	}
	return int(math.Ceil(v))
}
