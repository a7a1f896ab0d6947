package vof

import "github.com/atoll-hpc/atoll/solvers/vof/shape"

// Fill gives the volume fraction of a body in each cell of a block, x fastest, by dividing cells that its surface may pass
// levels times: see [shape.Body.Divided]. With levels below 0 it is found by quadrature.
func Fill(b *Block, body shape.Body, levels int, planes bool) []float64 {
	out := make([]float64, 0, b.N[0]*b.N[1]*b.N[2])
	cell := shape.Cell{Dim: b.Dim}
	for d := range b.Dim {
		cell.H[d] = b.Side(d)
	}
	for k := range b.N[2] {
		for j := range b.N[1] {
			for i := range b.N[0] {
				for d, n := range [3]int{i, j, k} {
					cell.Lo[d] = b.Lo[d] + float64(b.First[d]+n)*b.Side(d)
				}
				if b.Dim == 2 {
					cell.Lo[2] = 0
				}
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
