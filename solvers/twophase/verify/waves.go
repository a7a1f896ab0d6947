package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
)

const waveCase = `
solver = "two-phase"
grid = { bounds = [0, -1.5, 0.5, 1.5], cells = [%d, %d] }
fluids = { density = 1, viscosity = 0.0182571749236, surface_tension = 1 }
initial = { shape = "y - %g*cos(6.283185307179586*x)" }
method = { tolerance = 1e-8 }
time = { end = %g }
`

// capillaryWave compares half a wavelength of a standing wave between fluids that differ only in their names with the
// solution of Prosperetti: the root of the mean square of the error of the largest height, over 25 units of time 1/ω0,
// relative to the amplitude. So do Popinet and Zaleski, Int. J. Numer. Meth. Fluids 30, 1999. A part of the error grows
// with the number of cells in the amplitude: with half of it 128 cells have as many as 64 with all.
func capillaryWave(ctx context.Context, p *verify.Page) error {
	const wavenumber, tall = 2 * math.Pi, 3
	exact := newDampedWave(1, 1, 1, .0182571749236, wavenumber)
	end := 25 / exact.frequency
	t := p.Table("A capillary wave, Laplace number 3000", "cells of a wavelength", "amplitude", "steps", "error",
		"Popinet 2009")
	for _, c := range []struct {
		n, resolution    int
		amplitude, bound float64
		published        string
	}{{8, 0, .01, .05, "0.1568"}, {16, 0, .01, .022, "0.0279"}, {32, 0, .01, .006, "0.0084"},
		{64, 1, .01, .002, "0.0018"}, {128, 2, .01, .0015, ""}, {128, 2, .005, .0006, ""}} {
		if skipped(p, c.resolution) {
			continue
		}
		p.Progress("%d cells", c.n)
		h := 1 / float64(c.n)
		var times, errors []float64
		j := testRun{text: fmt.Sprintf(waveCase, c.n/2, tall*c.n, c.amplitude, end), each: func(m *moment) error {
			f, at, err := m.fractions()
			largest := 0.0
			for i := range c.n / 2 {
				height := -tall / 2.
				for row := range tall * c.n {
					height += f[i+c.n/2*row] * h
				}
				largest = max(largest, math.Abs(height))
			}
			times = append(times, max(0, at))
			errors = append(errors, largest/c.amplitude-math.Abs(exact.at(max(0, at))))
			return err
		}}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		e := math.Sqrt(meanSquare(times, errors))
		t.Row(verify.AtMost(e, c.bound), c.n, c.amplitude, o.steps, fmt.Sprintf("%.4f", e), c.published)
	}
	t.Flush()
	return nil
}

// skipped reports whether a row is left out: one of resolution 0 never, one of 1 if only quick ones are asked for, and
// a finer one unless --resolution reaches it.
func skipped(p *verify.Page, resolution int) bool {
	if resolution == 0 {
		return false
	}
	return p.Options.Quick || float64(resolution) > max(1, p.Options.Resolution)
}

// meanSquare is the mean over time of the square of a piecewise linear function.
func meanSquare(t, v []float64) (sum float64) {
	for k := 1; k < len(t); k++ {
		sum += (t[k] - t[k-1]) * (v[k]*v[k] + v[k]*v[k-1] + v[k-1]*v[k-1]) / 3
	}
	return sum / (t[len(t)-1] - t[0])
}

const oscillationCase = `
solver = "two-phase"
grid = { bounds = %s, cells = %s }
fluids = { density = [1, 0.001], viscosity = [1e-4, 1e-6], surface_tension = 1 }
initial = { shape = "%s" }
method = { tolerance = 1e-7 }
time = { end = %g }
`

// oscillation compares the period of a drop's second mode with that of an inviscid drop (Lamb, Hydrodynamics, §275):
// ω² = 6σ/((ρ1+ρ2)R³) in the plane, 24σ/((3ρ1+2ρ2)R³) in space. The walls are far enough to change it by less than the
// density ratio of 1000; the amplitude lowers it by the order of its square.
func oscillation(ctx context.Context, p *verify.Page) error {
	const r = .2
	t := p.Table("A drop that oscillates, density ratio 1000", "in", "R/h", "amplitude", "steps", "period / theory")
	for _, c := range []struct {
		dim, n, resolution int
		amplitude, share   float64
	}{{2, 16, 0, .02, .03}, {2, 32, 1, .02, .01}, {3, 16, 0, .1, .02}, {3, 24, 1, .1, .02}} {
		if skipped(p, c.resolution) {
			continue
		}
		p.Progress("%d cells in %d dimensions", c.n, c.dim)
		long, short := r*(1+c.amplitude), r*(1-c.amplitude)
		bounds, cells, shape := "[0, 0, 0.5, 0.5]", fmt.Sprintf("[%d, %d]", c.n, c.n), fmt.Sprintf("ellipse(0, 0, %g, %g)",
			long, short)
		frequency := math.Sqrt(6 / (1.001 * r * r * r))
		if c.dim == 3 {
			short = r * (1 - c.amplitude/2)
			bounds, cells = "[0, 0, 0, 0.5, 0.5, 0.5]", fmt.Sprintf("[%d, %d, %d]", c.n, c.n, c.n)
			shape = fmt.Sprintf("ellipsoid(0, 0, 0, %g, %g, %g)", long, short, short)
			frequency = math.Sqrt(24 / (3.002 * r * r * r))
		}
		theory := 2 * math.Pi / frequency
		var crossings crossings
		j := testRun{text: fmt.Sprintf(oscillationCase, bounds, cells, shape, 2.1*theory), each: func(m *moment) error {
			f, at, err := m.fractions()
			v := 0.0
			for k, part := range f {
				x, y := float64(k%c.n)+.5, float64(k/c.n%c.n)+.5
				v += part * (x*x - y*y)
			}
			crossings.add(at, v)
			return err
		}}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		period := crossings.period() / theory
		t.Row(verify.Near(period, 1, c.share), []string{2: "plane", 3: "space"}[c.dim],
			fmt.Sprintf("%.1f", r*float64(2*c.n)), c.amplitude, o.steps, fmt.Sprintf("%.4f", period))
	}
	t.Flush()
	return nil
}

// crossings are the times at which a function changes its sign.
type crossings struct {
	times          []float64
	last, lastTime float64
}

func (c *crossings) add(t, v float64) {
	if c.last*v < 0 {
		c.times = append(c.times, c.lastTime+(t-c.lastTime)*c.last/(c.last-v))
	}
	c.last, c.lastTime = v, t
}

// period is twice the mean time between crossings, NaN if there are fewer than two.
func (c *crossings) period() float64 {
	n := len(c.times) - 1
	if n < 1 {
		return math.NaN()
	}
	return 2 * (c.times[n] - c.times[0]) / float64(n)
}
