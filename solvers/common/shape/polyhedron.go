package shape

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Cells are boxes between planes across the axes: At[axis] holds the positions of the planes, ascending, one more than
// there are cells along the axis. In the plane, with Dim 2, At[2] is the z of all cells.
type Cells struct {
	Dim int
	At  [3][]float64
}

// Polyhedron tells that the body is bounded by triangles alone, as one of STL is: Cut knows its volume fractions.
func (b Body) Polyhedron() bool { return b.surface != nil }

// Cut is the volume fraction of a polyhedron in each cell, x fastest, exact up to round-off. It is the same for a cell
// whatever others are asked for. A surface that runs through itself, so that it encloses something twice, is refused.
//
// A point is within if a ray from it towards higher x leaves the body once more than it enters. So a triangle adds what
// lies in front of it, in the direction of lower x, and takes it away if it looks that way: whatever its position,
// there are no cases to tell apart.
func (b Body) Cut(ctx context.Context, c Cells) ([]float64, error) {
	faces := b.surface.corner
	if c.Dim == 2 {
		faces = b.surface.walls(c.At[2][0])
		c.At[2] = []float64{0, 1}
	}
	n := [3]int{len(c.At[0]) - 1, len(c.At[1]) - 1, len(c.At[2]) - 1}
	all := make([]int32, len(faces))
	for t := range all {
		all[t] = int32(t)
	}
	out := make([]float64, n[0]*n[1]*n[2])
	rows := sorted(faces, all, 1, c.At[1])
	return out, parallel.Each(ctx, "volume fractions", n[1], 1, func(lo, hi int) error {
		l := line{cells: &c, own: make([]fixed, n[0]), before: make([]fixed, n[0]+1), cut: make([]bool, n[0])}
		for j := lo; j < hi; j++ {
			for k, column := range sorted(faces, rows[j], 2, c.At[2]) {
				l.begin(j, k)
				for _, t := range column {
					l.add(&faces[t])
				}
				if err := l.sum(out[(k*n[1]+j)*n[0]:][:n[0]]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// sorted lists those triangles that reach each interval between planes across an axis.
func sorted(faces [][3]point, some []int32, axis int, at []float64) [][]int32 {
	out := make([][]int32, len(at)-1)
	for _, t := range some {
		c := &faces[t]
		lo, hi := min(c[0][axis], c[1][axis], c[2][axis]), max(c[0][axis], c[1][axis], c[2][axis])
		for n := max(0, firstBeyond(at, lo)-1); n < len(out) && at[n] < hi; n++ {
			out[n] = append(out[n], t)
		}
	}
	return out
}

// firstBeyond is the first of ascending positions that is above x.
func firstBeyond(at []float64, x float64) int {
	n, _ := slices.BinarySearchFunc(at, x, func(a, x float64) int {
		if a <= x {
			return -1
		}
		return 1
	})
	return n
}

// fixed is a share of a cell as a multiple of 2^-54. Sums of them have no order. What overflows in between comes back.
type fixed int64

const fixedOne = 1 << 54

func fix(x float64) fixed { return fixed(math.RoundToEven(x * fixedOne)) }

// line is a line of cells along x.
type line struct {
	cells  *Cells
	j, k   int
	own    []fixed // what triangles within a cell and its neighbours make of it
	before []fixed // what triangles that begin in a cell, or behind the line, make of each cell before
	cut    []bool  // cells that triangles touch
}

// begin makes it the line j along y and k along z, without triangles.
func (l *line) begin(j, k int) {
	l.j, l.k = j, k
	clear(l.own)
	clear(l.before)
	clear(l.cut)
}

// add takes what a triangle makes of the cells. A cell's share depends on nothing but the triangle and the cell.
func (l *line) add(face *[3]point) {
	y0, y1 := l.cells.At[1][l.j], l.cells.At[1][l.j+1]
	z0, z1 := l.cells.At[2][l.k], l.cells.At[2][l.k+1]
	p := polygon{n: 3}
	copy(p.at[:], face[:])
	p.between(1, y0, y1)
	p.between(2, z0, z1)
	if p.n < 3 {
		return
	}
	column := (y1 - y0) * (z1 - z0)
	area := func(p *polygon) float64 { a, _ := p.project(0); return a / column }
	x := l.cells.At[0]
	lo, hi := p.bounds(0)
	first := min(len(l.own), max(0, firstBeyond(x, lo)-1))
	if lo >= x[len(x)-1] {
		first = len(l.own)
	}
	if hi > x[0] {
		l.before[first] += fix(area(&p))
	}
	for i := first; i < len(l.own) && x[i] <= hi; i++ {
		within, beyond := p, p
		beyond.beyond(0, x[i+1])
		within.between(0, x[i], x[i+1])
		share := area(&beyond)
		if within.n >= 3 {
			_, moment := within.project(x[i])
			share += moment / column / (x[i+1] - x[i])
		}
		l.own[i] += fix(share)
		l.cut[i] = true
	}
}

// rounding is more than sums are off by.
const rounding = 1e-9

// sum writes the volume fractions. Those of cells that no triangle touches are 0 or 1.
func (l *line) sum(out []float64) error {
	behind := l.before[len(out)]
	for i := len(out) - 1; i >= 0; i-- {
		f := float64(l.own[i]+behind) / fixedOne
		behind += l.before[i]
		whole := math.Round(f)
		if !(f > -rounding && f < 1+rounding) || !l.cut[i] && math.Abs(f-whole) > rounding {
			at := &l.cells.At
			return fmt.Errorf("the surface runs through itself, or one part of it within another: it encloses the cell "+
				"from (%g, %g, %g) on "+
				"%.3g times", at[0][i], at[1][l.j], at[2][l.k], f)
		}
		if !l.cut[i] {
			f = whole
		}
		out[i] = min(1, max(0, f))
	}
	return nil
}

// walls are triangles over the lines in which a plane across z cuts the surface, upright between z = 0 and 1: the body
// of the plane as a prism.
func (s *surface) walls(z float64) [][3]point {
	var out [][3]point
	for t := range s.corner {
		c := &s.corner[t]
		var from, to point // where the border of the triangle, counterclockwise, goes down and up through the plane
		crossed := false
		for v := range c {
			a, b := c[v], c[(v+1)%3]
			if a[2] >= z == (b[2] >= z) {
				continue
			}
			crossed = true
			low, high, place := a, b, &to
			if a[2] >= z {
				low, high, place = b, a, &from
			}
			*place = low.toward(high, (z-low[2])/(high[2]-low[2]))
		}
		if crossed {
			a, b := point{from[0], from[1], 0}, point{to[0], to[1], 0}
			c, d := point{to[0], to[1], 1}, point{from[0], from[1], 1}
			out = append(out, [3]point{a, b, c}, [3]point{a, c, d})
		}
	}
	return out
}
