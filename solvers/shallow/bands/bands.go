// Package bands orders the kernels of a step so that a CPU finds in its caches what it needs.
//
// A thread runs all kernels of a stage over one band of consecutive cells before it takes the next band, and within the
// band over one block of cells after the other: the slopes of the block, the fluxes of edges whose cells have slopes,
// and the update of cells whose edges have fluxes. What one kernel writes is then still in the core's caches when the
// next one reads it. What depends on two bands follows when all bands are done. The order of cells and edges changes no
// bit.
//
// Slopes and fluxes that have been read for the last time give up their position in the array to later ones of the same
// band: those of a band then stay in the caches and are not written to memory. SlopesAt and FluxAt are these positions.
package bands

import (
	"sort"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Kernel is one of the kernels of a stage.
type Kernel int

const (
	Slopes  Kernel = iota // of cells
	Flux                  // of edges
	Update                // of cells
	Kernels               // number of kernels
)

// Run is a kernel of a stage and the range of indices to run it for.
type Run struct {
	Kernel Kernel
	Lo, Hi int
}

// Bands are the runs that update all core cells and compute all fluxes between owned cells, by band. Runs of different
// bands in one list are independent of each other. Those of Late need the slopes of boundary cells, which need ghosts;
// those of Fluxes need Late, and those of Updates need Fluxes.
type Bands struct {
	Early, Late, Fluxes, Updates [][]Run

	SlopesAt []int32 // position of each core cell's slopes in their array; none at first order
	FluxAt   []int32 // position of each edge's flux in theirs
}

// New orders runs over core cells and over the edges between owned cells, which are sorted by their lower cell. Cells
// from len(core) on are boundary cells. At first order there are no slopes, and nothing is late. count is the number of
// bands, block the number of cells of a block.
func New(core []kernels.CellEdges, edges []kernels.EdgeCells, count, block, order int) *Bands {
	all := &Bands{Early: make([][]Run, count), Late: make([][]Run, count), Fluxes: make([][]Run, count),
		Updates: make([][]Run, count), FluxAt: make([]int32, len(edges))}
	if order == 2 {
		all.SlopesAt = make([]int32, len(core))
	}
	firstEdge := func(cell int) int {
		return sort.Search(len(edges), func(e int) bool { return int(lowerCell(edges[e])) >= cell })
	}
	builders := make([]bandBuilder, count)
	parallel.Ranges(count, parallel.Parts(count, 1), func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			b := &builders[k]
			*b = bandBuilder{core: core, edges: edges, order: order, lo: bandStart(k, count, len(core)),
				hi: bandStart(k+1, count, len(core))}
			b.firstEdge, b.endEdge = firstEdge(b.lo), len(edges)
			if k < count-1 {
				b.endEdge = firstEdge(b.hi)
			}
			b.build(all, k, block)
			b.assignPositions(all, k)
		}
	})
	slopes, fluxes := int32(0), int32(0)
	for k := range builders {
		b := &builders[k]
		b.slopes.base, b.fluxes.base = slopes, fluxes
		slopes, fluxes = slopes+b.slopes.used, fluxes+b.fluxes.used
	}
	parallel.Ranges(count, parallel.Parts(count, 1), func(_, lo, hi int) {
		for _, b := range builders[lo:hi] {
			b.shift(all)
		}
	})
	return all
}

// bandStart returns the first cell of band k of count bands of n cells: that of a piece, which no two bands share.
func bandStart(k, count, n int) int {
	if k == count {
		return n
	}
	return k * n / count / Piece * Piece
}

// bandBuilder orders the runs of the core cells [lo, hi) and the edges [firstEdge, endEdge), whose lower cell is one of
// them or, in the last band, a boundary cell.
type bandBuilder struct {
	core               []kernels.CellEdges
	edges              []kernels.EdgeCells
	order              int
	lo, hi             int
	firstEdge, endEdge int
	nextSlopes         int  // the first cell whose slopes have not been added
	nextFlux           int  // the first edge whose flux has not been added
	nextUpdate         int  // the first cell whose update has not been added
	boundary           bool // boundary cells have slopes
	runs               []Run
	slopes, fluxes     positions
}

// build adds the runs of band k.
func (b *bandBuilder) build(all *Bands, k, block int) {
	b.nextSlopes, b.nextFlux, b.nextUpdate = b.lo, b.firstEdge, b.firstInner()
	inner := b.nextUpdate
	for b.nextSlopes < b.hi && (b.nextSlopes == b.lo || !b.waits()) {
		b.advance(block)
	}
	b.follow() // edges between boundary cells at first order, if there are no core cells
	all.Early[k] = b.take()
	b.boundary = true
	b.follow()
	for b.nextSlopes < b.hi {
		b.advance(block)
	}
	all.Late[k] = b.take()
	b.add(Flux, b.nextFlux, b.endEdge)
	all.Fluxes[k] = b.take()
	b.add(Update, b.lo, inner)
	b.add(Update, b.nextUpdate, b.hi)
	all.Updates[k] = b.take()
}

// firstInner returns the first cell from which on no cell has an edge of an earlier band.
func (b *bandBuilder) firstInner() int {
	for i := b.hi; i > b.lo; i-- {
		for _, link := range b.core[i-1].Edge {
			if e, _ := Side(link); int(e) < b.firstEdge {
				return i
			}
		}
	}
	return b.lo
}

func (b *bandBuilder) add(kernel Kernel, lo, hi int) {
	if lo < hi {
		b.runs = append(b.runs, Run{kernel, lo, hi})
	}
}

// take returns the runs added since the last call.
func (b *bandBuilder) take() []Run {
	runs := b.runs
	b.runs = nil
	return runs
}

// advance adds the slopes of the next block, and what can follow.
func (b *bandBuilder) advance(block int) {
	from := b.nextSlopes
	b.nextSlopes = min(b.nextSlopes+block, b.hi)
	if b.order == 2 {
		b.add(Slopes, from, b.nextSlopes)
	}
	b.follow()
}

// follow adds the fluxes whose slopes are known, and the updates whose fluxes are known.
func (b *bandBuilder) follow() {
	from := b.nextFlux
	for b.nextFlux < b.endEdge && b.ready(b.edges[b.nextFlux]) {
		b.nextFlux++
	}
	b.add(Flux, from, b.nextFlux)
	from = b.nextUpdate
	for b.nextUpdate < b.hi && edgesBefore(b.core[b.nextUpdate], b.nextFlux) {
		b.nextUpdate++
	}
	b.add(Update, from, b.nextUpdate)
}

// ready reports whether the flux of an edge can be computed. At first order it could be at any time, but waits for the
// block of its lower cell.
func (b *bandBuilder) ready(e kernels.EdgeCells) bool {
	lower, upper := int(lowerCell(e)), int(max(e.Left, e.Right))
	if b.order == 1 {
		return lower < b.nextSlopes || lower >= len(b.core)
	}
	return b.hasSlopes(lower) && b.hasSlopes(upper)
}

func (b *bandBuilder) hasSlopes(cell int) bool {
	if cell >= len(b.core) {
		return b.boundary
	}
	return cell < b.nextSlopes
}

// waits reports whether the next flux waits for the slopes of a boundary cell.
func (b *bandBuilder) waits() bool {
	if b.order != 2 || b.nextFlux == b.endEdge {
		return false
	}
	edge := b.edges[b.nextFlux]
	return int(max(edge.Left, edge.Right)) >= len(b.core)
}

// lowerCell returns the cell of an edge with the lower index. At the boundary there is one cell.
func lowerCell(e kernels.EdgeCells) int32 {
	if e.Right < 0 {
		return e.Left
	}
	return min(e.Left, e.Right)
}

// edgesBefore reports whether all edges of a cell come before edge end.
func edgesBefore(c kernels.CellEdges, end int) bool {
	for _, link := range c.Edge {
		if e, _ := Side(link); int(e) >= end {
			return false
		}
	}
	return true
}
