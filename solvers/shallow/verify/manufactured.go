package verify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// A smooth motion of both layers over a varying bed in [0, 1]² that is compatible with walls: at each wall the normal
// velocities vanish, and bed, levels and tangential velocities are even. It solves the equations with source terms
// from automatic differentiation of the fields, which are added after each step, evaluated at its middle.
//
// All three schemes are of first order where the solution is smooth: the mean errors of all fields, summed, must fall
// with order 0.85 to 1.15 on the finest pair of meshes.
const (
	manufacturedRatio = 0.9
	manufacturedEnd   = 0.2
)

// motion holds the fields at a point and a time.
type motion struct{ depth, h1, u1, v1, h2, u2, v2 dual }

// clock holds the functions of time that the fields are made of.
type clock struct{ sin2, cos2, sin3, cos1 dual }

func clockAt(t float64) clock {
	wave := func(k float64) (sin, cos dual) {
		s, c := math.Sincos(k * t)
		return dual{v: s, t: k * c}, dual{v: c, t: -k * s}
	}
	var c clock
	c.sin2, c.cos2 = wave(2)
	c.sin3, _ = wave(3)
	_, c.cos1 = wave(1)
	return c
}

// position holds the functions of x and y of which the fields consist: sine and cosine of πx and πy.
type position struct{ sx, cx, sy, cy dual }

func positionAt(x, y float64) position {
	sx, cx := math.Sincos(math.Pi * x)
	sy, cy := math.Sincos(math.Pi * y)
	return position{
		dual{v: sx, x: math.Pi * cx}, dual{v: cx, x: -math.Pi * sx},
		dual{v: sy, y: math.Pi * cy}, dual{v: cy, y: -math.Pi * sy},
	}
}

func manufacturedMotion(at position, when clock) motion {
	twice := func(c dual) dual { return c.times(c).scaled(2).minus(constant(1)) } // cos 2a from cos a
	var m motion
	m.depth = constant(1).plus(twice(at.cx).times(at.cy).scaled(0.1))
	interfaceLevel := at.cx.times(twice(at.cy)).times(when.sin3.plus(constant(1))).scaled(0.05)
	surface := constant(1).plus(at.cx.times(at.cy).times(when.cos2).scaled(0.1))
	m.h2 = interfaceLevel.plus(m.depth)
	m.h1 = surface.minus(interfaceLevel)
	m.u1 = at.sx.times(at.cy).times(when.cos1).scaled(0.4)
	m.v1 = at.cx.times(at.sy).times(when.sin2.plus(constant(1))).scaled(-0.3)
	m.u2 = at.sx.times(twice(at.cy)).times(when.cos2).scaled(0.25)
	m.v2 = twice(at.cx).times(at.sy).times(when.cos1).scaled(0.35)
	return m
}

// source returns the residual of the equations for h1, q1x, q1y, h2, q2x, q2y.
func (m motion) source() [6]float64 {
	const r = manufacturedRatio
	z2 := m.h2.minus(m.depth)
	z1 := m.h1.plus(z2)
	lower := z1.scaled(r).plus(z2.scaled(1 - r))
	layer := func(h, u, v, level dual) (mass, x, y float64) {
		qx, qy := h.times(u), h.times(v)
		mass = h.t + qx.x + qy.y
		x = qx.t + qx.times(u).x + qx.times(v).y + basin.Gravity*h.v*level.x
		y = qy.t + qx.times(v).x + qy.times(v).y + basin.Gravity*h.v*level.y
		return mass, x, y
	}
	var s [6]float64
	s[0], s[1], s[2] = layer(m.h1, m.u1, m.v1, z1)
	s[3], s[4], s[5] = layer(m.h2, m.u2, m.v2, lower)
	return s
}

func (m motion) state() basin.State {
	return basin.State{Depth: m.depth.v, H1: m.h1.v, U1: m.u1.v, V1: m.v1.v, H2: m.h2.v, U2: m.u2.v, V2: m.v2.v}
}

func manufactured(ctx context.Context, p *verify.Page) error {
	sizes := []int{16, 32, 64, 128}
	if p.Options.Quick {
		sizes = []int{16, 32}
	}
	fields := []string{"h1", "u1", "v1", "h2", "u2", "v2"}
	columns := slices.Concat([]string{"scheme", "cells", "steps"}, fields, []string{"order"})
	t := p.Table(fmt.Sprintf("mean errors at t = %g s", manufacturedEnd), columns...)
	for _, scheme := range basin.Schemes {
		var coarser float64
		for i, n := range sizes {
			p.Progress("%d cells, %s", 2*n*n, scheme)
			errors, steps, err := manufacturedErrors(ctx, p, scheme, n, fields)
			if err != nil {
				return err
			}
			var sum float64
			cells := []any{scheme, 2 * n * n, steps}
			for _, e := range errors {
				sum += e
				cells = append(cells, fmt.Sprintf("%.3g", e))
			}
			v, rate := verify.Info, ""
			if i > 0 {
				o := verify.Order(coarser, sum)
				rate = fmt.Sprintf("%.2f", o)
				if i == len(sizes)-1 {
					v = verify.Between(o, 0.85, 1.15)
				}
			}
			t.Row(v, append(cells, rate)...)
			coarser = sum
		}
	}
	t.Flush()
	return nil
}

func manufacturedErrors(ctx context.Context, p *verify.Page, scheme string, n int, fields []string) ([]float64, int,
	error) {
	m, err := basin.Square(0.5, n, basin.MeshSeed)
	if err != nil {
		return nil, 0, err
	}
	for v := range m.X {
		m.X[v], m.Y[v] = m.X[v]+0.5, m.Y[v]+0.5
	}
	b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: basin.Settings(scheme, manufacturedRatio), Initial: func(x,
		y float64) basin.State {
		return manufacturedMotion(positionAt(x, y), clockAt(0)).state()
	}})
	if err != nil {
		return nil, 0, err
	}
	defer b.Close(ctx)
	places := make([]position, len(b.Part.Cells))
	for i := range places {
		places[i] = positionAt(b.Part.Centroid(i))
	}
	err = b.Until(ctx, manufacturedEnd, func(dt float64) error {
		when := clockAt(b.Time() - dt/2)
		return b.ModifyState(ctx, func(cell int, w *[6]float64) {
			for k, s := range manufacturedMotion(places[cell], when).source() {
				w[k] += dt * s
			}
		})
	})
	if err != nil {
		return nil, 0, err
	}
	end := clockAt(b.Time())
	errors := make([]float64, len(fields))
	for k, name := range fields {
		errors[k] = b.MeanError(name, func(x, y float64) float64 {
			s := manufacturedMotion(positionAt(x, y), end).state()
			return [...]float64{s.H1, s.U1, s.V1, s.H2, s.U2, s.V2}[k]
		})
	}
	return errors, b.Steps(), nil
}

// dual is a value with its derivatives by x, y and t: automatic differentiation in forward mode.
type dual struct{ v, x, y, t float64 }

func constant(v float64) dual { return dual{v: v} }

func (a dual) plus(b dual) dual { return dual{a.v + b.v, a.x + b.x, a.y + b.y, a.t + b.t} }

func (a dual) minus(b dual) dual { return dual{a.v - b.v, a.x - b.x, a.y - b.y, a.t - b.t} }

func (a dual) times(b dual) dual {
	return dual{a.v * b.v, a.x*b.v + a.v*b.x, a.y*b.v + a.v*b.y, a.t*b.v + a.v*b.t}
}

func (a dual) scaled(s float64) dual { return dual{s * a.v, s * a.x, s * a.y, s * a.t} }
