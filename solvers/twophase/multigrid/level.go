package multigrid

import (
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels/levels"
)

// replicated is the largest number of cells of a level that all ranks compute as a whole.
const replicated = 4096

// ghostLayers returns the layers of ghosts on coarse levels: weights need coefficients of two layers, links in the
// plane those of cells at a distance of two from the first layer.
func ghostLayers(dim int) int {
	if dim == 2 {
		return 3
	}
	return 2
}

// size is the number of cells of a level along each axis.
type size [3]int

func (n size) cells() int { return n[0] * n[1] * n[2] }

// halved returns which axes the next level halves: all of more than three cells, and the longest ones.
func (n size) halved(dim int) (h [3]bool) {
	longest := max(n[0], n[1], n[2])
	for d := range dim {
		h[d] = n[d] > 1 && (n[d] > 3 || n[d] == longest)
	}
	return h
}

func (n size) coarse(h [3]bool) size {
	for d := range h {
		if h[d] {
			n[d] = (n[d] + 1) / 2
		}
	}
	return n
}

// Align returns the number of cells along each axis that blocks must not divide, from the first cell on.
func Align(n [3]int, dim int) [3]int {
	align := [3]int{1, 1, 1}
	divided := 0 // levels
	for at := size(n); at.cells() > replicated; divided++ {
		h := at.halved(dim)
		for d := range h {
			if h[d] {
				align[d] *= 2
			}
		}
		at = at.coarse(h)
	}
	for d := range align {
		if dim == 2 && divided > 1 && align[d] > 1 {
			align[d] *= 2 // so that a block of the coarsest of these levels has at least as many cells as layers of ghosts
		}
	}
	return align
}

// level is a level: the cells of a block, or of the whole grid.
type level[F num.Float] struct {
	b              *grid.Block
	a              [3]*engine.Array[F] // coefficients of lower faces
	inverse        *engine.Array[F]    // of the diagonal
	rhs, t, r      *engine.Array[F]
	x              [2]*engine.Array[F] // the solution, and the one that Chebyshev iterations alternate with
	wide           bool                // the matrix is links
	w              [3]*engine.Array[F] // weights of interpolation from the next level
	plan           *halo.BoxPlan
	ghosts         *engine.Ghosts     // as many layers of cells as a row of the matrix reaches
	faceGhosts     *engine.Ghosts     // two layers, of faces too
	deepGhosts     *engine.Ghosts     // all layers of cells
	links          []*engine.Array[F] // of a coarse level in the plane, instead of the coefficients: see levels.Links
	wrapTo, wrapBy *engine.Array[int32]
	below          *levels.Transfer // to the next level; nil on the last one
}

// block returns the block of a level: its cells begin at a multiple of a coarse cell.
func blockOf(g *grid.Grid, boxes halo.Boxes, rank, ghost int) (*grid.Block, error) {
	lo, n := boxes.Box(rank)
	return g.Block(lo, n, ghost)
}

func wholeBoxes(g *grid.Grid) halo.Boxes {
	return halo.Boxes{Dim: g.Dim, Cuts: [3][]int{{0, g.N[0]}, {0, g.N[1]}, {0, g.N[2]}}, Periodic: g.Periodic}
}

func coarseBoxes(b halo.Boxes, h [3]bool) halo.Boxes {
	var cuts [3][]int
	for d := range cuts {
		for _, c := range b.Cuts[d] {
			if h[d] {
				c = (c + 1) / 2
			}
			cuts[d] = append(cuts[d], c)
		}
	}
	b.Cuts = cuts
	return b
}

// declare declares the arrays of a level, without the right-hand side if it has one. last means that it is the
// coarsest one.
func (l *level[F]) declare(t *engine.Table, last bool) {
	n := l.b.Len()
	add := func() *engine.Array[F] { return engine.Add[F](t, "multigrid", n) }
	for d := range l.b.Grid.Dim {
		l.a[d] = add()
		if !last {
			l.w[d] = add()
		}
	}
	if l.rhs == nil {
		l.rhs = add()
	}
	l.x[0] = add()
	if l.wide {
		l.declareLinks(t)
	}
	if !last {
		l.inverse, l.t, l.r, l.x[1] = add(), add(), add(), add()
	}
}

// linkArrays is the number of arrays of levels.Links.
const linkArrays = 13

func (l *level[F]) declareLinks(t *engine.Table) {
	for range linkArrays {
		l.links = append(l.links, engine.Add[F](t, "multigrid", l.b.Len()))
	}
}

// linksOf are the links for levels; those of a level without links are empty.
func (l *level[F]) linksOf() *levels.Links[F] {
	if l.links == nil {
		return &levels.Links[F]{}
	}
	n := func(k int) []F { return l.links[k].Data }
	return &levels.Links[F]{R1: n(0), R2: n(1), A0: n(2), A1: n(3), A2: n(4), A3: n(5), A4: n(6), B0: n(7), B1: n(8),
		B2: n(9), B3: n(10), B4: n(11), Extra: n(12)}
}

// planGhosts plans the exchange of all layers of ghosts of a level that is divided into blocks.
func (l *level[F]) planGhosts(boxes halo.Boxes, rank int) (err error) {
	layers := ghostLayers(l.b.Grid.Dim)
	width := [3]int{layers, layers, layers}
	l.plan, err = halo.NewBoxPlan(boxes, rank, l.b.Ghost, width, halo.AxisByAxis)
	return err
}

// declareWrap declares the lists of ghosts across periodic sides of a level that a rank has as a whole.
func (l *level[F]) declareWrap(t *engine.Table) {
	from, to := wrapped(l.b)
	l.wrapBy = engine.Input(t, "multigrid", len(from), func() []int32 { return from })
	l.wrapTo = engine.Input(t, "multigrid", len(to), func() []int32 { return to })
}

// wrapped lists the ghosts of the whole grid across periodic sides, and the cells that they stand for.
func wrapped(b *grid.Block) (from, to []int32) {
	for c := range b.Len() {
		i, j, k := b.Cell(c)
		at, ghost, inside := [3]int{i, j, k}, false, true
		for d := range at {
			n := b.N[d]
			if at[d] < 0 || at[d] >= n {
				inside = inside && b.Grid.Periodic[d]
				ghost = true
				at[d] = ((at[d] % n) + n) % n
			}
		}
		if ghost && inside {
			from, to = append(from, int32(b.Index(at[0], at[1], at[2]))), append(to, int32(c))
		}
	}
	return from, to
}

// lattice locates the block's cells by their indices in the block.
func (l *level[F]) lattice() levels.Lattice { return latticeOf(l.b) }

func latticeOf(b *grid.Block) levels.Lattice {
	_, sy, sz := b.Strides()
	return levels.Lattice{First: int32(b.Index(0, 0, 0)), SY: int32(sy), SZ: int32(sz)}
}

// cells is the index range of the block's cells, with layers of ghosts.
func (l *level[F]) cells(layers int) (box abi.Box) {
	box.Hi = l.b.N
	for d := range l.b.Grid.Dim {
		box.Lo[d] -= layers
		box.Hi[d] += layers
	}
	return box
}

// faces is the index range of the faces across an axis that the block owns.
func (l *level[F]) faces(axis int) abi.Box { return abi.Box{Hi: l.b.Faces(axis)} }

// matrix is the matrix of the level for levels.
func (l *level[F]) matrix() *levels.Level[F] {
	m := &levels.Level[F]{Lattice: l.lattice(), Space: l.b.Grid.Dim == 3, AX: l.a[0].Data, AY: l.a[1].Data}
	if m.Space {
		m.AZ = l.a[2].Data
	}
	if l.inverse != nil {
		m.Inverse = l.inverse.Data
	}
	return m
}

// weights are the weights of interpolation for levels.
func (l *level[F]) weights() *levels.Weights[F] {
	w := &levels.Weights[F]{X: l.w[0].Data, Y: l.w[1].Data}
	if l.w[2] != nil {
		w.Z = l.w[2].Data
	}
	return w
}

// transferTo is the transfer between a level and a coarser one.
func (l *level[F]) transferTo(c *level[F], h [3]bool) *levels.Transfer {
	t := &levels.Transfer{Fine: l.lattice(), Coarse: c.lattice(), Halved: h, Periodic: l.b.Grid.Periodic}
	for d := range 3 {
		t.Cells[d], t.Lo[d] = int32(l.b.Grid.N[d]), int32(l.b.Lo[d])
	}
	return t
}

// refresh fills the layers of ghosts of an array that a row of the matrix reaches.
func (l *level[F]) refresh(p *engine.Program, arrays ...*engine.Array[F]) {
	l.fill(p, l.ghosts, arrays)
}

// refreshFaces fills all ghosts of coefficients.
func (l *level[F]) refreshFaces(p *engine.Program) { l.fill(p, l.faceGhosts, l.a[:l.b.Grid.Dim]) }

// refreshDeep fills all ghosts of arrays of cells.
func (l *level[F]) refreshDeep(p *engine.Program, arrays ...*engine.Array[F]) {
	l.fill(p, l.deepGhosts, arrays)
}

func (l *level[F]) fill(p *engine.Program, g *engine.Ghosts, arrays []*engine.Array[F]) {
	if l.wrapBy != nil {
		for _, a := range arrays {
			p.Run(engine.Whole(levels.NewWrapLoop(l.wrapBy.Data, l.wrapTo.Data, a.Data), len(l.wrapTo.Data)))
		}
		return
	}
	all := make([]engine.Exchanged, len(arrays))
	for k, a := range arrays {
		all[k] = a
	}
	p.Exchange(g, all...)
}
