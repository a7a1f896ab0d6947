package verify

import "math"

// simple is a simple wave: a pulse that runs along x without changing anything but its steepness, until it breaks. The
// state is a function of one number s, the rise of the lower layer, along an integral curve of an eigenvector, and each
// value of s keeps its speed λ:
//
//	dW/ds = (1, λ, m, mλ)/m for W = (h1, q1, h2, q2), m = ((λ - u1)² - g h1)/(g h1).
type simple struct {
	ratio    float64 // of densities
	internal bool    // the wave of the interface, else that of the surface
	table    []lane  // for s from 0 to the amplitude
	spacing  float64
	width    float64 // of the pulse, m
	centre   float64 // where it starts, m
}

// lane is what moves with one speed.
type lane struct{ h1, q1, h2, q2, speed float64 }

// newSimple tabulates the wave into water at rest with thicknesses h1 and h2, up to a rise of amplitude, by the
// classical method of Runge and Kutta.
func newSimple(ratio, h1, h2, amplitude float64, internal bool) simple {
	const steps = 4000
	w := simple{ratio: ratio, internal: internal, spacing: amplitude / steps, width: 1000, centre: 5000}
	at := lane{h1: h1, h2: h2}
	at.speed = w.speed(at)
	w.table = append(w.table, at)
	for range steps {
		k1 := w.slope(at)
		k2 := w.slope(at.plus(w.spacing/2, k1))
		k3 := w.slope(at.plus(w.spacing/2, k2))
		k4 := w.slope(at.plus(w.spacing, k3))
		at = at.plus(w.spacing/6, k1).plus(w.spacing/3, k2).plus(w.spacing/3, k3).plus(w.spacing/6, k4)
		at.speed = w.speed(at)
		w.table = append(w.table, at)
	}
	return w
}

func (a lane) plus(k float64, d lane) lane {
	return lane{a.h1 + k*d.h1, a.q1 + k*d.q1, a.h2 + k*d.h2, a.q2 + k*d.q2, a.speed}
}

// slope is dW/ds.
func (w *simple) slope(at lane) lane {
	speed, u1 := w.speed(at), at.q1/at.h1
	m := ((speed-u1)*(speed-u1) - gravity*at.h1) / (gravity * at.h1)
	return lane{h1: 1 / m, q1: speed / m, h2: 1, q2: speed}
}

// speed is the eigenvalue of the wave that runs to the right, by bisection of the characteristic polynomial
// ((λ - u1)² - g h1)((λ - u2)² - g h2) = r g² h1 h2: the largest root is above both layers' own speeds, the next one
// below both.
func (w *simple) speed(at lane) float64 {
	u1, u2 := at.q1/at.h1, at.q2/at.h2
	c1, c2 := math.Sqrt(gravity*at.h1), math.Sqrt(gravity*at.h2)
	low, high := max(u1+c1, u2+c2), max(u1, u2)+c1+c2
	if w.internal {
		low, high = (u1+u2)/2, min(u1+c1, u2+c2)
	}
	for range 100 {
		x := (low + high) / 2
		below := ((x-u1)*(x-u1)-c1*c1)*((x-u2)*(x-u2)-c2*c2) < w.ratio*c1*c1*c2*c2
		if below == w.internal {
			high = x
		} else {
			low = x
		}
	}
	return (low + high) / 2
}

// at is the state at x and time t, before the wave breaks.
func (w *simple) at(x, t float64) lane {
	from := x
	for range 300 {
		from = x - t*w.rising(w.pulse(from)).speed
	}
	return w.rising(w.pulse(from))
}

// pulse is the rise at t = 0, as a share of the amplitude.
func (w *simple) pulse(x float64) float64 {
	d := (x - w.centre) / w.width
	return math.Exp(-d * d / 2)
}

// rising is the state at a share of the amplitude.
func (w *simple) rising(share float64) lane {
	at := share * float64(len(w.table)-1)
	k := min(int(at), len(w.table)-2)
	a, b, part := w.table[k], w.table[k+1], at-float64(k)
	return lane{
		a.h1 + part*(b.h1-a.h1), a.q1 + part*(b.q1-a.q1), a.h2 + part*(b.h2-a.h2), a.q2 + part*(b.q2-a.q2),
		a.speed + part*(b.speed-a.speed),
	}
}
