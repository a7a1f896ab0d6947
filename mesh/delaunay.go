package mesh

import (
	"fmt"
	"math"
)

// FlipToDelaunay flips interior edges until the circumcircle of no triangle contains the opposite vertex of a
// neighbouring triangle (C. L. Lawson, in Mathematical Software III, 1977), and returns the number of flips. It changes
// neither vertices, nor the number of cells, nor tagged edges, nor edges between cells of different groups. A vertex
// on the circle up to round-off counts as outside. It refuses a mesh with cell data, which would not fit the new cells,
// and one with inverted triangles.
func (m *Mesh) FlipToDelaunay() (flips int, err error) {
	if len(m.CellData) > 0 {
		return 0, fmt.Errorf("edges of a mesh with cell data cannot be flipped, since cells change: drop the data first")
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
			flipped := false
			for k := range 3 {
				if other := f.nb[c][k]; other >= 0 && f.mustFlip(c, k) {
					f.flip(c, k)
					flips++
					stack = append(stack, other)
					flipped = true
					break
				}
			}
			if !flipped {
				stack = stack[:len(stack)-1]
			}
		}
	}
	return flips, nil
}

// flipper is a mesh whose edges are flipped.
type flipper struct {
	*Mesh
	nb     [][3]int32        // as Neighbours gives them, updated with each flip
	tagged map[[2]int32]bool // by vertices in ascending order
}

// mustFlip reports whether edge k of cell c, which has a neighbour across it, is to be flipped.
func (f *flipper) mustFlip(c int32, k int) bool {
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

// inCircle reports whether vertex q is inside the circle through a, b and p, which are counter-clockwise, by more than
// round-off.
func (f *flipper) inCircle(a, b, p, q int32) bool {
	ax, ay := f.X[a]-f.X[q], f.Y[a]-f.Y[q]
	bx, by := f.X[b]-f.X[q], f.Y[b]-f.Y[q]
	px, py := f.X[p]-f.X[q], f.Y[p]-f.Y[q]
	aa, bb, pp := ax*ax+ay*ay, bx*bx+by*by, px*px+py*py
	u, v, w := aa*(bx*py-px*by), bb*(px*ay-ax*py), pp*(ax*by-bx*ay)
	bound := aa*(math.Abs(bx*py)+math.Abs(px*by)) + bb*(math.Abs(px*ay)+math.Abs(ax*py)) +
		pp*(math.Abs(ax*by)+math.Abs(bx*ay))
	return u+v+w > 0x1p-44*bound
}

// across returns the edge of cell d, from 0 to 2, across which cell c is, -1 if it is across none.
func (f *flipper) across(d, c int32) int {
	for j, other := range f.nb[d] {
		if other == c {
			return j
		}
	}
	return -1
}

// flip flips edge k of cell c: the two triangles a-b-p and b-a-q become p-a-q and q-b-p.
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
