package plic

import "math"

// parabola accumulates the normal equations of the fit s = a0 + a1 t + a2 t² and, with six terms, + a3 u + a4 u² + a5
// t u.
type parabola struct {
	terms  int
	count  int
	matrix [6][7]float64 // with the right-hand side
}

func (p *parabola) add(t, u, s float64) {
	row := [7]float64{1, t, t * t, u, u * u, t * u}
	row[p.terms] = s
	for i := range p.terms {
		for j := range p.terms + 1 {
			p.matrix[i][j] += row[i] * row[j]
		}
	}
	p.count++
}

// curvature returns the curvature at t = u = 0, positive for a maximum.
func (p *parabola) curvature() float64 {
	a, ok := p.solve()
	if !ok {
		return math.NaN()
	}
	slope := 1 + a[1]*a[1] + a[3]*a[3]
	return -2 * (a[2]*(1+a[3]*a[3]) + a[4]*(1+a[1]*a[1]) - a[1]*a[3]*a[5]) / (slope * math.Sqrt(slope))
}

// solve uses Gaussian elimination. It fails if the points do not determine the terms.
func (p *parabola) solve() (a [6]float64, ok bool) {
	if p.count < p.terms {
		return a, false
	}
	m := &p.matrix
	for k := range p.terms {
		if !(m[k][k] > 0) {
			return a, false
		}
	}
	var scale [6]float64
	for k := range p.terms { // the terms have different units
		scale[k] = 1 / math.Sqrt(m[k][k])
	}
	for i := range p.terms {
		for j := range p.terms {
			m[i][j] *= scale[i] * scale[j]
		}
		m[i][p.terms] *= scale[i]
	}
	for k := range p.terms {
		if m[k][k] < 1e-9 { // a pivot of a positive definite matrix with unit diagonal
			return a, false
		}
		for i := k + 1; i < p.terms; i++ {
			q := m[i][k] / m[k][k]
			for j := k; j <= p.terms; j++ {
				m[i][j] -= q * m[k][j]
			}
		}
	}
	for k := p.terms - 1; k >= 0; k-- {
		a[k] = m[k][p.terms]
		for j := k + 1; j < p.terms; j++ {
			a[k] -= m[k][j] * a[j]
		}
		a[k] /= m[k][k]
	}
	for k := range a {
		a[k] *= scale[k]
	}
	return a, true
}
