package plane

import (
	"cmp"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// Side is a directed edge of a triangle, which lies at its left.
type Side struct{ from, to [2]float64 }

func (s Side) reversed() Side { return Side{s.to, s.from} }

// Boundary returns the edges that bound the triangles marked inside, in any order: those that belong to only one of
// them.
func Boundary(m *vtk.Grid, inside []bool) []Side {
	sides := map[Side]bool{}
	for i, in := range inside {
		if !in {
			continue
		}
		cell := m.Cell(i)
		for k := range 3 {
			a, b := cell[k], cell[(k+1)%3]
			toggle(sides, Side{[2]float64{m.Points[3*a], m.Points[3*a+1]}, [2]float64{m.Points[3*b], m.Points[3*b+1]}})
		}
	}
	list := make([]Side, 0, len(sides))
	for s := range sides {
		list = append(list, s)
	}
	return list
}

// toggle adds a side. If the neighbouring triangle has already added the same edge in the opposite direction, it
// removes that one instead: the edge is inside the area.
func toggle(sides map[Side]bool, s Side) {
	if sides[s.reversed()] {
		delete(sides, s.reversed())
	} else {
		sides[s] = true
	}
}

// SidesOf decodes the sides of all ranks, encoded by NumbersOf, and returns those that bound the whole area, sorted.
func SidesOf(parts [][]float64) []Side {
	sides := map[Side]bool{}
	for _, part := range parts {
		for ; len(part) > 0; part = part[4:] {
			toggle(sides, Side{[2]float64(part[:2]), [2]float64(part[2:4])})
		}
	}
	list := make([]Side, 0, len(sides))
	for s := range sides {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Side) int {
		return cmp.Or(slices.Compare(a.from[:], b.from[:]), slices.Compare(a.to[:], b.to[:]))
	})
	return list
}

// NumbersOf encodes sides as coordinates, four per side, for messages.
func NumbersOf(list []Side) []float64 {
	numbers := make([]float64, 0, 4*len(list))
	for _, s := range list {
		numbers = append(numbers, s.from[0], s.from[1], s.to[0], s.to[1])
	}
	return numbers
}
