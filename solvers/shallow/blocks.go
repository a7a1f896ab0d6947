package shallow

import (
	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// On a CPU the kernels of a stage run over one block of cells after the other rather than each over all cells: the
// slopes of the block, the fluxes of edges whose cells all have slopes, and the update of cells whose edges all have
// fluxes. What one kernel writes is then still in the caches when the next one reads it. The order of cells and edges
// changes no bit.

// blockCells is the number of cells of a block for each thread: few enough for the cache of a core (some 600 bytes a
// cell at second order in float64). Tests change it.
var blockCells = 2048

// kernelRun is a kernel of a stage and the range of indices to run it for.
type kernelRun struct {
	kernel stageKernel
	lo, hi int
}

type stageKernel int

const (
	slopesKernel stageKernel = iota // of cells
	fluxKernel                      // of edges
	updateKernel                    // of cells
)

// blocks are the runs that update all core cells and compute all fluxes between owned cells. Those of late need the
// slopes of boundary cells, which need ghosts.
type blocks struct{ early, late []kernelRun }

// newBlocks orders runs over core cells and over the edges between owned cells, with block cells at a time. At first
// order there are no slopes, and nothing is late. Cells from len(core) on are boundary cells.
func newBlocks(core []kernels.CellEdges, edges []kernels.EdgeCells, block int, order int) (b blocks) {
	begun, fluxes, updated := 0, 0, 0 // how far each kernel has come
	boundary := order == 1            // boundary cells can be used
	usable := func(cell int32) bool {
		if int(cell) >= len(core) {
			return boundary
		}
		return int(cell) < begun
	}
	var runs []kernelRun
	add := func(kernel stageKernel, lo, hi int) {
		if lo < hi {
			runs = append(runs, kernelRun{kernel, lo, hi})
		}
	}
	follow := func() {
		from := fluxes
		for fluxes < len(edges) && usable(edges[fluxes].Left) && usable(edges[fluxes].Right) {
			fluxes++
		}
		add(fluxKernel, from, fluxes)
		from = updated
		for updated < len(core) && edgesBefore(core[updated], fluxes) {
			updated++
		}
		add(updateKernel, from, updated)
	}
	advance := func() {
		from := begun
		begun = min(begun+block, len(core))
		if order == 2 {
			add(slopesKernel, from, begun)
		}
		follow()
	}
	waits := func() bool { // for the slopes of a boundary cell
		return fluxes < len(edges) && !boundary && int(max(edges[fluxes].Left, edges[fluxes].Right)) >= len(core)
	}
	for begun < len(core) && (begun == 0 || !waits()) {
		advance()
	}
	b.early, runs = runs, nil
	boundary = true
	follow()
	for begun < len(core) {
		advance()
	}
	b.late = runs
	return b
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

// makeBlocks orders the kernels of a rank's stages. A device with separate memory has no use for blocks.
func (s *solver[F]) makeBlocks(order int, whole *kernels.Mesh[F], inner int) {
	block := blockCells * s.dev.Threads()
	if s.separate {
		block = s.part.Owned
	}
	s.blocks = newBlocks(whole.CellEdges[:s.part.Core], whole.EdgeCells[:inner], block, order)
}

// runBlocks runs kernels of a stage, given in the order of stageKernel.
func (s *solver[F]) runBlocks(runs []kernelRun, slopes, flux, update backend.Loop) {
	loops := [...]backend.Loop{slopesKernel: slopes, fluxKernel: flux, updateKernel: update}
	phase := [...]int{slopesKernel: inSlopes, fluxKernel: inFlux, updateKernel: inUpdate}
	for _, r := range runs {
		s.dev.Run(loops[r.kernel], r.lo, r.hi)
		s.lap(phase[r.kernel])
	}
}
