package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// SquareMatch2 is Match2 for the cells of square t.
//
//atoll:kernel tile block=128 blocks=7
func SquareMatch2[F num.Float](
	t int, m *Matching[F], p *Squares, bits *[squareRuns]int32, groups *[squareGroups]int32, list *[squareCells]int32,
) {
	x, y := p.corner(t)
	for k := range int32(squareGroups) {
		groups[k] = 0
	}
	for k := range int32(squareRuns) {
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
		m.match(m.at(int(x+list[k]%squareSide), int(y+list[k]/squareSide), 0))
	}
}

// lines returns a bit for each cell of run k of a square that needs a line.
func (m *Matching[F]) lines(k, x, y int32, p *Squares) int32 {
	f := runValuesOf(m.F, &m.Lattice, p, k, x, y)
	if !m.All {
		return f.mixed(0)
	}
	dx, dy := runValuesOf(m.DX, &m.Lattice, p, k, x, y), runValuesOf(m.DY, &m.Lattice, p, k, x, y)
	return f.mixed(0) | dx.nonzero() | dy.nonzero()
}
