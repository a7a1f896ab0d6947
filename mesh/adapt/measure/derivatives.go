package measure

// MeanMetric is the mean of the metrics at the vertices of a cell.
func MeanMetric(dim int, m *[4]*Tensor) (mean Tensor) {
	if dim == 2 {
		const third = 1.0 / 3
		for k := range 3 {
			mean[k] = (m[0][k] + m[1][k] + m[2][k]) * third
		}
		return mean
	}
	for k := range mean {
		mean[k] = (m[0][k] + m[1][k] + m[2][k] + m[3][k]) * 0.25
	}
	return mean
}

// SumOfSquares returns Σ l² over the edges of a cell, and its gradient with respect to vertex i.
func SumOfSquares(dim int, x *[4]*Vector, m *Tensor, i int) (n float64, gradient Vector) {
	if dim == 2 {
		u, v := Sub(x[i], x[(i+1)%3]), Sub(x[i], x[(i+2)%3])
		w := Sub(&u, &v)
		sum := Vector{u[0] + v[0], u[1] + v[1]}
		g := Product(m, &sum)
		return Square(2, m, &u) + Square(2, m, &v) + Square(2, m, &w), Vector{2 * g[0], 2 * g[1]}
	}
	for j := range dim + 1 {
		for k := j + 1; k <= dim; k++ {
			u := Sub(x[k], x[j])
			n += Square(dim, m, &u)
		}
		if j != i {
			u := Sub(x[i], x[j])
			g := Product(m, &u)
			for r := range gradient {
				gradient[r] += 2 * g[r]
			}
		}
	}
	return n, gradient
}

// Opposite has, for each vertex of a tetrahedron, those of the opposite face, clockwise as seen from the vertex.
var Opposite = [4][3]int{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}

// VolumeGradient is the gradient of a cell's volume with respect to its vertex i.
func VolumeGradient(dim int, x *[4]*Vector, i int) Vector {
	if dim == 2 {
		p, q := x[(i+1)%3], x[(i+2)%3]
		return Vector{0.5 * (p[1] - q[1]), 0.5 * (q[0] - p[0])}
	}
	f := &Opposite[i]
	u, v := Sub(x[f[1]], x[f[0]]), Sub(x[f[2]], x[f[0]])
	n := Cross(&u, &v)
	return Vector{n[0] * (-1.0 / 6), n[1] * (-1.0 / 6), n[2] * (-1.0 / 6)}
}
