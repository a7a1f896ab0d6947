package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Quantities of a cell that diagnostics sum up, and of which they take the extremes.
const (
	Mass1    int32 = iota // h1 times area, m³
	Mass2                 // h2 times area, m³
	Surface               // |z1| times area, m³
	Lower                 // h2² times area, m⁴
	Upper1                // h1, m
	Upper2                // h2, m
	Speed                 // of the faster layer that is not dry, m/s
	Measures              // how many there are
)

// Measure writes quantity what of cell i.
//
//atoll:kernel
func Measure[F num.Float](i int, what int32, p *Params[F], beds []Bed[F], w []State[F], out []float64) {
	c := w[i]
	area, h1, h2 := float64(beds[i].Area), float64(c.H1), float64(c.H2)
	switch what {
	case Mass1:
		out[i] = h1 * area
	case Mass2:
		out[i] = h2 * area
	case Surface:
		out[i] = num.Abs(h1+h2-float64(beds[i].Depth)) * area
	case Lower:
		out[i] = h2 * h2 * area
	case Upper1:
		out[i] = h1
	case Upper2:
		out[i] = h2
	case Speed:
		out[i] = num.Larger(speed(p, c.H1, c.Q1x, c.Q1y), speed(p, c.H2, c.Q2x, c.Q2y))
	}
}

// speed is that of a layer, 0 where it is dry.
func speed[F num.Float](p *Params[F], h, qx, qy F) float64 {
	if h < p.DryDepth {
		return 0
	}
	x, y := float64(qx), float64(qy)
	return num.Sqrt(x*x+y*y) / float64(h)
}
