// Package local is what kernels know of local time steps: that the cells of a mesh take steps of different lengths.
package local

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Steps are the steps of cells, none if all take that of the clock.
type Steps[F num.Float] struct {
	Of      []F // the step of each cell, ghosts too, as a multiple of the clock's
	Longest []F // the longest step that the waves allow each owned cell, s, which kernels write
}

// In returns the step of a cell, where the clock's is dt.
func (s *Steps[F]) In(cell int, dt F) F {
	if len(s.Of) > 0 {
		dt *= s.Of[cell]
	}
	return dt
}

// Across returns the longer step of two cells, within which an edge between them takes no more than either has.
func (s *Steps[F]) Across(left, right int32, dt F) F {
	if len(s.Of) > 0 {
		dt *= num.Larger(s.Of[left], s.Of[right])
	}
	return dt
}

// Note stores the longest step of a cell.
func (s *Steps[F]) Note(cell int, longest F) {
	if len(s.Longest) > 0 {
		s.Longest[cell] = longest
	}
}
