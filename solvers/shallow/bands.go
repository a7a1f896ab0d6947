package shallow

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// blockCells is the number of cells of a block in float64; in float32 it has twice as many. A block is consecutive
// cells of a band for which a kernel runs before the next kernel does. It fits the second cache of a core: it takes
// some 600 bytes a cell at second order in float64. Tests change blockCells.
var blockCells = 1024

const (
	blocksPerBand = 2 // at least, so that few cells and edges need the results of two bands
	// bandsPerThread is the largest number of bands of a thread: more than one, to balance the load, but few, since each
	// band has its own slopes and fluxes, which all bands of a thread should find in its caches. From manyThreads on there
	// are twice as many: the more threads there are, the longer they wait for the slowest one.
	bandsPerThread = 2
	manyThreads    = 8
)

// makeBands orders the kernels of the stages of a rank, and chooses the positions of slopes and fluxes in their arrays.
// It stores the positions in the mesh m of the rank's part, and replaces each edge in m.CellEdges by the position of
// its flux. Something but flow may bring water into sources. A device with separate memory takes all cells at a time.
func (s *stepper[F]) makeBands(order int, m *kernels.Mesh[F], inner int, sources []int32) {
	core := m.CellEdges[:s.part.Core]
	count, block, threads := 1, blockCells*8/int(unsafe.Sizeof(F(0))), s.dev.Threads()
	switch {
	case s.separate:
		block = max(len(core), 1)
	case threads > 1:
		if count = bandsPerThread * threads; threads >= manyThreads {
			count *= 2
		}
		count = min(count, max(len(core)/(blocksPerBand*block), threads))
	}
	s.bands = bands.New(core, m.EdgeCells[:inner], count, block, order)
	if !s.separate {
		s.activity = bands.NewActivity(len(core), m.EdgeCells[:inner], 1+order)
		for _, cell := range sources {
			s.activity.AddSource(cell)
		}
	}
	m.FluxAt = bands.Extend(s.bands.FluxAt, len(m.EdgeCells))
	if order == 2 {
		m.SlopesAt = bands.Extend(s.bands.SlopesAt, len(m.Beds))
	}
	parallel.Ranges(len(m.CellEdges), parallel.Parts(len(m.CellEdges), cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for k, link := range m.CellEdges[i].Edge {
				e, right := bands.Side(link)
				m.CellEdges[i].Edge[k] = m.FluxAt[e] ^ -right // ^position if the cell is on the right
			}
		}
	})
}

// forgetDry makes all cells count as wet until a step has found which are: their states, or what acts on them, have
// been changed.
func (s *rank[F]) forgetDry() error {
	if s.activity != nil {
		s.activity.Forget()
	}
	for _, marks := range s.wetTiles {
		all := make([]int32, len(marks))
		for k := range all {
			all[k] = 1
		}
		if err := backend.Upload(s.dev, marks, all); err != nil {
			return err
		}
	}
	return nil
}
