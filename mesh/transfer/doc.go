// Package transfer carries fields of cells from one mesh of triangles to another of the same domain. Overlap has the
// exact intersections of the cells of both. Amounts are conserved: what each old cell has is divided among the new ones
// that it overlaps, by the integral of a linear function in it. Results depend on the two meshes alone, and not on
// threads, since each sum has one order, that of the ids of cells.
package transfer

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
)

// Piece is the intersection of a new cell with an old one.
type Piece struct {
	Old  int32
	Area float64
	X, Y float64 // its centroid, relative to the first corner of the old cell: far from the origin no digits are lost
}

// Overlap has the pieces of all new cells.
type Overlap struct {
	start  []int
	pieces []Piece
	share  []float64    // of each old cell: 1 over the area of all its pieces
	center [][2]float64 // of each old cell: the centroid of its pieces, about which a linear function has its mean
}

// Of returns the pieces of a new cell, by ascending old cell.
func (o *Overlap) Of(cell int) []Piece { return o.pieces[o.start[cell]:o.start[cell+1]] }

// Cells returns the number of new cells.
func (o *Overlap) Cells() int { return len(o.start) - 1 }

// covered is the least share of a cell that the cells of the other mesh must cover.
const covered = 0.999

// cellsPerWorker is the number of cells for which a goroutine is worth its cost.
const cellsPerWorker = 1000

// Intersect returns the overlap of two meshes. The domain of both must be the same up to rounding: a cell that the
// other mesh does not cover is an error.
func Intersect(from *Finder, to *mesh.Mesh) (*Overlap, error) {
	n := len(to.Cells)
	lists := make([][]Piece, parallel.Parts(n, cellsPerWorker))
	counts := make([]int, n)
	parallel.Ranges(n, len(lists), func(part, lo, hi int) {
		var c clipper
		var near []int32
		for i := lo; i < hi; i++ {
			x, y := corners(to, i)
			near = from.overlapping(near[:0], boxOf(&x, &y))
			before := len(lists[part])
			for _, old := range near {
				ox, oy := corners(from.mesh, int(old))
				if p := c.intersect(&x, &y, &ox, &oy); p.Area > 0 {
					p.Old, p.X, p.Y = old, p.X+(x[0]-ox[0]), p.Y+(y[0]-oy[0])
					lists[part] = append(lists[part], p)
				}
			}
			counts[i] = len(lists[part]) - before
		}
	})
	o := &Overlap{start: make([]int, n+1)}
	for i, count := range counts {
		o.start[i+1] = o.start[i] + count
	}
	o.pieces = make([]Piece, 0, o.start[n])
	for _, list := range lists {
		o.pieces = append(o.pieces, list...)
	}
	return o, o.complete(from.mesh, to)
}

// complete computes the shares and centers of old cells, and checks that both meshes cover each other.
func (o *Overlap) complete(from, to *mesh.Mesh) error {
	old := len(from.Cells)
	o.share, o.center = make([]float64, old), make([][2]float64, old)
	for _, p := range o.pieces {
		o.share[p.Old] += p.Area
		o.center[p.Old][0] += p.Area * p.X
		o.center[p.Old][1] += p.Area * p.Y
	}
	for k, area := range o.share {
		if !(area > covered*from.Area(k)) {
			x, y := from.Centroid(k)
			return fmt.Errorf("the new mesh covers %g of the area of cell %d at (%g, %g) of the old one, %g", area, k, x, y,
				from.Area(k))
		}
		o.share[k] = 1 / area
		o.center[k][0] /= area
		o.center[k][1] /= area
	}
	for i := range o.Cells() {
		area := 0.0
		for _, p := range o.Of(i) {
			area += p.Area
		}
		if !(area > covered*to.Area(i)) {
			x, y := to.Centroid(i)
			return fmt.Errorf("the old mesh covers %g of the area of cell %d at (%g, %g) of the new one, %g", area, i, x, y,
				to.Area(i))
		}
	}
	return nil
}

// Means returns the means of a field in the new cells, given those in the old ones, and the slopes of a linear function
// in each of these; nil for none. The integral of the field is kept to rounding.
func (o *Overlap) Means(from, to *mesh.Mesh, values []float64, slopes [][2]float64) []float64 {
	means := make([]float64, o.Cells())
	parallel.Ranges(len(means), parallel.Parts(len(means), cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			sum := 0.0
			for _, p := range o.Of(i) {
				// A part of the old cell: their areas differ from that of all its pieces by rounding.
				sum += o.At(&p, values, slopes) * (p.Area * o.share[p.Old]) * from.Area(int(p.Old))
			}
			means[i] = sum / to.Area(i)
		}
	})
	return means
}

// At returns the mean of a field in a piece.
func (o *Overlap) At(p *Piece, values []float64, slopes [][2]float64) float64 {
	v := values[p.Old]
	if slopes != nil {
		s, c := slopes[p.Old], o.center[p.Old]
		v += s[0]*(p.X-c[0]) + s[1]*(p.Y-c[1])
	}
	return v
}

// Largest returns, for each new cell, the old cell with the largest piece of it; of equal ones the first.
func (o *Overlap) Largest() []int32 {
	largest := make([]int32, o.Cells())
	for i := range largest {
		best := 0.0
		for _, p := range o.Of(i) {
			if p.Area > best {
				best, largest[i] = p.Area, p.Old
			}
		}
	}
	return largest
}

// Gradients returns the slopes of a field in cells, of which nb has the neighbours (mesh.Neighbours), by least squares
// over the neighbours. Cells that used, unless nil, excludes have slope 0 and are no neighbours.
func Gradients(m *mesh.Mesh, nb [][3]int32, values []float64, used func(cell int32) bool) [][2]float64 {
	slopes := make([][2]float64, len(values))
	parallel.Ranges(len(slopes), parallel.Parts(len(slopes), cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if used == nil || used(int32(i)) {
				slopes[i] = slopeOf(m, nb, values, used, i)
			}
		}
	})
	return slopes
}

// Slopes returns the Gradients, limited so that no linear function is, at a corner of its cell, beyond the values of
// the cells around the corner (J. S. Park, S.-H. Yoon and C. Kim, J. Comput. Phys. 229 (2010) 788).
func Slopes(m *mesh.Mesh, nb [][3]int32, values []float64, used func(cell int32) bool) [][2]float64 {
	low, high := slices.Repeat([]float64{math.Inf(1)}, len(m.X)), slices.Repeat([]float64{math.Inf(-1)}, len(m.X))
	for i, cell := range m.Cells {
		if used == nil || used(int32(i)) {
			for _, v := range cell {
				low[v], high[v] = min(low[v], values[i]), max(high[v], values[i])
			}
		}
	}
	slopes := Gradients(m, nb, values, used)
	parallel.Ranges(len(slopes), parallel.Parts(len(slopes), cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			s, factor := &slopes[i], 1.0
			x, y := m.Centroid(i)
			for _, v := range m.Cells[i] {
				switch change := s[0]*(m.X[v]-x) + s[1]*(m.Y[v]-y); {
				case change > high[v]-values[i]:
					factor = min(factor, (high[v]-values[i])/change)
				case change < low[v]-values[i]:
					factor = min(factor, (low[v]-values[i])/change)
				}
			}
			s[0], s[1] = factor*s[0], factor*s[1]
		}
	})
	return slopes
}

// flat is the share of the square of the trace of a matrix below which its determinant counts as 0.
const flat = 1e-6

// slopeOf returns the slope in a cell before it is limited; with collinear neighbours, that along their line.
func slopeOf(m *mesh.Mesh, nb [][3]int32, values []float64, used func(cell int32) bool, i int) [2]float64 {
	x, y := m.Centroid(i)
	var xx, xy, yy, fx, fy float64
	for _, n := range nb[i] {
		if n < 0 || used != nil && !used(n) {
			continue
		}
		nx, ny := m.Centroid(int(n))
		dx, dy, d := nx-x, ny-y, values[n]-values[i]
		w := 1 / (dx*dx + dy*dy)
		xx, xy, yy = xx+w*dx*dx, xy+w*dx*dy, yy+w*dy*dy
		fx, fy = fx+w*dx*d, fy+w*dy*d
	}
	det, trace := xx*yy-xy*xy, xx+yy
	switch {
	case trace == 0:
		return [2]float64{}
	case det < flat*trace*trace:
		return [2]float64{fx / trace, fy / trace}
	}
	return [2]float64{(yy*fx - xy*fy) / det, (xx*fy - xy*fx) / det}
}

// corners returns the coordinates of the vertices of a cell.
func corners(m *mesh.Mesh, cell int) (x, y [3]float64) {
	for k, v := range m.Cells[cell] {
		x[k], y[k] = m.X[v], m.Y[v]
	}
	return x, y
}

// box is a box around a cell or several.
type box struct{ west, south, east, north float64 }

func boxOf(x, y *[3]float64) box {
	return box{min(x[0], x[1], x[2]), min(y[0], y[1], y[2]), max(x[0], x[1], x[2]), max(y[0], y[1], y[2])}
}

func (b *box) overlaps(o *box) bool {
	return b.west <= o.east && o.west <= b.east && b.south <= o.north && o.south <= b.north
}

func (b *box) join(o *box) box {
	return box{min(b.west, o.west), min(b.south, o.south), max(b.east, o.east), max(b.north, o.north)}
}

var nowhere = box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
