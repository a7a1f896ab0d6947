package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// MarkVertices marks all vertices for the operations of a mask.
//
//atoll:kernel
func MarkVertices(v int, mask int32, marks []int32) { marks[v] |= mask }

// BeginSweep makes the marked vertices wait to be moved, and unmarks them.
//
//atoll:kernel
func BeginSweep(v int, m *Mesh, r *Rules, marks []int32, turns []uint64, keep []uint8) {
	turns[v], keep[v] = 0, 0
	if marks[v]>>Smooth&1 != 0 && m.Balls[v].N > 0 {
		marks[v] &^= 1 << Smooth
		if m.Freedom[v] > 0 {
			turns[v], keep[v] = r.Turn(m.ID[v]), 1
		}
	}
}

// FindSet sets first to whether the vertices that wait are those to move before all around them, and later to whether
// they are not.
//
//atoll:kernel
func FindSet(i int, m *Mesh, waiting []int32, turns []uint64, first, later []uint8) {
	v := waiting[i]
	first[i], later[i] = 0, 1
	if m.Before(v, turns) == v {
		first[i], later[i] = 1, 0
	}
}

// Move is a move of a vertex.
type Move struct {
	Step
	At      float64 // parameter of the trial
	Verdict int32   // on the trial
	Moved   bool
}

// BeginMoves sets the steps of the vertices of a set, and x to where they are.
//
//atoll:kernel
func BeginMoves(i int, m *Mesh, r *Rules, set []int32, moves []Move, x []measure.Vector) {
	v := set[i]
	m.Order(v)
	var move Move
	move.Step = m.Newton(v, r)
	moves[i] = move
	x[i] = m.X[v]
}

// TryMoves sets where a trial brings the vertices that have not been moved.
//
//atoll:kernel
func TryMoves(i int, trial int32, m *Mesh, r *Rules, set []int32, moves []Move, x []measure.Vector) {
	move := moves[i]
	if move.Moved {
		return
	}
	to, at, verdict := m.Trial(set[i], &move.Step, trial, r)
	moves[i].At, moves[i].Verdict = at, verdict
	if verdict == Try {
		x[i] = to
	} else if verdict == Stay {
		moves[i].Dimension = 0
	}
}

// JudgeMoves moves the vertices that a trial improves.
//
//atoll:kernel
func JudgeMoves(i int, m *Mesh, r *Rules, set []int32, moves []Move, x []measure.Vector, want []measure.Tensor) {
	move := moves[i]
	if move.Moved || move.Verdict != Try || !m.Improves(set[i], &move.Step, &x[i], &want[i], r) {
		return
	}
	m.MoveTo(set[i], &x[i], &want[i], move.At)
	moves[i].Moved = true
}

// EndMoves makes the vertices of a set wait no longer, and marks those around the moved ones.
//
//atoll:kernel
func EndMoves(i int, m *Mesh, set []int32, moves []Move, turns []uint64, marks []int32) {
	v := set[i]
	turns[v] = 0
	if !moves[i].Moved {
		return
	}
	ball := m.Balls[v]
	for j := range ball.N {
		c := &m.Cells[m.Around[ball.Start+j]]
		for k := range 3 {
			atomics.Max(&marks[c.V[k]], MarkAll)
		}
	}
}

// Constant is a metric that is the same everywhere.
//
//atoll:constant
type Constant struct{ M measure.Tensor }

// Fill sets a metric to a constant one.
//
//atoll:kernel
func Fill(i int, of *Constant, want []measure.Tensor) { want[i] = of.M }
