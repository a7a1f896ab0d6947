package mutable

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/partition"
)

// Renumber numbers vertices along a Hilbert curve, and cells in the order in which the vertices have them, so that what
// is near in space is near in memory. Dead cells are dropped, and with all vertices without cells. It returns the old
// index of each vertex.
func Renumber(t *Mesh, drop bool) (order []int32) {
	order = alongCurve(t)
	if drop {
		order = order[:t.Vertices()]
	}
	old := *t
	to := make([]int32, len(old.X))
	for v, from := range order {
		to[from] = int32(v)
	}
	t.X, t.M = partition.Permuted(old.X, order), partition.Permuted(old.M, order)
	t.Want, t.ID = partition.Permuted(old.Want, order), partition.Permuted(old.ID, order)
	t.Freedom, t.Lines = partition.Permuted(old.Freedom, order), make([]kernels.Span, len(order))
	t.Ends, t.Balls, t.Around, t.Cells, t.unused, t.blocks = nil, nil, nil, nil, nil, blocks{}
	t.blocks.grow(&t.Mesh, len(order))
	t.Around = make([]int32, 0, len(order)<<leastLog)
	t.Cells = make([]Cell, 0, len(old.Cells)-len(old.unused))
	cell := make([]int32, len(old.Cells)) // new index and 1
	for v, from := range order {
		t.SetLine(int32(v), old.Line(from)...)
		for _, k := range old.Ball(from) {
			if cell[k] == 0 {
				c := old.Cells[k]
				for i := range t.Dim + 1 {
					c.V[i] = to[c.V[i]]
				}
				t.Cells = append(t.Cells, c)
				cell[k] = int32(len(t.Cells))
			}
			t.blocks.add(&t.Mesh, int32(v), cell[k]-1)
		}
	}
	for i := range t.Ends {
		t.Ends[i].To = to[t.Ends[i].To]
	}
	return order
}

// alongCurve returns the vertices in the order along a Hilbert curve, those without cells last.
func alongCurve(t *Mesh) []int32 {
	low, high := measure.Vector{}, measure.Vector{}
	for k := range t.Dim {
		low[k], high[k] = math.Inf(1), math.Inf(-1)
	}
	x := make([][]float64, t.Dim)
	for k := range x {
		x[k] = make([]float64, len(t.X))
		for v := range t.X {
			x[k][v] = t.X[v][k]
			low[k], high[k] = min(low[k], x[k][v]), max(high[k], x[k][v])
		}
	}
	keys := partition.HilbertKeys(low, max(high[0]-low[0], high[1]-low[1], high[2]-low[2]), x...)
	order := make([]int32, len(t.X))
	for v := range order {
		if order[v] = int32(v); t.Balls[v].N == 0 {
			keys[v] = math.MaxUint64
		}
	}
	partition.SortByKey(keys, order)
	return order
}
