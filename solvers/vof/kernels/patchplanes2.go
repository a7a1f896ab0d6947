package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// PatchReconstruct2 is Reconstruct2 for the cells of patch t.
//
//atoll:kernel tile block=128 blocks=6
func PatchReconstruct2[F num.Float](
	t int, s *Sweep2[F], p *Patches, bits *[patchRuns]int32, groups *[patchGroups]int32, list *[patchCells]int32,
) {
	x, y := p.corner(t)
	for k := range int32(patchGroups) {
		groups[k] = 0
	}
	for k := range int32(patchRuns) {
		bits[k] = s.mixedRun(k, x, y, p)
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
		Reconstruct2(int(x+list[k]%patch), int(y+list[k]/patch), s)
	}
}

// mixedRun has a bit for each mixed cell of run k of a patch.
func (s *Sweep2[F]) mixedRun(k, x, y int32, p *Patches) int32 {
	f := octetOf(s.F, &s.Lattice, p, k, x, y)
	return f.mixed(s.Dust)
}
