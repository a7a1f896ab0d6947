package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// PatchMatch2 is Match2 for the cells of patch t.
//
//atoll:kernel tile block=128 blocks=7
func PatchMatch2[F num.Float](
	t int, m *Matching[F], p *Patches, bits *[patchRuns]int32, groups *[patchGroups]int32, list *[patchCells]int32,
) {
	x, y := p.corner(t)
	for k := range int32(patchGroups) {
		groups[k] = 0
	}
	for k := range int32(patchRuns) {
		bits[k] = m.lines(k, x, y, p)
		if bits[k] != 0 {
			atomic.AddInt32(&groups[k/groupRuns], ones(bits[k]))
		}
	}
	n := total(groups[:])
	runs := runsToList(n)
	for k := range runs {
		listRun(list[:], bits[:], groups[:], k)
	}
	for k := range n {
		m.match(m.at(int(x+list[k]%patch), int(y+list[k]/patch), 0))
	}
}

// lines has a bit for each cell of run k of a patch that has a line to find.
func (m *Matching[F]) lines(k, x, y int32, p *Patches) int32 {
	f := octetOf(m.F, &m.Lattice, p, k, x, y)
	if !m.All {
		return f.mixed(0)
	}
	dx, dy := octetOf(m.DX, &m.Lattice, p, k, x, y), octetOf(m.DY, &m.Lattice, p, k, x, y)
	return f.mixed(0) | dx.nonzero() | dy.nonzero()
}
