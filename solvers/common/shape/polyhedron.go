package shape

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Cells are boxes between planes normal to the axes: Planes[axis] has the ascending positions of the planes, one more
// than there are cells along the axis. With Dim 2, Planes[2] has the z of all cells.
type Cells struct {
	Dim    int
	Planes [3][]float64
}

// Polyhedron reports whether the body is bounded by triangles, as one from an STL file is; Cut then computes its
// volume fractions.
func (b Body) Polyhedron() bool { return b.polyhedron != nil }

// Cut returns the volume fraction of a polyhedron in each cell, x fastest, exact up to round-off. The fraction of a
// cell does not depend on the other cells. A surface that intersects itself, so that it encloses points twice, is
// refused. With two dimensions the body must be a [Body.Section].
//
// A point is inside if a ray from it to higher x leaves the body once more often than it enters. So each triangle
// adds, in each cell, the volume at lower x than the triangle, or subtracts it, depending on its orientation. No cases
// need to be distinguished.
func (b Body) Cut(ctx context.Context, c Cells) ([]float64, error) {
	faces := b.polyhedron.corner
	if c.Dim == 2 {
		c.Planes[2] = []float64{0, 1} // the ends of the walls of a section
	}
	n := [3]int{len(c.Planes[0]) - 1, len(c.Planes[1]) - 1, len(c.Planes[2]) - 1}
	all := make([]int32, len(faces))
	for t := range all {
		all[t] = int32(t)
	}
	out := make([]float64, n[0]*n[1]*n[2])
	rows := trianglesInSlabs(faces, all, 1, c.Planes[1])
	return out, parallel.Each(ctx, "volume fractions", n[1], 1, func(lo, hi int) error {
		l := cellRow{cells: &c, inCell: make([]fixed, n[0]), beforeCell: make([]fixed, n[0]+1), reached: make([]bool, n[0])}
		for j := lo; j < hi; j++ {
			for k, inRow := range trianglesInSlabs(faces, rows[j], 2, c.Planes[2]) {
				l.begin(j, k)
				for _, t := range inRow {
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

// trianglesInSlabs lists, for each interval between planes normal to an axis, the triangles that reach it.
func trianglesInSlabs(faces [][3]point, candidates []int32, axis int, planes []float64) [][]int32 {
	out := make([][]int32, len(planes)-1)
	for _, t := range candidates {
		c := &faces[t]
		lo, hi := min(c[0][axis], c[1][axis], c[2][axis]), max(c[0][axis], c[1][axis], c[2][axis])
		for n := max(0, firstBeyond(planes, lo)-1); n < len(out) && planes[n] < hi; n++ {
			out[n] = append(out[n], t)
		}
	}
	return out
}

// firstBeyond returns the index of the first of ascending positions that is above x.
func firstBeyond(positions []float64, x float64) int {
	n, _ := slices.BinarySearchFunc(positions, x, func(a, x float64) int {
		if a <= x {
			return -1
		}
		return 1
	})
	return n
}

// fixed is a fraction of a cell in units of 2^-54. Integer sums do not depend on the order, and intermediate overflow
// cancels.
type fixed int64

const fixedOne = 1 << 54

func fix(x float64) fixed { return fixed(math.RoundToEven(x * fixedOne)) }

// cellRow is a row of cells along x, for which the contributions of triangles are added up.
type cellRow struct {
	cells      *Cells
	j, k       int
	inCell     []fixed // contributions of triangles to the cells that they reach
	reached    []bool  // cells that triangles reach
	beforeCell []fixed // of triangles whose lowest x is in a cell, or beyond the last cell, to each cell at lower x
}

// begin clears the contributions, for the row with the indices j along y and k along z.
func (l *cellRow) begin(j, k int) {
	l.j, l.k = j, k
	clear(l.inCell)
	clear(l.beforeCell)
	clear(l.reached)
}

// add adds the contributions of a triangle. The contribution to a cell depends only on the triangle and the cell.
func (l *cellRow) add(face *[3]point) {
	y0, y1 := l.cells.Planes[1][l.j], l.cells.Planes[1][l.j+1]
	z0, z1 := l.cells.Planes[2][l.k], l.cells.Planes[2][l.k+1]
	p := polygon{n: 3}
	copy(p.vertex[:], face[:])
	p.clipToSlab(1, y0, y1)
	p.clipToSlab(2, z0, z1)
	if p.n < 3 {
		return
	}
	crossSection := (y1 - y0) * (z1 - z0)
	area := func(p *polygon) float64 { a, _ := p.project(0); return a / crossSection }
	x := l.cells.Planes[0]
	lo, hi := p.bounds(0)
	first := min(len(l.inCell), max(0, firstBeyond(x, lo)-1))
	if lo >= x[len(x)-1] {
		first = len(l.inCell)
	}
	if hi > x[0] {
		l.beforeCell[first] += fix(area(&p))
	}
	for i := first; i < len(l.inCell) && x[i] <= hi; i++ {
		within, beyond := p, p
		beyond.clipAbove(0, x[i+1])
		within.clipToSlab(0, x[i], x[i+1])
		share := area(&beyond)
		if within.n >= 3 {
			_, moment := within.project(x[i])
			share += moment / crossSection / (x[i+1] - x[i])
		}
		l.inCell[i] += fix(share)
		l.reached[i] = true
	}
}

// maxRoundOff bounds the round-off of a fraction.
const maxRoundOff = 1e-9

// sum writes the volume fractions. A cell that no triangle reaches has exactly 0 or 1.
func (l *cellRow) sum(out []float64) error {
	behind := l.beforeCell[len(out)]
	for i := len(out) - 1; i >= 0; i-- {
		f := float64(l.inCell[i]+behind) / fixedOne
		behind += l.beforeCell[i]
		whole := math.Round(f)
		if !(f > -maxRoundOff && f < 1+maxRoundOff) || !l.reached[i] && math.Abs(f-whole) > maxRoundOff {
			at := &l.cells.Planes
			return fmt.Errorf("the surface intersects itself, or parts of it overlap: it encloses the cell "+
				"from (%g, %g, %g) on %.3g times; join its parts in the program that made it, or choose fractions = \"divide\", "+
				"which takes their union", at[0][i], at[1][l.j], at[2][l.k], f)
		}
		if !l.reached[i] {
			f = whole
		}
		out[i] = min(1, max(0, f))
	}
	return nil
}
