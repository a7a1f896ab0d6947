package measure

// MeanMetric is the mean of the metrics at the vertices of a tetrahedron.
func MeanMetric(m *[4]*Tensor) (mean Tensor) {
	for k := range mean {
		mean[k] = (m[0][k] + m[1][k] + m[2][k] + m[3][k]) * 0.25
	}
	return mean
}

// SumOfSquares returns Σ l² over the edges of a tetrahedron, and its gradient with respect to vertex i.
func SumOfSquares(x *[4]*Vector, m *Tensor, i int) (n float64, gradient Vector) {
	for j := range 4 {
		for k := j + 1; k < 4; k++ {
			u := Sub(x[k], x[j])
			n += Square(3, m, &u)
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

// VolumeGradient is the gradient of the volume of a tetrahedron with respect to its vertex i.
func VolumeGradient(x *[4]*Vector, i int) Vector {
	f := &Opposite[i]
	u, v := Sub(x[f[1]], x[f[0]]), Sub(x[f[2]], x[f[0]])
	n := Cross(&u, &v)
	return Vector{n[0] * (-1.0 / 6), n[1] * (-1.0 / 6), n[2] * (-1.0 / 6)}
}
