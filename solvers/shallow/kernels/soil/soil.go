// Package soil is the physics of the ground that takes water: how much infiltrates in a step.
package soil

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Model is a model of infiltration.
type Model int32

const (
	GreenAmpt         Model = iota // the infiltration F satisfies dF/dt = K (1 + M/F), W. Green and G. Ampt (1911)
	InitialContinuing              // all rain up to an initial loss, then a constant rate while it rains
	CurveNumber                    // of the Soil Conservation Service: rain P gives the runoff (P-I)²/(P-I+S)
	Horton                         // at the rate fc + (f0-fc) exp(-kt), R. Horton (1940): see horton
)

// Soil has the parameters of a cell's soil.
type Soil[F num.Float] struct {
	// GreenAmpt: K, the conductivity; InitialContinuing: the continuing loss; Horton: fc, m/s.
	Rate F
	// GreenAmpt: suction times Deficit; InitialContinuing: the initial loss; CurveNumber: I; Horton: (f0-fc)/k, m.
	Depth   F
	Deficit F // GreenAmpt: of moisture, where the water on the ground adds to the suction, else 0
	Scale   F // CurveNumber: S, m; Horton: k, 1/s
}

// Infiltration returns what the soil takes by a model in a step of length dt, in which the thickness fallen has fallen
// on a cell where the water is now h deep, m. It may be more than h. So far the thickness before of rain has
// fallen, and the soil has taken the thickness infiltrated, m.
func (s *Soil[F]) Infiltration(model Model, infiltrated, before, dt, fallen, h float64) float64 {
	rate, depth, scale := float64(s.Rate), float64(s.Depth), float64(s.Scale)
	if model == GreenAmpt {
		return greenAmpt(infiltrated, rate*dt, depth+float64(s.Deficit)*h)
	}
	if model == Horton {
		return horton(infiltrated, rate, depth, scale, dt)
	}
	start, end := num.Larger(before-depth, 0), num.Larger(before+fallen-depth, 0)
	excess := end - start // of the rain, over the initial loss
	if model == CurveNumber {
		return fallen - (runoff(end, scale) - runoff(start, scale))
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

// horton returns what a soil under water takes in a time dt that begins when it has taken the thickness taken: it takes
// F(t) = fc t + depth (1 - exp(-kt)) since it was dry, so that its rate depends on what it has taken, not on how long
// it has rained. Where less water is there than it would take, the next step goes on from that. It does not recover
// while it is dry.
func horton(taken, fc, depth, k, dt float64) float64 {
	share := 0.0 // 1 - exp(-kt) at the beginning
	if fc <= 0 {
		if taken < depth {
			share = taken / depth
		} else {
			share = 1
		}
	} else if taken > 0 {
		share = decayed(hortonTime(taken*k, fc, depth*k))
	}
	return fc*dt + depth*(1-share)*decayed(k*dt)
}

// hortonTime returns the x with fc x + excess (1 - exp(-x)) = f, for a positive fc, by Newton's method from below,
// where each iteration stays, since the left side is concave.
func hortonTime(f, fc, excess float64) float64 {
	x := num.Larger(f/(fc+excess), (f-excess)/fc)
	for i := 0; i < 40; i++ {
		share := decayed(x)
		next := x + (f-fc*x-excess*share)/(fc+excess*(1-share))
		if !(next > x) {
			break
		}
		x = next
	}
	return x
}

// decayed returns 1 - exp(-x) for x ≥ 0, to some units in the last place: a Taylor series below 1/8, and as often as
// needed 1 - exp(-2x) = (1 - exp(-x))(1 + exp(-x)).
func decayed(x float64) float64 {
	if x > 40 {
		return 1
	}
	n := 0
	for k := 0; k < 9; k++ {
		if x > 0.125 {
			x, n = x/2, n+1
		}
	}
	y := x * (1 - x/2*(1-x/3*(1-x/4*(1-x/5*(1-x/6*(1-x/7*(1-x/8*(1-x/9*(1-x/10)))))))))
	for k := 0; k < n; k++ {
		y *= 2 - y
	}
	return y
}
