package vof

import (
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/vof/shape"
)

// Fill gives the volume fraction of a body in each cell of a block, x fastest, by dividing cells that its surface may pass
// levels times: see [shape.Body.Divided]. With levels below 0 it is found by quadrature.
func Fill(b *grid.Block, body shape.Body, levels int, planes bool) []float64 {
	out := make([]float64, 0, b.Cells())
	cell := shape.Cell{Dim: b.Grid.Dim}
	for d := range cell.Dim {
		cell.H[d] = b.Grid.Spacing(d)
	}
	for k := range b.N[2] {
		for j := range b.N[1] {
			for i := range b.N[0] {
				cell.Lo[0], cell.Lo[1], cell.Lo[2] = b.Vertex(i, j, k)
				if levels < 0 {
					out = append(out, body.Fraction(cell))
				} else {
					out = append(out, body.Divided(cell, levels, planes))
				}
			}
		}
	}
	return out
}
