package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// SquareReconstruct2 is Reconstruct2 for the cells of square t.
//
//atoll:kernel tile block=128 blocks=6
func SquareReconstruct2[F num.Float](
	t int, s *Sweep2[F], p *Squares, bits *[squareRuns]int32, groups *[squareGroups]int32, list *[squareCells]int32,
) {
	x, y := p.corner(t)
	for k := range int32(squareGroups) {
		groups[k] = 0
	}
	for k := range int32(squareRuns) {
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
		Reconstruct2(int(x+list[k]%squareSide), int(y+list[k]/squareSide), s)
	}
}

// mixedRun returns a bit for each mixed cell of run k of a square.
func (s *Sweep2[F]) mixedRun(k, x, y int32, p *Squares) int32 {
	f := runValuesOf(s.F, &s.Lattice, p, k, x, y)
	return f.mixed(s.RoundOff)
}
