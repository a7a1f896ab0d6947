// Package solid finds where bodies that fluid does not enter are on the grid of a rank: which faces they close, how far
// their surface is, and what continues volume fractions into them.
package solid

import (
	"math"

	"github.com/atoll-hpc/atoll/grid"
)

// Solid is a body that fluid does not enter, at rest: negative inside. Slope is the most that Phi changes per unit of
// length, 0 if that is not known. Cells and faces are classified by Phi at points.
type Solid struct {
	Phi   func(x, y, z float64) float64
	Slope float64
}

// Geometry is a solid on the grid. A face is closed if its centre is in the solid, and a cell is solid if all of its
// faces are closed. Positions beyond sides are those that they mirror, and across periodic ones those that they stand
// for, so that each rank knows its ghosts without asking.
type Geometry struct {
	b     *grid.Block
	solid *Solid
	Shut  [3][]bool // closed faces, by index
}

// least is the distance from a solid, in cells, at which a point counts as inside: sides of boxes are often in faces.
const least = 1e-9

// at returns the level set at a point in cells from the centre of cell (i, j, k), in units of cells.
func (g *Geometry) at(cell [3]int, dx, dy, dz float64) float64 {
	x, delta := [3]float64{}, [3]float64{dx, dy, dz}
	gr := g.b.Grid
	for d := range x {
		i := float64(g.b.Lo[d]+cell[d]) + .5 + delta[d]
		if n := float64(gr.N[d]); d < gr.Dim {
			switch {
			case gr.Periodic[d]:
				i -= n * math.Floor(i/n)
			case i < 0:
				i = -i
			case i > n:
				i = 2*n - i
			}
		}
		x[d] = gr.Lo[d] + i*gr.Spacing(d)
	}
	if gr.Dim == 2 {
		x[2] = 0
	}
	return g.solid.Phi(x[0], x[1], x[2]) / gr.Spacing(0)
}

// face returns the level set at the centre of the lower face of a cell across an axis.
func (g *Geometry) face(axis int, cell [3]int) float64 {
	var delta [3]float64
	delta[axis] = -.5
	return g.at(cell, delta[0], delta[1], delta[2])
}

// Classify finds the closed faces of a block.
func Classify(b *grid.Block, solid *Solid) *Geometry {
	g := &Geometry{b: b, solid: solid}
	for d := range b.Grid.Dim {
		g.Shut[d] = make([]bool, b.Len())
		for c := range g.Shut[d] {
			i, j, k := b.Cell(c)
			g.Shut[d][c] = g.face(d, [3]int{i, j, k}) <= least
		}
	}
	return g
}

// closed reports whether the lower face of a cell is.
func (g *Geometry) closed(axis int, cell [3]int) bool {
	if c, ok := g.index(cell); ok {
		return g.Shut[axis][c]
	}
	return g.face(axis, cell) <= least
}

// index returns the index of a cell in arrays; ok is false beyond the ghosts.
func (g *Geometry) index(cell [3]int) (c int, ok bool) {
	for d := range cell {
		if ghost := g.b.GhostAlong(d); cell[d] < -ghost || cell[d] >= g.b.N[d]+ghost {
			return 0, false
		}
	}
	return g.b.Index(cell[0], cell[1], cell[2]), true
}

// IsSolid reports whether all faces of a cell are closed.
func (g *Geometry) IsSolid(cell [3]int) bool {
	for d := range g.b.Grid.Dim {
		if !g.closed(d, cell) {
			return false
		}
		up := cell
		up[d]++
		if !g.closed(d, up) {
			return false
		}
	}
	return true
}

// distance returns the part of the way from an open face's centre to that of a closed neighbour, a cell away along an
// axis, at which the surface is.
func (g *Geometry) distance(axis int, cell [3]int, along, step int) float64 {
	lo, hi := 0.0, 1.0
	for range 30 {
		middle := (lo + hi) / 2
		var delta [3]float64
		delta[axis] = -.5
		delta[along] += float64(step) * middle
		if g.at(cell, delta[0], delta[1], delta[2]) <= least {
			hi = middle
		} else {
			lo = middle
		}
	}
	return max(hi, closest)
}

// closest is the least distance to a surface, in cells, that is told from 0: smaller ones make the viscous system
// worse, but not the flow better.
const closest = .02

// excess is 1/θ - 1 for the neighbour of an open face, 0 if it is open too.
func (g *Geometry) excess(axis int, cell [3]int, along, step int) float64 {
	next := cell
	next[along] += step
	if !g.closed(axis, next) {
		return 0
	}
	return 1/g.distance(axis, cell, along, step) - 1
}

// WallList is what kernels.Walls holds.
type WallList struct {
	Faces []int32
	Near  []float64
}

// Walls lists the own open faces across an axis that are next to closed ones.
func (g *Geometry) Walls(axis int) (l WallList) {
	b := g.b
	dim, n := b.Grid.Dim, b.Faces(axis)
	for face := range n[0] * n[1] * n[2] {
		cell := [3]int{face % n[0], face / n[0] % n[1], face / (n[0] * n[1])}
		if g.closed(axis, cell) {
			continue
		}
		near, any := make([]float64, 0, 6), false
		for turn := range dim {
			along := (axis + turn) % dim
			for _, step := range []int{-1, 1} {
				v := g.excess(axis, cell, along, step)
				near, any = append(near, v), any || v != 0
			}
		}
		if any {
			l.Faces = append(l.Faces, int32(b.Index(cell[0], cell[1], cell[2])))
			l.Near = append(l.Near, near...)
		}
	}
	return l
}

// deepest is the depth in cells to which fractions go on into solids.
const deepest = 1.5

// Fill lists the own solid cells near the surface, and for each the cells around the point that mirrors it in the
// surface, or is a cell outside of it, with the weights of linear interpolation: so interfaces meet solids at right
// angles.
func (g *Geometry) Fill(solid []bool) (to, from []int32, weights []float64) {
	b, dim := g.b, g.b.Grid.Dim
	for c := range b.OwnedIndices() {
		if !solid[c] {
			continue
		}
		i, j, k := b.Cell(c)
		cell := [3]int{i, j, k}
		depth := -g.at(cell, 0, 0, 0)
		var normal [3]float64
		size := 0.0
		for d := range dim {
			var delta [3]float64
			delta[d] = .5
			normal[d] = g.at(cell, delta[0], delta[1], delta[2]) - g.at(cell, -delta[0], -delta[1], -delta[2])
			size += normal[d] * normal[d]
		}
		size = math.Sqrt(size)
		if !(size > 0) || depth > deepest*size {
			continue
		}
		depth /= size
		var first [3]int
		var rest [3]float64
		for d := range dim {
			x := normal[d] / size * (depth + max(depth, 1))
			first[d] = int(math.Floor(x))
			rest[d] = x - float64(first[d])
		}
		total, sources, parts := 0.0, [8]int32{}, [8]float64{}
		for n := range 1 << dim {
			at, weight := cell, 1.0
			for d := range dim {
				step := n >> d & 1
				at[d] += first[d] + step
				weight *= math.Abs(rest[d] - float64(1-step))
			}
			sources[n] = int32(c)
			if source, ok := g.index(at); ok && !solid[source] {
				sources[n], parts[n] = int32(source), weight
				total += weight
			}
		}
		if total < 1e-3 {
			continue
		}
		to = append(to, int32(c))
		for n := range 1 << dim {
			from, weights = append(from, sources[n]), append(weights, parts[n]/total)
		}
	}
	return to, from, weights
}
