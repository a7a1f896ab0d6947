package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// pulse is a simple wave of one layer or of two, computed at second order: a crest of 1 m travels about 5 km over 100 m
// of water, in a channel of 20 km by 2 km. The errors must be of order 2 where the wave is smooth. The reference is
// ANUGA 4.1 (DE1, its scheme of second order), with the same number of triangles.
type pulse struct {
	name        string
	end         float64                      // s
	bed         float64                      // depth of the bed, m
	rest        waveState                    // the water ahead of the wave
	at          func(x, t float64) waveState // the exact solution
	ratio       float64
	anugaCrests []float64 // height of the crest that ANUGA keeps, as a fraction, for each number of triangles
}

func pulses() []pulse {
	external, internal := newSimple(0.95, 40, 60, 1, false), newSimple(0.95, 40, 60, 1, true)
	rest := waveState{h1: 40, h2: 60}
	return []pulse{
		{"one layer", 160, 100, waveState{h2: 100}, oneLayer, 1, []float64{.9943, .9985}},
		{"two layers, surface", 160, 100, rest, external.at, .95, nil},
		{"two layers, interface", 1400, 100, rest, internal.at, .95, nil},
	}
}

// oneLayer is the simple wave of one layer: u - 2√(gh) is everywhere that of the water ahead.
func oneLayer(x, t float64) waveState {
	pulse := func(x float64) float64 { return math.Exp(-(x - 5000) / 1000 * (x - 5000) / 1000 / 2) }
	velocity := func(z float64) float64 { return 2 * (math.Sqrt(basin.Gravity*(100+z)) - math.Sqrt(basin.Gravity*100)) }
	from := x
	for range 300 {
		z := pulse(from)
		from = x - t*(velocity(z)+math.Sqrt(basin.Gravity*(100+z)))
	}
	z := pulse(from)
	return waveState{h2: 100 + z, q2: (100 + z) * velocity(z)}
}

// waves compares the pulses with the exact solutions, on two meshes each.
func waves(ctx context.Context, p *verify.Page) error {
	sizes, list := []int{4000, 16000}, pulses()
	if p.Options.Quick {
		sizes, list = []int{1000, 4000}, list[:2]
	}
	t := p.Table("simple waves: shares of the wave", "wave", "cells", "steps", "quantity", "ANUGA", "Atoll")
	for _, w := range list {
		var coarser [2]float64
		for i, cells := range sizes {
			e, crest, b, err := wave(ctx, p, w, cells)
			if err != nil {
				return err
			}
			theirs := ""
			if !p.Options.Quick && w.anugaCrests != nil {
				theirs = fmt.Sprintf("%.4f", w.anugaCrests[i])
			}
			last := i == len(sizes)-1
			t.Row(basin.Finest(p, last, verify.AtLeast(crest, .999)), w.name, cells, b.Steps(), "crest", theirs, crest)
			for layer, name := range []string{"error of h1", "error of h2"} {
				if w.rest.h1 == 0 && layer == 0 {
					continue
				}
				t.Row(basin.Finest(p, last, verify.AtMost(e[layer], 4e-4)), w.name, cells, b.Steps(), name, "", e[layer])
				if last {
					o := verify.Order(coarser[layer], e[layer])
					t.Row(verify.AtLeast(o, 1.9), w.name, cells, b.Steps(), name+", order", "", fmt.Sprintf("%.2f", o))
				}
			}
			coarser = e
		}
	}
	t.Flush()
	return nil
}

// wave runs a wave and returns the mean errors of both thicknesses relative to the wave, and the remaining part of
// its crest.
func wave(ctx context.Context, p *verify.Page, w pulse, cells int) (e [2]float64, crest float64, b *basin.Basin,
	err error) {
	m, err := mesh.Rectangle(0, 0, 20000, 2000, cells, basin.MeshSeed)
	if err != nil {
		return e, 0, nil, err
	}
	p.Progress("%s, %d cells", w.name, len(m.Cells))
	cfg := basin.Settings("pvm-ifcp", w.ratio)
	cfg.Order = 2
	initial := func(x, _ float64) basin.State {
		at := w.at(x, 0)
		s := basin.State{Depth: w.bed, H1: at.h1, H2: at.h2, U2: at.q2 / at.h2}
		if at.h1 > 0 {
			s.U1 = at.q1 / at.h1
		}
		return s
	}
	err = basin.Evolve(ctx, p, basin.Flow{Mesh: m, Config: cfg, Initial: initial}, w.end, func(run *basin.Basin) error {
		b = run
		at := func(x, _ float64) waveState { return w.at(x, w.end) }
		for k, name := range []string{"h1", "h2"} {
			pick := func(l waveState) float64 { return [2]float64{l.h1, l.h2}[k] }
			size := b.Mean(func(_ int, x, y float64) float64 { return math.Abs(pick(at(x, y)) - pick(w.rest)) })
			e[k] = b.MeanError(name, func(x, y float64) float64 { return pick(at(x, y)) }) / size
		}
		for i := range b.Part.Owned {
			crest = max(crest, b.Value("h2", i)-w.rest.h2)
		}
		return nil
	})
	return e, crest, b, err
}

// simple is a simple wave: a pulse that travels along x and only steepens until it breaks. The state is a function of
// one number s, the rise of the lower layer, along an integral curve of an eigenvector, and each value of s keeps its
// speed λ:
//
//	dW/ds = (1, λ, m, mλ)/m for W = (h1, q1, h2, q2), m = ((λ - u1)² - g h1)/(g h1).
type simple struct {
	ratio    float64     // of densities
	internal bool        // the wave of the interface, else that of the surface
	table    []waveState // for s from 0 to the amplitude
	spacing  float64
	width    float64 // of the pulse, m
	centre   float64 // where it starts, m
}

// waveState is a state of a simple wave, with its speed.
type waveState struct{ h1, q1, h2, q2, speed float64 }

// newSimple tabulates the wave into water at rest with thicknesses h1 and h2, up to a rise of amplitude, by the
// classical Runge–Kutta method.
func newSimple(ratio, h1, h2, amplitude float64, internal bool) simple {
	const steps = 4000
	w := simple{ratio: ratio, internal: internal, spacing: amplitude / steps, width: 1000, centre: 5000}
	at := waveState{h1: h1, h2: h2}
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

func (a waveState) plus(k float64, d waveState) waveState {
	return waveState{a.h1 + k*d.h1, a.q1 + k*d.q1, a.h2 + k*d.h2, a.q2 + k*d.q2, a.speed}
}

// slope is dW/ds.
func (w *simple) slope(at waveState) waveState {
	speed, u1 := w.speed(at), at.q1/at.h1
	m := ((speed-u1)*(speed-u1) - basin.Gravity*at.h1) / (basin.Gravity * at.h1)
	return waveState{h1: 1 / m, q1: speed / m, h2: 1, q2: speed}
}

// speed returns the eigenvalue of the wave to the right, by bisection of the characteristic polynomial ((λ - u1)² - g
// h1)((λ - u2)² - g h2) = r g² h1 h2: its largest root is above both layers' own speeds, the next one below both.
func (w *simple) speed(at waveState) float64 {
	u1, u2 := at.q1/at.h1, at.q2/at.h2
	c1, c2 := math.Sqrt(basin.Gravity*at.h1), math.Sqrt(basin.Gravity*at.h2)
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

// at returns the state at x and time t, before the wave breaks.
func (w *simple) at(x, t float64) waveState {
	from := x
	for range 300 {
		from = x - t*w.stateAt(w.pulse(from)).speed
	}
	return w.stateAt(w.pulse(from))
}

// pulse returns the rise at t = 0, relative to the amplitude.
func (w *simple) pulse(x float64) float64 {
	d := (x - w.centre) / w.width
	return math.Exp(-d * d / 2)
}

// stateAt returns the state at a fraction of the amplitude.
func (w *simple) stateAt(share float64) waveState {
	at := share * float64(len(w.table)-1)
	k := min(int(at), len(w.table)-2)
	a, b, part := w.table[k], w.table[k+1], at-float64(k)
	return waveState{
		a.h1 + part*(b.h1-a.h1), a.q1 + part*(b.q1-a.q1), a.h2 + part*(b.h2-a.h2), a.q2 + part*(b.q2-a.q2),
		a.speed + part*(b.speed-a.speed),
	}
}
