package mesh

import (
	"fmt"
	"math"
)

// FlipToDelaunay turns edges inside the mesh until the circle of no triangle holds the corner opposite (C. L. Lawson,
// in Mathematical Software III, 1977), and returns how many turns that took. Vertices stay, and so do the number of
// cells, tagged edges, and edges between two groups of cells. A corner that is on the circle up to round-off counts as
// outside. Cell data would not fit the new cells: a mesh that has some is refused, and so is one with a triangle
// inverted.
func (m *Mesh) FlipToDelaunay() (flips int, err error) {
	if len(m.CellData) > 0 {
		return 0, fmt.Errorf("a mesh with cell data keeps its edges: drop the data first")
	}
	for c := range m.Cells {
		if !(m.Area(c) > 0) {
			return 0, fmt.Errorf("%s has area %g: orient the mesh first", m.describe(int32(c)), m.Area(c))
		}
	}
	f := flipper{Mesh: m, tagged: map[[2]int32]bool{}}
	if f.nb, err = m.Neighbours(); err != nil {
		return 0, err
	}
	for _, e := range m.Tagged {
		f.tagged[[2]int32{min(e.A, e.B), max(e.A, e.B)}] = true
	}
	var stack []int32
	for c := range int32(len(m.Cells)) {
		stack = append(stack[:0], c)
		for len(stack) > 0 {
			c := stack[len(stack)-1]
			turned := false
			for k := range 3 {
				if other := f.nb[c][k]; other >= 0 && f.bad(c, k) {
					f.flip(c, k)
					flips++
					stack = append(stack, other)
					turned = true
					break
				}
			}
			if !turned {
				stack = stack[:len(stack)-1]
			}
		}
	}
	return flips, nil
}

type flipper struct {
	*Mesh
	nb     [][3]int32
	tagged map[[2]int32]bool
}

// bad tells whether edge k of cell c, which has a cell behind it, is to be turned.
func (f *flipper) bad(c int32, k int) bool {
	d := f.nb[c][k]
	if f.CellGroup != nil && f.CellGroup[c] != f.CellGroup[d] {
		return false
	}
	v := f.Cells[c]
	a, b, p := v[k], v[(k+1)%3], v[(k+2)%3]
	q := f.Cells[d][(f.across(d, c)+2)%3]
	if !f.inCircle(a, b, p, q) {
		return false
	}
	return len(f.tagged) == 0 || !f.tagged[[2]int32{min(a, b), max(a, b)}]
}

// inCircle tells whether q is inside the circle through a, b and p, counter-clockwise, by more than rounding.
func (f *flipper) inCircle(a, b, p, q int32) bool {
	ax, ay := f.X[a]-f.X[q], f.Y[a]-f.Y[q]
	bx, by := f.X[b]-f.X[q], f.Y[b]-f.Y[q]
	px, py := f.X[p]-f.X[q], f.Y[p]-f.Y[q]
	aa, bb, pp := ax*ax+ay*ay, bx*bx+by*by, px*px+py*py
	u, v, w := aa*(bx*py-px*by), bb*(px*ay-ax*py), pp*(ax*by-bx*ay)
	size := aa*(math.Abs(bx*py)+math.Abs(px*by)) + bb*(math.Abs(px*ay)+math.Abs(ax*py)) +
		pp*(math.Abs(ax*by)+math.Abs(bx*ay))
	return u+v+w > 0x1p-44*size
}

// across is the slot of cell d that has cell c behind it.
func (f *flipper) across(d, c int32) int {
	for j, other := range f.nb[d] {
		if other == c {
			return j
		}
	}
	return -1
}

// flip turns edge k of cell c: of the two triangles a-b-p and b-a-q it makes p-a-q and q-b-p.
func (f *flipper) flip(c int32, k int) {
	d := f.nb[c][k]
	j := f.across(d, c)
	a, b, p := f.Cells[c][k], f.Cells[c][(k+1)%3], f.Cells[c][(k+2)%3]
	q := f.Cells[d][(j+2)%3]
	bp, pa := f.nb[c][(k+1)%3], f.nb[c][(k+2)%3]
	aq, qb := f.nb[d][(j+1)%3], f.nb[d][(j+2)%3]
	f.Cells[c], f.Cells[d] = [3]int32{p, a, q}, [3]int32{q, b, p}
	f.nb[c], f.nb[d] = [3]int32{pa, aq, d}, [3]int32{qb, bp, c}
	if aq >= 0 {
		f.nb[aq][f.across(aq, d)] = c
	}
	if bp >= 0 {
		f.nb[bp][f.across(bp, c)] = d
	}
}
