package curved

import "math"

// unknowns is the number of coefficients of a paraboloid through the origin: two slopes and three second derivatives.
const unknowns = 5

// leastSquares is a weighted least-squares problem: the normal equations a·c = g.
type leastSquares struct {
	a [unknowns][unknowns]float64
	g [unknowns]float64
	n int // number of equations added
}

// add adds the equation row·c = value with a weight.
func (l *leastSquares) add(row [unknowns]float64, value, weight float64) {
	w := weight * weight
	for i := range row {
		for j := range row {
			l.a[i][j] += w * row[i] * row[j]
		}
		l.g[i] += w * row[i] * value
	}
	l.n++
}

// solve returns the unknowns. ok is false if the equations do not determine them.
func (l *leastSquares) solve() (c [unknowns]float64, ok bool) {
	if l.n < unknowns {
		return c, false
	}
	var root [unknowns][unknowns]float64 // Cholesky
	for i := range unknowns {
		for j := range i + 1 {
			sum := l.a[i][j]
			for k := range j {
				sum -= root[i][k] * root[j][k]
			}
			if i > j {
				root[i][j] = sum / root[j][j]
				continue
			}
			if !(sum > 1e-10*l.a[i][i]) { // NaN, or the equations are dependent but for round-off
				return c, false
			}
			root[i][i] = math.Sqrt(sum)
		}
	}
	c = l.g
	for i := range unknowns {
		for k := range i {
			c[i] -= root[i][k] * c[k]
		}
		c[i] /= root[i][i]
	}
	for i := unknowns - 1; i >= 0; i-- {
		for k := i + 1; k < unknowns; k++ {
			c[i] -= root[k][i] * c[k]
		}
		c[i] /= root[i][i]
	}
	return c, true
}
