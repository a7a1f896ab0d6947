package twophase

import (
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels"
)

// Solid is a body that fluid does not enter, at rest: negative inside. Slope is the most that Phi changes per unit of
// length, 0 if that is not known. Cells and faces are classified by Phi at points.
type Solid struct {
	Phi   func(x, y, z float64) float64
	Slope float64
}

// geometry is a solid on the grid. A face is closed if its centre is in the solid, and a cell is solid if all of its
// faces are closed. Positions beyond sides are those that they mirror, and across periodic ones those that they stand
// for, so that each rank knows its ghosts without asking.
type geometry struct {
	b     *grid.Block
	solid *Solid
	shut  [3][]bool // closed faces, by index
}

// least is the distance from a solid, in cells, at which a point counts as inside: sides of boxes are often in faces.
const least = 1e-9

// at returns the level set at a point in cells from the centre of cell (i, j, k), in units of cells.
func (g *geometry) at(cell [3]int, dx, dy, dz float64) float64 {
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
func (g *geometry) face(axis int, cell [3]int) float64 {
	var delta [3]float64
	delta[axis] = -.5
	return g.at(cell, delta[0], delta[1], delta[2])
}

func classify(b *grid.Block, solid *Solid) *geometry {
	g := &geometry{b: b, solid: solid}
	for d := range b.Grid.Dim {
		g.shut[d] = make([]bool, b.Len())
		for c := range g.shut[d] {
			i, j, k := b.Cell(c)
			g.shut[d][c] = g.face(d, [3]int{i, j, k}) <= least
		}
	}
	return g
}

// closed reports whether the lower face of a cell is.
func (g *geometry) closed(axis int, cell [3]int) bool {
	if c, ok := g.index(cell); ok {
		return g.shut[axis][c]
	}
	return g.face(axis, cell) <= least
}

// index returns the index of a cell in arrays; ok is false beyond the ghosts.
func (g *geometry) index(cell [3]int) (c int, ok bool) {
	for d := range cell {
		if ghost := g.b.GhostAlong(d); cell[d] < -ghost || cell[d] >= g.b.N[d]+ghost {
			return 0, false
		}
	}
	return g.b.Index(cell[0], cell[1], cell[2]), true
}

// isSolid reports whether all faces of a cell are closed.
func (g *geometry) isSolid(cell [3]int) bool {
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
func (g *geometry) distance(axis int, cell [3]int, along, step int) float64 {
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
func (g *geometry) excess(axis int, cell [3]int, along, step int) float64 {
	next := cell
	next[along] += step
	if !g.closed(axis, next) {
		return 0
	}
	return 1/g.distance(axis, cell, along, step) - 1
}

// solids are the arrays about solids; nil without them.
type solids[F num.Float] struct {
	geometry *geometry
	closed   [3]sideArrays[F] // sets closed faces to 0
	cells    sideArrays[F]    // sets solid cells to 0
	count    int              // own cells that are solid
	solid    []bool           // by index
	rim      []int            // own cells of fluid with a closed face

	wall   [3]wallArrays[F]
	filled fillArrays[F]
}

type wallArrays[F num.Float] struct {
	faces *engine.Array[int32]
	near  *engine.Array[F]
	list  wallList
}

// wallList is what kernels.Walls holds.
type wallList struct {
	faces []int32
	near  []float64
}

// fillArrays are the cells in solids near the surface and the cells of fluid that they take their fraction from.
type fillArrays[F num.Float] struct {
	to, from *engine.Array[int32]
	weights  *engine.Array[F]
}

func declareSolids[F num.Float](t *engine.Table, c *Config, b *grid.Block) *solids[F] {
	if c.Solid == nil {
		return nil
	}
	g := classify(b, c.Solid)
	s := &solids[F]{geometry: g}
	for d := range b.Grid.Dim {
		s.closed[d] = declareSides[F](t, zeros(g.shut[d]))
		list := g.walls(d)
		s.wall[d] = wallArrays[F]{list: list,
			faces: engine.Input(t, "solids", len(list.faces), func() []int32 { return list.faces }),
			near:  engine.Input(t, "solids", len(list.near), func() []F { return inPrecision[F](list.near) })}
	}
	solid := make([]bool, b.Len())
	for c := range solid {
		i, j, k := b.Cell(c)
		solid[c] = g.isSolid([3]int{i, j, k})
	}
	s.solid = solid
	for c := range b.OwnedIndices() {
		rim := false
		for d := range b.Grid.Dim {
			rim = rim || g.shut[d][c] || g.shut[d][c+stride(b, d)]
		}
		if solid[c] {
			s.count++
		} else if rim {
			s.rim = append(s.rim, c)
		}
	}
	s.cells = declareSides[F](t, zeros(solid))
	to, from, weights := g.fill(solid)
	s.filled = fillArrays[F]{engine.Input(t, "solids", len(to), func() []int32 { return to }),
		engine.Input(t, "solids", len(from), func() []int32 { return from }),
		engine.Input(t, "solids", len(weights), func() []F { return inPrecision[F](weights) })}
	return s
}

func stride(b *grid.Block, axis int) int {
	x, y, z := b.Strides()
	return [3]int{x, y, z}[axis]
}

// zeros lists elements that are set to 0.
func zeros(which []bool) (l ghostList) {
	for c, yes := range which {
		if yes {
			l.from, l.to, l.a, l.b = append(l.from, int32(c)), append(l.to, int32(c)), append(l.a, 0), append(l.b, 0)
		}
	}
	return l
}

func inPrecision[F num.Float](x []float64) []F {
	y := make([]F, len(x))
	for i, v := range x {
		y[i] = F(v)
	}
	return y
}

// walls lists the own open faces across an axis that are next to closed ones.
func (g *geometry) walls(axis int) (l wallList) {
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
			l.faces = append(l.faces, int32(b.Index(cell[0], cell[1], cell[2])))
			l.near = append(l.near, near...)
		}
	}
	return l
}

// deepest is the depth in cells to which fractions go on into solids.
const deepest = 1.5

// fill lists the own solid cells near the surface, and for each the cells around the point that mirrors it in the
// surface, or is a cell outside of it, with the weights of linear interpolation: so interfaces meet solids at right
// angles.
func (g *geometry) fill(solid []bool) (to, from []int32, weights []float64) {
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

// drag measures the force on solids.
type drag[F num.Float] struct{ *solver[F] }

// forces adds the force of the fluids on the solids to sums: that of the pressure on closed faces, and that of the
// stress that viscosity exerts on open faces from closed ones.
func (s drag[F]) forces(p, f []F, u *[3][]F, sums []dist.Accumulator) {
	g, dim := s.solids.geometry, s.block.Grid.Dim
	length, area := 1.0, float64(s.spacing)
	if dim == 3 {
		length, area = area, area*area
	}
	for _, c := range s.solids.rim {
		for d := range dim {
			weight := s.cfg.densityOf(float64(f[c])) * s.cfg.Gravity[d] * float64(s.spacing) / 2 // of the half cell at the face
			if g.shut[d][c] {
				sums[d].Add((weight - float64(p[c])) * area)
			}
			if g.shut[d][c+int(s.stride(d))] {
				sums[d].Add((weight + float64(p[c])) * area)
			}
		}
	}
	for d := range dim {
		w := &s.solids.wall[d].list
		for n, face := range w.faces {
			sums[d].Add(s.onWall(g, w, d, n, int(face), f, u) * length)
		}
	}
}

// onWall is the force per length on the solid of face n of a list of walls, in units of the spacing.
func (s drag[F]) onWall(g *geometry, w *wallList, d, n, c int, f []F, u *[3][]F) (sum float64) {
	dim, own := s.block.Grid.Dim, int(s.stride(d))
	v := float64(u[d][c])
	for turn := range dim {
		along := (d + turn) % dim
		step := int(s.stride(along))
		for side := range 2 {
			if !g.shut[d][c+(2*side-1)*step] {
				continue
			}
			excess := w.near[2*n*dim+2*turn+side]
			if turn == 0 {
				sum += 2 * s.viscosityOf(f, c+(side-1)*own) * v * (1 + excess)
				continue
			}
			at := c + side*step
			slope := float64(u[along][at]) - float64(u[along][at-own])
			mu := s.viscosityOf(f, at, at-own, at-step, at-step-own)
			sum += mu * (v*(1+excess) - float64(2*side-1)*slope)
		}
	}
	return sum
}

// viscosityOf is the viscosity of the mean of those cells that are not solid.
func (s drag[F]) viscosityOf(f []F, cells ...int) float64 {
	sum, count := 0.0, 0.0
	for _, c := range cells {
		if !s.solids.solid[c] {
			sum, count = sum+float64(f[c]), count+1
		}
	}
	return s.cfg.Viscosity[1] + (s.cfg.Viscosity[0]-s.cfg.Viscosity[1])*sum/max(count, 1)
}

// close sets closed faces of component d to 0.
func (s *solver[F]) close(p *engine.Program, d int, v *engine.Array[F]) {
	if s.solids != nil {
		p.Run(s.solids.closed[d].of(v))
	}
}

// extend continues a volume fraction into solids and beyond sides with contact angles, for planes, curvatures and
// viscosity.
func (s *solver[F]) extend(p *engine.Program, f *engine.Array[F]) {
	if s.solids != nil {
		q := &s.solids.filled
		p.Run(engine.Whole(kernels.NewFillSolidsLoop(1<<s.block.Grid.Dim, q.to.Data, q.from.Data, q.weights.Data, f.Data),
			len(q.to.Data)))
		s.refreshFractions(p, f)
	}
	wetting[F]{s}.extend(p, f)
}

// emptySolids sets solid cells to 0.
func (s *solver[F]) emptySolids(p *engine.Program, a *engine.Array[F]) {
	if s.solids != nil {
		p.Run(s.solids.cells.of(a))
	}
}

// walls are the walls of component d for kernels.
func (s *solids[F]) walls(d int) *kernels.Walls[F] {
	w := &s.wall[d]
	return &kernels.Walls[F]{Faces: w.faces.Data, Near: w.near.Data}
}
