package timefield

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/formats/projection"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/solvers/common/raster"
)

// shares tells of which cells of a raster the value of each cell of a part consists: pixel[start[i]:start[i+1]], by
// their column plus their row from the south times the number of columns, with weights whose sum is 1.
type shares struct {
	start  []int
	pixel  []int32
	weight []float64
}

// position is in cells of a raster from its south-west corner.
type position [2]float64

// cellsPerWorker is the number of cells for which a goroutine is worth its cost.
const cellsPerWorker = 2000

// findShares finds the shares of all cells, and returns the box of what is read of a raster.
func (f *Field) findShares(name string, place projection.Inverse) (raster.Box, error) {
	p, g := f.part, f.grid
	if g.Columns > math.MaxInt32/g.Rows {
		return raster.Box{}, fmt.Errorf("%s: %d x %d cells are too many", name, g.Columns, g.Rows)
	}
	const tolerance = 1e-6 // of a cell, of coordinates that are rounded
	within := func(x float64, n int) float64 {
		if x < 0 && x > -tolerance || x > float64(n) && x < float64(n)+tolerance {
			return max(0, min(x, float64(n)))
		}
		return x
	}
	at := func(x, y, circles float64) position {
		u, v := place(x, y)
		return position{within((u+circles-g.West)/g.Width, g.Columns), within((v-g.South)/g.Height, g.Rows)}
	}
	n := len(p.Cells)
	list, errs := make([][]share, n), make([]error, n)
	parallel.Ranges(n, parallel.Parts(n, cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			var corners [3]position
			x, y := p.Centroid(i)
			circles := f.circlesTo(x)
			for k, v := range p.Cells[i] {
				corners[k] = at(p.X[v], p.Y[v], circles)
			}
			middle, inside := at(x, y, circles), true
			for _, c := range corners {
				inside = inside && (f.circle || c[0] >= 0 && c[0] <= float64(g.Columns)) && c[1] >= 0 && c[1] <= float64(g.Rows)
			}
			switch {
			case !inside:
				errs[i] = fmt.Errorf("%s does not cover cell %d at (%g, %g): it covers x from %g to %g and y from %g to %g, where "+
					"the cell is at (%g, %g)", name, p.Global[i], x, y, g.West, g.West+float64(g.Columns)*g.Width, g.South,
					g.South+float64(g.Rows)*g.Height, g.West+middle[0]*g.Width, g.South+middle[1]*g.Height)
			case f.ends:
				list[i] = g.overlaps(corners, f.circle)
			default:
				list[i] = g.around(middle, f.circle)
			}
		}
	})
	box := raster.Box{West: math.Inf(1), South: math.Inf(1), East: math.Inf(-1), North: math.Inf(-1)}
	f.shares.start = make([]int, 1, n+1)
	for i := range list {
		if errs[i] != nil {
			return box, errs[i]
		}
		for _, s := range list[i] {
			f.shares.pixel, f.shares.weight = append(f.shares.pixel, s.pixel), append(f.shares.weight, s.weight)
			x := g.West + (float64(int(s.pixel)%g.Columns)+.5)*g.Width
			y := g.South + (float64(int(s.pixel)/g.Columns)+.5)*g.Height
			box = raster.Box{West: min(box.West, x), South: min(box.South, y), East: max(box.East, x), North: max(box.North, y)}
		}
		f.shares.start = append(f.shares.start, len(f.shares.pixel))
	}
	return box, nil
}

// circlesTo returns what is added to a longitude of the mesh, if it has any, for a raster from 0° to 360° or from -180°
// to 180°.
func (f *Field) circlesTo(x float64) float64 {
	if !f.part.Geographic {
		return 0
	}
	return sphere.Near(x, f.grid.West+float64(f.grid.Columns)/2*f.grid.Width) - x
}

// share is a cell of a raster and its weight.
type share struct {
	pixel  int32
	weight float64
}

// around returns the cells between whose centres a position is, with the weights of bilinear interpolation; beyond the
// outermost centres the nearest ones, unless the raster goes around the earth.
func (g grid) around(at position, circle bool) (list []share) {
	axis := func(x float64, n int, circle bool) (int, float64) {
		if circle {
			k := math.Floor(x - .5)
			return int(k), x - .5 - k
		}
		x = max(0, min(x-.5, float64(n-1)))
		k := min(int(x), max(0, n-2))
		return k, x - float64(k)
	}
	column, right := axis(at[0], g.Columns, circle)
	row, up := axis(at[1], g.Rows, false)
	for k := range 4 {
		x, y := k%2, k/2
		weight := (float64(x)*right + float64(1-x)*(1-right)) * (float64(y)*up + float64(1-y)*(1-up))
		if weight > 0 {
			list = append(list, share{g.pixel(column+x, row+y), weight})
		}
	}
	return list
}

// overlaps returns the cells that a triangle overlaps, with the shares of its area in them.
func (g grid) overlaps(t [3]position, circle bool) (list []share) {
	span := func(axis, n int) (first, last int) {
		low, high := math.Inf(1), math.Inf(-1)
		for _, c := range t {
			low, high = min(low, c[axis]), max(high, c[axis])
		}
		if circle && axis == 0 {
			return int(math.Floor(low)), int(math.Ceil(high)) - 1
		}
		return min(n-1, int(low)), min(n-1, int(math.Ceil(high))-1)
	}
	first, last := span(0, g.Columns)
	low, high := span(1, g.Rows)
	if first >= last && low >= high {
		return []share{{g.pixel(first, low), 1}}
	}
	all := 0.0
	for row := low; row <= high; row++ {
		strip := clip(clip(t[:], 1, float64(row), false), 1, float64(row+1), true)
		for column := first; column <= last; column++ {
			if area := areaOf(clip(clip(strip, 0, float64(column), false), 0, float64(column+1), true)); area > 0 {
				list = append(list, share{g.pixel(column, row), area})
				all += area
			}
		}
	}
	for k := range list {
		list[k].weight /= all
	}
	return list
}

// pixel returns the number of a cell, whose column may be beyond those of a raster that goes around the earth.
func (g grid) pixel(column, row int) int32 {
	return int32(row*g.Columns + (column%g.Columns+g.Columns)%g.Columns)
}

// clip returns the part of a convex polygon on one side of a line across an axis.
func clip(polygon []position, axis int, at float64, below bool) (part []position) {
	sign := -1.0
	if below {
		sign = 1
	}
	for k, b := range polygon {
		a := polygon[(k+len(polygon)-1)%len(polygon)]
		from, to := sign*(at-a[axis]), sign*(at-b[axis]) // at least 0 inside
		if (from < 0) != (to < 0) {
			share := from / (from - to)
			cut := position{a[0] + share*(b[0]-a[0]), a[1] + share*(b[1]-a[1])}
			cut[axis] = at
			part = append(part, cut)
		}
		if to >= 0 {
			part = append(part, b)
		}
	}
	return part
}

// areaOf returns the area of a polygon.
func areaOf(polygon []position) (area float64) {
	for k := 1; k+1 < len(polygon); k++ {
		a, b, c := polygon[0], polygon[k], polygon[k+1]
		area += (b[0]-a[0])*(c[1]-a[1]) - (c[0]-a[0])*(b[1]-a[1])
	}
	return math.Abs(area) / 2
}
