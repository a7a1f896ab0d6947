package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// surveyedCell is what a survey of the state finds in a cell.
type surveyedCell struct {
	Mass1    float64 `reduce:"sum"` // h1 times area, m³
	Mass2    float64 `reduce:"sum"` // h2 times area, m³
	AbsZ1    float64 `reduce:"sum"` // |z1| times area, m³
	SquareH2 float64 `reduce:"sum"` // h2² times area, m⁴
	MinH1    float64 `reduce:"min"` // h1, m
	MaxH1    float64 `reduce:"max"`
	MinH2    float64 `reduce:"min"` // h2, m
	MaxH2    float64 `reduce:"max"`
	MaxSpeed float64 `reduce:"max"` // of the faster layer that is not dry, m/s
}

// survey measures cell i.
//
//atoll:reduce Survey Surveyed
func survey[F num.Float](i int, p *Params[F], beds []Bed[F], w []State[F]) (s surveyedCell) {
	c, b := w[i], beds[i]
	area, h1, h2 := float64(b.Area), float64(c.H1), float64(c.H2)
	s.Mass1, s.Mass2, s.SquareH2 = h1*area, h2*area, h2*h2*area
	s.AbsZ1 = num.Abs(h1+h2-float64(b.Depth)) * area
	s.MinH1, s.MaxH1, s.MinH2, s.MaxH2 = h1, h1, h2, h2
	s.MaxSpeed = num.Larger(speed(p, c.H1, c.Q1x, c.Q1y), speed(p, c.H2, c.Q2x, c.Q2y))
	return s
}

// speed returns the speed of a layer, 0 if dry.
func speed[F num.Float](p *Params[F], h, qx, qy F) float64 {
	if h < p.DryDepth {
		return 0
	}
	x, y := float64(qx), float64(qy)
	return num.Sqrt(x*x+y*y) / float64(h)
}
