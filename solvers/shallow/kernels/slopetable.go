package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// SlopeTable stores the Slopes of cells with the same pair of values of all cells adjacent, so that the threads of a
// GPU, which process adjacent cells, access adjacent memory.
type SlopeTable[F num.Float] struct {
	Pairs []Vec2[F] // SlopePairs of each cell
	Cells int
}

// SlopePairs is the number of pairs of values in Slopes.
const SlopePairs = 10

// put writes the slopes of cell i.
func (t *SlopeTable[F]) put(upper bool, i int, s *Slopes[F]) {
	n := t.Cells
	t.Pairs[i] = Vec2[F]{s.H1, s.H2}
	t.Pairs[n+i], t.Pairs[2*n+i], t.Pairs[3*n+i] = s.Z2, s.Bed, s.U2
	t.Pairs[4*n+i], t.Pairs[5*n+i] = s.U2x, s.U2y
	if upper {
		t.Pairs[6*n+i], t.Pairs[7*n+i], t.Pairs[8*n+i], t.Pairs[9*n+i] = s.Z1, s.U1, s.U1x, s.U1y
	}
}

// get reads the slopes of cell i, without the upper layer if the run has none.
func (t *SlopeTable[F]) get(i int, upper bool, s *Slopes[F]) {
	n := t.Cells
	h := t.Pairs[i]
	s.H1, s.H2 = h.X, h.Y
	s.Z2, s.Bed, s.U2 = t.Pairs[n+i], t.Pairs[2*n+i], t.Pairs[3*n+i]
	s.U2x, s.U2y = t.Pairs[4*n+i], t.Pairs[5*n+i]
	if upper {
		s.Z1, s.U1, s.U1x, s.U1y = t.Pairs[6*n+i], t.Pairs[7*n+i], t.Pairs[8*n+i], t.Pairs[9*n+i]
	}
}

// TableSlopes does what CellSlopes does, and writes the slopes to a table.
//
//atoll:kernel oneLayer=false,true
func TableSlopes[F num.Float](i int, oneLayer bool, p *Params[F], m *Mesh[F], w []State[F], table *SlopeTable[F]) {
	s := slopesOf(oneLayer, i, p, m, w)
	table.put(!oneLayer, i, &s)
}

// TableReceived writes slopes received from another rank to the table.
//
//atoll:kernel oneLayer=false,true
func TableReceived[F num.Float](i int, oneLayer bool, received []Slopes[F], table *SlopeTable[F]) {
	s := received[i]
	table.put(!oneLayer, i, &s)
}
