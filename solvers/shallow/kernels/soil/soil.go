// Package soil is the physics of the ground that takes water: how much infiltrates in a step.
package soil

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Model is a model of infiltration.
type Model int32

const (
	GreenAmpt         Model = iota // the infiltration F satisfies dF/dt = K (1 + M/F), W. Green and G. Ampt (1911)
	InitialContinuing              // all rain up to an initial loss, then a constant rate while it rains
	CurveNumber                    // of the Soil Conservation Service: rain P gives the runoff (P-I)²/(P-I+S)
)

// Soil has the parameters of a cell's soil.
type Soil[F num.Float] struct {
	Rate    F // GreenAmpt: K, the conductivity; InitialContinuing: the continuing loss, m/s
	Depth   F // GreenAmpt: suction times Deficit; InitialContinuing: the initial loss; CurveNumber: I, m
	Deficit F // GreenAmpt: of moisture, where the water on the ground adds to the suction, else 0
	Storage F // CurveNumber: S, m
}

// Infiltration returns what the soil takes by a model in a step of length dt, in which the thickness fallen has fallen
// on a cell where the water is now h deep, m. It may be more than h. So far the thickness before of rain has
// fallen, and the soil has taken the thickness infiltrated, m.
func (s *Soil[F]) Infiltration(model Model, infiltrated, before, dt, fallen, h float64) float64 {
	rate, depth, storage := float64(s.Rate), float64(s.Depth), float64(s.Storage)
	if model == GreenAmpt {
		return greenAmpt(infiltrated, rate*dt, depth+float64(s.Deficit)*h)
	}
	start, end := num.Larger(before-depth, 0), num.Larger(before+fallen-depth, 0)
	excess := end - start // of the rain, over the initial loss
	if model == CurveNumber {
		return fallen - (runoff(end, storage) - runoff(start, storage))
	}
	if excess <= 0 {
		return fallen
	}
	return (fallen - excess) + num.Smaller(rate*dt*(excess/fallen), excess)
}

// runoff returns x²/(x+s), where x is the rain less the initial abstraction.
func runoff(x, s float64) float64 {
	if x <= 0 {
		return 0
	}
	return x * x / (x + s)
}

// greenAmpt returns what a soil under water takes until F - M ln(1 + F/M) has grown by a, where F is what it has taken:
// the trapezoidal rule for d(F²/2) = (F + M) da. F starts as a square root, so that four pieces of 1, 3, 5 and 7
// sixteenths are taken: the error of the first step is below 0.3% if a is below M/10.
func greenAmpt(taken, a, m float64) float64 {
	f := taken
	for k := 0; k < 4; k++ {
		piece := a * (float64(2*k+1) / 16)
		f = (piece + num.Sqrt(piece*piece+4*f*f+4*piece*f+8*piece*m)) / 2
	}
	return num.Larger(f-taken, 0)
}
