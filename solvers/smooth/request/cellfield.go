package request

import "github.com/atoll-hpc/atoll/mesh/vector"

// fromCells returns the values at the vertices of a field of cells: at each vertex that of the linear function that
// fits the values at the centres of the cells around it best (least squares), or their mean where too few cells
// determine one. It is exact for linear fields, so that second derivatives of the result are not those of the mesh.
func (n Nodes) fromCells(values []float64) []float64 {
	sums := make([]fit, n.Vertices())
	corners := n.Dim + 1
	for c, x := range values {
		cell := n.Cells[c*corners : (c+1)*corners]
		centre := n.Centre(c)
		for _, v := range cell {
			sums[v].add(vector.Minus(centre, n.vertex(int(v))), x)
		}
	}
	at := make([]float64, len(sums))
	for v := range at {
		at[v] = sums[v].value(n.Dim)
	}
	return at
}

// fit has the normal equations of a linear function in 1, x, y, z, and their right-hand side in the last column.
type fit [4][5]float64

func (f *fit) add(at [3]float64, value float64) {
	row := [5]float64{1, at[0], at[1], at[2], value}
	for i := range f {
		for j := range row {
			f[i][j] += row[i] * row[j]
		}
	}
}

// value returns the function at 0, by elimination from the last unknown to the first.
func (f *fit) value(dim int) float64 {
	mean, count := f[0][4]/f[0][0], f[0][0]
	const singular = 1e-6 // share of a sum of squares that other unknowns do not explain
	for k := dim; k > 0; k-- {
		whole := f[k][k]
		for i := k + 1; i <= dim; i++ {
			whole += f[i][k] * f[i][k] / f[i][i] // what was eliminated
		}
		if !(f[k][k] > singular*whole) {
			return mean
		}
		for i := range k {
			factor := f[i][k] / f[k][k]
			for j := range f[i] {
				f[i][j] -= factor * f[k][j]
			}
		}
	}
	if !(f[0][0] > singular*count) {
		return mean
	}
	return f[0][4] / f[0][0]
}
