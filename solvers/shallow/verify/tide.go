package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// tide is the amphidromic tide of a round basin with a flat bed: the wave ζ = a J₁(κr)/J₁(κR) cos(θ - ωt), which turns
// around the centre (H. Lamb, Hydrodynamics, 6th edition, 1932, section 210). With κ² = (ω²-f²)/gH and no flow through
// the wall, κR J₁'(κR) = (f/ω) J₁(κR).
type tide struct {
	deep, omega, coriolis, high float64 // m, 1/s, 1/s, m
	kappa, radius               float64 // 1/m, m
}

// newTide returns the tide of the moon, of 12.42 hours, at latitude 52 in water of 50 m; the radius of the basin, 230
// km, is that of its first mode.
func newTide() *tide {
	t := &tide{deep: 50, omega: 2 * math.Pi / (12.42 * 3600), coriolis: 2 * 7.292e-5 * math.Sin(52*math.Pi/180), high: .01}
	t.kappa = math.Sqrt((t.omega*t.omega - t.coriolis*t.coriolis) / (basin.Gravity * t.deep))
	low, high := .1, 1.8 // of κR, between which x J₁' - (f/ω) J₁ changes its sign
	for range 100 {
		x := (low + high) / 2
		if x*math.J0(x)-math.J1(x) > t.coriolis/t.omega*math.J1(x) {
			low = x
		} else {
			high = x
		}
	}
	t.radius = low / t.kappa
	return t
}

// at returns the level and the velocity at a position when the crest is at θ = 0.
func (t *tide) at(x, y float64) (level, u, v float64) {
	r := max(math.Hypot(x, y), 1e-9*t.radius)
	cos, sin := x/r, y/r
	scale := t.high / math.J1(t.kappa*t.radius)
	j := math.J1(t.kappa * r)
	shape, steep := scale*j, scale*(t.kappa*math.J0(t.kappa*r)-j/r) // and its derivative
	g, f := basin.Gravity, t.coriolis
	around := g * (f*steep - t.omega*shape/r) / (f*f - t.omega*t.omega) // times cos θ
	out := (g*steep - f*around) / t.omega                               // times sin θ
	radial, tangential := out*sin, around*cos
	return shape * cos, radial*cos - tangential*sin, radial*sin + tangential*cos
}

// disc returns a mesh of a disc of 6 rings² triangles: ring k has 6k vertices.
func disc(radius float64, rings int) *mesh.Mesh {
	m := &mesh.Mesh{X: []float64{0}, Y: []float64{0}}
	first := []int32{0}
	for k := 1; k <= rings; k++ {
		first = append(first, int32(len(m.X)))
		for n := range 6 * k {
			a := 2 * math.Pi * float64(n) / float64(6*k)
			r := radius * float64(k) / float64(rings)
			m.X, m.Y = append(m.X, r*math.Cos(a)), append(m.Y, r*math.Sin(a))
		}
	}
	vertex := func(k, n int) int32 {
		if k == 0 {
			return 0
		}
		return first[k] + int32(n%(6*k))
	}
	for k := 1; k <= rings; k++ {
		for sector := range 6 {
			for n := range k {
				outer, inner := sector*k+n, sector*(k-1)+n
				m.Cells = append(m.Cells, [3]int32{vertex(k-1, inner), vertex(k, outer), vertex(k, outer+1)})
				if n+1 < k {
					m.Cells = append(m.Cells, [3]int32{vertex(k-1, inner), vertex(k, outer+1), vertex(k-1, inner+1)})
				}
			}
		}
	}
	return m
}

// amphidrome runs the tide for 20 cycles. The component of the level that has the shape of the tide has an amplitude
// and a phase: the length of a cycle may differ by a thousandth, and the amplitude by a tenth at the end.
func amphidrome(ctx context.Context, p *verify.Page) error {
	w := newTide()
	rings, cycles := []int{12, 24}, 20.0
	if p.Options.Quick {
		rings, cycles = []int{8}, 2
	}
	t := p.Table(fmt.Sprintf("amphidromic tide of a round basin of %.0f km after %g cycles of 12.42 h", w.radius/1000,
		cycles), "cells", "steps", "amplitude, of the exact one", "length of a cycle, of the exact one",
		"mean error of the level, of the mean level")
	for k, n := range rings {
		m := disc(w.radius, n)
		p.Progress("%d cells", len(m.Cells))
		f := basin.Flow{Mesh: m, Config: floodConfig(1e-3), Coriolis: w.coriolis, Initial: func(x, y float64) basin.State {
			z, u, v := w.at(x, y)
			return basin.State{Depth: w.deep, H2: w.deep + z, U2: u, V2: v}
		}}
		err := basin.Evolve(ctx, p, f, cycles*2*math.Pi/w.omega, func(b *basin.Basin) error {
			ahead := func(x, y float64) float64 { z, _, _ := w.at(-y, x); return -z } // shape × sin θ
			part := func(shape func(x, y float64) float64) float64 {
				return b.Mean(func(i int, x, y float64) float64 { return b.Value("z2", i) * shape(x, y) })
			}
			level := func(x, y float64) float64 { z, _, _ := w.at(x, y); return z }
			norm := b.Mean(func(_ int, x, y float64) float64 { return level(x, y) * level(x, y) })
			cos, sin := part(level)/norm, part(ahead)/norm
			// The crest is at the angle of (cos, sin): ahead, if the cycle is too short.
			amplitude, cycle := math.Hypot(cos, sin), 1-math.Atan2(sin, cos)/(2*math.Pi*cycles)
			e := b.MeanError("z2", level) / b.Mean(func(_ int, x, y float64) float64 { return math.Abs(level(x, y)) })
			good := verify.Near(cycle, 1, .001).And(verify.Near(amplitude, 1, .1), "amplitude")
			t.Row(basin.Finest(p, k == len(rings)-1, good), len(m.Cells), b.Steps(), amplitude, cycle, e)
			return nil
		})
		if err != nil {
			return err
		}
	}
	t.Flush()
	return nil
}
