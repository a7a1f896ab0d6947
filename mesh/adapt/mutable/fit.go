package mutable

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/surface"
)

// alignment is the least cosine between a new face and the surface of the input there.
const alignment = 0.5

// KindAround returns the kind of the tagged faces at a vertex of a surface.
func KindAround(t *Mesh, v int32) int32 {
	for _, k := range t.Ball(v) {
		c := &t.Cells[k]
		for i := range c.V {
			if c.Tag[i] != 0 && c.V[i] != v {
				return c.Tag[i]
			}
		}
	}
	return 0
}

// Misfit returns the square of the largest distance of the tagged faces of cells from the surface of the input, at the
// centres of the faces and of their edges, and whether the faces are aligned with it. Only faces with vertex v count,
// or all if it is negative.
func Misfit(t *Mesh, skin *surface.Surface, cells []Cell, v int32) (most float64, aligned bool) {
	aligned = true
	for i := range cells {
		for j := range 4 {
			c := &cells[i]
			if c.Tag[j] == 0 || c.V[j] == v || v >= 0 && !c.Has(3, v) {
				continue
			}
			d, ok := faceMisfit(t, skin, c, j)
			most, aligned = max(most, d), aligned && ok
		}
	}
	return most, aligned
}

// faceMisfit is Misfit for the face of a cell opposite to its vertex j. Its points do not depend on the cell that has
// it.
func faceMisfit(t *Mesh, skin *surface.Surface, c *Cell, j int) (most float64, aligned bool) {
	var corners [3]int32
	n := 0
	for k, u := range c.V {
		if k != j {
			corners[n] = u
			n++
		}
	}
	for a := range 3 { // in the order of ids
		for b := a + 1; b < 3; b++ {
			if t.ID[corners[b]] < t.ID[corners[a]] {
				corners[a], corners[b] = corners[b], corners[a]
			}
		}
	}
	p, q, r := &t.X[corners[0]], &t.X[corners[1]], &t.X[corners[2]]
	var points [4]measure.Vector
	for k := range 3 {
		points[0][k] = (p[k] + q[k] + r[k]) / 3
		points[1][k], points[2][k], points[3][k] = 0.5*(p[k]+q[k]), 0.5*(q[k]+r[k]), 0.5*(r[k]+p[k])
	}
	u, v := measure.Sub(q, p), measure.Sub(r, p)
	normal := measure.Cross(&u, &v)
	for k := range points {
		at, n, ok := skin.Nearest(&points[k], c.Tag[j])
		d := measure.Sub(&at, &points[k])
		most = max(most, measure.Dot(&d, &d))
		if k == 0 {
			l := math.Sqrt(measure.Dot(&normal, &normal))
			aligned = ok && math.Abs(measure.Dot(&normal, &n)) > alignment*l
		}
	}
	return most, aligned
}
