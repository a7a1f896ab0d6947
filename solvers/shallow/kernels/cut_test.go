package kernels

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// pair returns two cells with an edge of unit length between them, whose normal is the x axis.
func pair(t *rapid.T, least, most float64) (Mesh[float64], []State[float64]) {
	draw := func(name string, lo, hi float64) float64 { return rapid.Float64Range(lo, hi).Draw(t, name) }
	m := Mesh[float64]{
		EdgeCells: []EdgeCells{{0, 1}}, Normals: []Normal[float64]{{X: 1, Length: 1}}, Owned: 2,
		FluxAt: []int32{0},
		Beds:   []Bed[float64]{{Depth: draw("depth", 0, 1), Area: .01}, {Depth: draw("depth", 0, 1), Area: .01}},
	}
	w := make([]State[float64], 2)
	for i := range w {
		h1, h2 := draw("h1", least, most), draw("h2", least, most)
		w[i] = State[float64]{
			H1: h1, Q1x: h1 * draw("u1", -3, 3), Q1y: h1 * draw("v1", -3, 3),
			H2: h2, Q2x: h2 * draw("u2", -3, 3), Q2y: h2 * draw("v2", -3, 3),
		}
	}
	return m, w
}

var schemes = map[string]Scheme{"roe": Roe, "ir-roe": IRRoe, "pvm-ifcp": PVM}

// TestLimitedFluxTakesItsMomentum proves that a layer whose mass flux is limited loses the momentum of the water it
// supplies, except for the speed of a front and the pressure on its own thickness, so that it does not accelerate as
// it drains.
func TestLimitedFluxTakesItsMomentum(t *testing.T) {
	p := &Params[float64]{Gravity: 9.81, DensityRatio: .9, CFL: .9, EntropyFix: .05, DryDepth: 1e-3, Tolerance: 1e-8}
	for name, scheme := range schemes {
		t.Run(name, func(t *testing.T) {
			limited := 0
			rapid.Check(t, func(t *rapid.T) {
				m, w := pair(t, .02, 1)
				lower, upper, n := make([]Flux[float64], 1), make([]Flux[float64], 1), &Counters{}
				EdgeFlux(0, scheme, p, &m, &Clock[float64]{Dt: .02}, w, lower, upper, n)
				if n.LimitedFluxes < 2 {
					return // the flux of at least one layer is not limited
				}
				limited++
				z2 := [2]float64{w[0].H2 - m.Beds[0].Depth, w[1].H2 - m.Beds[1].Depth}
				dz2 := math.Abs(z2[1] - z2[0])
				dz1 := math.Abs(w[1].H1 + z2[1] - w[0].H1 - z2[0])
				for _, layer := range []struct{ mass, h, q, push, jump float64 }{
					{upper[0].M, w[0].H1, w[0].Q1x, upper[0].Side[0].X, dz1},
					{lower[0].M, w[0].H2, w[0].Q2x, lower[0].Side[0].X, math.Max(dz1, dz2)},
				} {
					if layer.mass <= 0 {
						continue // the other side supplies
					}
					most := layer.mass*2*math.Sqrt(p.Gravity*layer.h) + p.Gravity*layer.h*layer.jump
					if d := math.Abs(layer.push - layer.mass*layer.q/layer.h); d > most*(1+1e-12) {
						t.Fatalf("a cell supplies %g m²/s, and its loss of momentum differs from that of this water by %g, more than %g",
							layer.mass, d, most)
					}
				}
			})
			if limited < 10 {
				t.Errorf("only %d faces had both fluxes limited", limited)
			}
		})
	}
}

// TestFilmsOnBothSidesRest proves that layers absent on both sides of an edge gain no momentum, on any slope.
func TestFilmsOnBothSidesRest(t *testing.T) {
	p := &Params[float64]{Gravity: 9.81, DensityRatio: .9, CFL: .9, EntropyFix: .05, DryDepth: 1e-3, Tolerance: 1e-8}
	for name, scheme := range schemes {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m, w := pair(t, 0, .99e-3)
				lower, upper := make([]Flux[float64], 1), make([]Flux[float64], 1)
				EdgeFlux(0, scheme, p, &m, &Clock[float64]{Dt: 1e-3}, w, lower, upper, &Counters{})
				if lower[0] != (Flux[float64]{}) || upper[0] != (Flux[float64]{}) {
					t.Fatalf("films exchange %+v and %+v", lower[0], upper[0])
				}
			})
		})
	}
}
