package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// Water in the paraboloid z = h0 (r²/a² - 1), with a shore that moves all round (W. C. Thacker, J. Fluid Mech. 107,
// 1981; the data are those of the SWASHES collection, O. Delestre et al., arXiv 1110.0288), run with the two-layer
// scheme PVM-IFCP, the upper layer absent, density ratio 1. Two solutions:
//
//	planar: the surface stays a plane and its centre runs round a circle of radius σ, (X, Y) = σ (cos ωt, sin ωt),
//	        h = h0 (1 - |(x, y) - (X, Y)|²/a²), velocity (X', Y') everywhere, ω = √(2 g h0)/a;
//	radial: the surface stays a paraboloid that breathes, ω = √(8 g h0)/a.
//
// Runs cover one period, after which the exact state is the initial one. A scheme of first order smears it by O(Δx);
// at the shore, where the depth has a kink, the order may be less than 1. The order on the finest pair must be 0.75
// to 1.15, the error at most one and a half cell widths relative to the radius of the bowl, and mass must be
// conserved to round-off with no negative depth.
type bowl struct {
	name   string
	period float64 // s, as published
	omega  float64
	at     func(x, y, t float64) basin.State
}

const (
	bowlDepth  = 0.1 // h0, m
	bowlRadius = 1.0 // a, m
)

func bowlBed(x, y float64) float64 { return bowlDepth * ((x*x+y*y)/(bowlRadius*bowlRadius) - 1) }

func planarBowl() bowl {
	const sigma = 0.5
	omega := math.Sqrt(2*basin.Gravity*bowlDepth) / bowlRadius
	return bowl{"planar", 4.4857015, omega, func(x, y, t float64) basin.State {
		sin, cos := math.Sincos(omega * t)
		dx, dy := x-sigma*cos, y-sigma*sin
		h := bowlDepth * (1 - (dx*dx+dy*dy)/(bowlRadius*bowlRadius))
		s := basin.State{Depth: -bowlBed(x, y)}
		if h > 0 {
			s.H2, s.U2, s.V2 = h, -sigma*omega*sin, sigma*omega*cos
		}
		return s
	}}
}

func radialBowl() bowl {
	const r0 = 0.8 // m, of the shore at t = 0
	const amplitude = (bowlRadius*bowlRadius - r0*r0) / (bowlRadius*bowlRadius + r0*r0)
	omega := math.Sqrt(8*basin.Gravity*bowlDepth) / bowlRadius
	return bowl{"radial", 2.2428507, omega, func(x, y, t float64) basin.State {
		sin, cos := math.Sincos(omega * t)
		d := 1 - amplitude*cos
		q := math.Sqrt(1 - amplitude*amplitude)
		surface := bowlDepth * (q/d - 1 - (x*x+y*y)/(bowlRadius*bowlRadius)*((1-amplitude*amplitude)/(d*d)-1))
		s := basin.State{Depth: -bowlBed(x, y)}
		if h := surface - bowlBed(x, y); h > 0 {
			rate := omega * amplitude * sin / (2 * d)
			s.H2, s.U2, s.V2 = h, rate*x, rate*y
		}
		return s
	}}
}

func thacker(ctx context.Context, p *verify.Page) error {
	sizes := []int{40, 80, 160}
	if p.Options.Quick {
		sizes = []int{24, 48}
	}
	for _, w := range []bowl{planarBowl(), radialBowl()} {
		if err := inBowl(ctx, p, w, sizes); err != nil {
			return err
		}
	}
	return nil
}

func inBowl(ctx context.Context, p *verify.Page, w bowl, sizes []int) error {
	period := 2 * math.Pi / w.omega
	t := p.Table(w.name+": after one period", "cells", "steps", "quantity", "reference", "Atoll", "deviation")
	t.Row(verify.Near(period, w.period, 1e-6), "", "", "period, s",
		fmt.Sprintf("%.7f", w.period), fmt.Sprintf("%.7f", period), "")
	var coarser float64
	for i, n := range sizes {
		m, err := mesh.Rectangle(-2, -2, 2, 2, 2*n*n, basin.MeshSeed)
		if err != nil {
			return err
		}
		p.Progress("%s, %d cells", w.name, len(m.Cells))
		cfg := basin.Settings("pvm-ifcp", 1)
		initial := func(x, y float64) basin.State { return w.at(x, y, 0) }
		b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Initial: initial})
		if err != nil {
			return err
		}
		meanDepth := b.Mean(func(i int, _, _ float64) float64 { return b.Value("h2", i) })
		c, err := b.Conserve(ctx, period)
		if err != nil {
			b.Close(ctx)
			return err
		}
		e := b.MeanError("h2", func(x, y float64) float64 { return w.at(x, y, period).H2 }) / meanDepth
		b.Close(ctx)
		t.Row(verify.AtMost(e, 1.5*4/float64(n)/bowlRadius), len(m.Cells), b.Steps(), "error of h, share of the water", 0,
			e, "")
		if i > 0 {
			o := verify.Order(coarser, e)
			v := verify.Info
			if i == len(sizes)-1 {
				v = verify.Between(o, basin.Bound(p, 0.75, 0.7), 1.15)
			}
			t.Row(v, len(m.Cells), b.Steps(), "order", "", fmt.Sprintf("%.2f", o), "")
		}
		t.Row(verify.AtMost(c.Drift2, 1e-13), len(m.Cells), b.Steps(), "drift of mass", 0, c.Drift2, "")
		t.Row(verify.AtLeast(c.Least, 0), len(m.Cells), b.Steps(), "least thickness, m", 0, c.Least, "")
		coarser = e
	}
	t.Flush()
	return nil
}
