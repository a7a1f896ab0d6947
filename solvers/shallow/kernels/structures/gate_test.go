package structures

import (
	"math"
	"testing"
)

// TestGate: an open gate lets uniform flow through as it is, with its velocity, in both directions; a closed one lets
// nothing through, however fast the water in front is; and as a gate sinks into the water its discharge is continuous.
func TestGate(t *testing.T) {
	const g, width, u, area = 9.81, 4.0, 1.5, 30.0
	s := Structure{Kind: Gate, Jet: width * math.Sqrt(2*g), Span: width, Contraction: .6, FromMotion: 0, ToMotion: 2,
		From: End{Count: 1, Area: area}, To: End{Count: 1, Area: area}}
	flow := func(opening, from, to, velocity float64) (q, speed float64) {
		motion := []float64{0, 0, 0, 0}
		if velocity > 0 {
			motion[0], motion[2] = from*area*velocity*velocity, to*area*velocity*velocity
		} else {
			motion[1], motion[3] = from*area*velocity*velocity, to*area*velocity*velocity
		}
		return s.gate(opening, 0, motion, from*area, from, to*area, to, 0)
	}
	for _, sign := range []float64{1, -1} {
		if q, v := flow(3, 2, 2, sign*u); math.Abs(q-sign*width*2*u) > 1e-12*width*u || math.Abs(v-sign*u) > 1e-12 {
			t.Errorf("through an open gate %g m³/s at %g m/s, want %g at %g", q, v, sign*width*2*u, sign*u)
		}
	}
	if q, v := flow(0, 2, 1, u); q != 0 || v != 0 {
		t.Errorf("through a closed gate %g m³/s at %g m/s", q, v)
	}
	s.InvertFrom = 2.01 // above the water, but below its energy
	if q, v := flow(0, 2, 2, u); q != 0 || v != 0 {
		t.Errorf("through a closed gate above the water %g m³/s at %g m/s", q, v)
	}
	s.InvertFrom = 0
	before := math.NaN()
	for k := range 20_000 { // openings from 2.2 m down to 1.2 m, in water of 2 m
		q, _ := flow(2.2-5e-5*float64(k), 2, 1.9, u)
		if math.Abs(q-before) > 1e-3*width*2*u {
			t.Fatalf("at an opening of %g m the discharge changes by %g m³/s", 2.2-5e-5*float64(k), q-before)
		}
		before = q
	}
	if want := .6 * 1.2 * s.Jet * math.Sqrt(.1); math.Abs(before-want) > 1e-3*want {
		t.Errorf("under the gate %g m³/s, want %g", before, want)
	}
}
