package shallow

import (
	"sort"
	"sync/atomic"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// On a CPU a thread runs all kernels of a stage over one band of consecutive cells before it takes the next band, and
// within the band over one block of cells after the other: the slopes of the block, the fluxes of edges whose cells
// have slopes, and the update of cells whose edges have fluxes. What one kernel writes is then still in the core's
// caches when the next one reads it. What depends on two bands follows when all bands are done. The order of cells and
// edges changes no bit.

// blockCells is the number of cells of a block. A block fits the caches of a core: it takes some 600 bytes a cell at
// second order in float64. Tests change it.
var blockCells = 2048

const (
	blocksPerBand  = 2 // at least, so that little depends on two bands
	bandsPerThread = 8 // at most, to balance the load
)

type stageKernel int

const (
	slopesKernel stageKernel = iota // of cells
	fluxKernel                      // of edges
	updateKernel                    // of cells
	stageKernels
)

// kernelRun is a kernel of a stage and the range of indices to run it for.
type kernelRun struct {
	kernel stageKernel
	lo, hi int
}

// bands are the runs that update all core cells and compute all fluxes between owned cells, by band. Runs of different
// bands in one list are independent of each other. Those of late need the slopes of boundary cells, which need ghosts;
// those of fluxes need late, and those of updates need fluxes.
type bands struct{ early, late, fluxes, updates [][]kernelRun }

// newBands orders runs over core cells and over the edges between owned cells, which are sorted by their lower cell.
// Cells from len(core) on are boundary cells. At first order there are no slopes, and nothing is late.
func newBands(core []kernels.CellEdges, edges []kernels.EdgeCells, count, block, order int) (all bands) {
	firstEdge := func(cell int) int {
		return sort.Search(len(edges), func(e int) bool { return int(lowerCell(edges[e])) >= cell })
	}
	for k := range count {
		b := bandBuilder{core: core, edges: edges, order: order, lo: k * len(core) / count, hi: (k + 1) * len(core) / count}
		b.firstEdge, b.endEdge = firstEdge(b.lo), len(edges)
		if k < count-1 {
			b.endEdge = firstEdge(b.hi)
		}
		b.begun, b.fluxes, b.updated = b.lo, b.firstEdge, b.firstInner()
		inner := b.updated
		for b.begun < b.hi && (b.begun == b.lo || !b.waits()) {
			b.advance(block)
		}
		b.follow() // edges between boundary cells at first order, if there are no core cells
		all.early = append(all.early, b.take())
		b.boundary = true
		b.follow()
		for b.begun < b.hi {
			b.advance(block)
		}
		all.late = append(all.late, b.take())
		b.add(fluxKernel, b.fluxes, b.endEdge)
		all.fluxes = append(all.fluxes, b.take())
		b.add(updateKernel, b.lo, inner)
		b.add(updateKernel, b.updated, b.hi)
		all.updates = append(all.updates, b.take())
	}
	return all
}

// bandBuilder orders the runs of the core cells [lo, hi) and the edges [firstEdge, endEdge), whose lower cell is one of
// them or, in the last band, a boundary cell.
type bandBuilder struct {
	core                   []kernels.CellEdges
	edges                  []kernels.EdgeCells
	order                  int
	lo, hi                 int
	firstEdge, endEdge     int
	begun, fluxes, updated int  // how far the kernels have come
	boundary               bool // boundary cells have slopes
	runs                   []kernelRun
}

// firstInner returns the first cell from which on no cell has an edge of an earlier band.
func (b *bandBuilder) firstInner() int {
	for i := b.hi; i > b.lo; i-- {
		for _, link := range b.core[i-1].Edge {
			if e, _ := side(link); int(e) < b.firstEdge {
				return i
			}
		}
	}
	return b.lo
}

func (b *bandBuilder) add(kernel stageKernel, lo, hi int) {
	if lo < hi {
		b.runs = append(b.runs, kernelRun{kernel, lo, hi})
	}
}

// take returns the runs added since the last call.
func (b *bandBuilder) take() []kernelRun {
	runs := b.runs
	b.runs = nil
	return runs
}

// advance adds the slopes of the next block, and what can follow.
func (b *bandBuilder) advance(block int) {
	from := b.begun
	b.begun = min(b.begun+block, b.hi)
	if b.order == 2 {
		b.add(slopesKernel, from, b.begun)
	}
	b.follow()
}

// follow adds the fluxes whose slopes are known, and the updates whose fluxes are known.
func (b *bandBuilder) follow() {
	from := b.fluxes
	for b.fluxes < b.endEdge && b.ready(b.edges[b.fluxes]) {
		b.fluxes++
	}
	b.add(fluxKernel, from, b.fluxes)
	from = b.updated
	for b.updated < b.hi && edgesBefore(b.core[b.updated], b.fluxes) {
		b.updated++
	}
	b.add(updateKernel, from, b.updated)
}

// ready reports whether the flux of an edge can be computed. At first order it could be at any time, but waits for the
// block of its lower cell.
func (b *bandBuilder) ready(e kernels.EdgeCells) bool {
	lower, upper := int(lowerCell(e)), int(max(e.Left, e.Right))
	if b.order == 1 {
		return lower < b.begun || lower >= len(b.core)
	}
	return b.hasSlopes(lower) && b.hasSlopes(upper)
}

func (b *bandBuilder) hasSlopes(cell int) bool {
	if cell >= len(b.core) {
		return b.boundary
	}
	return cell < b.begun
}

// waits reports whether the next flux waits for the slopes of a boundary cell.
func (b *bandBuilder) waits() bool {
	return b.order == 2 && b.fluxes < b.endEdge && int(max(b.edges[b.fluxes].Left, b.edges[b.fluxes].Right)) >= len(b.core)
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
		if e, _ := side(link); int(e) >= end {
			return false
		}
	}
	return true
}

// bandLoop runs kernels of a stage over bands, which are its indices.
type bandLoop struct {
	kernels [stageKernels]backend.Loop
	runs    [][]kernelRun
	spent   [stageKernels]atomic.Int64 // ns of all threads
}

func (l *bandLoop) Grain() int { return 1 }

func (l *bandLoop) Range(lo, hi int) {
	for _, runs := range l.runs[lo:hi] {
		for _, r := range runs {
			start := time.Now()
			l.kernels[r.kernel].Range(r.lo, r.hi)
			l.spent[r.kernel].Add(int64(time.Since(start)))
		}
	}
}

// makeBands orders the kernels of a rank's stages. A device with separate memory takes all cells at a time.
func (s *solver[F]) makeBands(order int, whole *kernels.Mesh[F], inner int) {
	core := whole.CellEdges[:s.part.Core]
	count, block, threads := 1, blockCells, s.dev.Threads()
	switch {
	case s.separate:
		block = max(len(core), 1)
	case threads > 1:
		count = min(max(len(core)/(blocksPerBand*block), threads), bandsPerThread*threads)
	}
	s.bands = newBands(core, whole.EdgeCells[:inner], count, block, order)
}

// runBands runs a list of runs with the kernels of a stage, and adds the time to the phases of the kernels in
// proportion to that of the threads.
func (s *solver[F]) runBands(runs [][]kernelRun, kernels [stageKernels]backend.Loop) {
	phase := [...]int{slopesKernel: inSlopes, fluxKernel: inFlux, updateKernel: inUpdate}
	if s.separate {
		for _, r := range runs[0] {
			s.dev.Run(kernels[r.kernel], r.lo, r.hi)
			s.lap(phase[r.kernel])
		}
		return
	}
	l := &s.bandLoop
	l.kernels, l.runs = kernels, runs
	s.dev.Run(l, 0, len(runs))
	now, all := time.Now(), int64(0)
	for k := range l.spent {
		all += l.spent[k].Load()
	}
	for k := range l.spent {
		if spent := l.spent[k].Swap(0); spent > 0 {
			s.spent[phase[k]] += time.Duration(float64(now.Sub(s.lapStart)) * float64(spent) / float64(all))
		}
	}
	s.lapStart = now
}
