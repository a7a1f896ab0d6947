package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
)

const growthCase = `
solver = "two-phase"
grid = { bounds = [0, -1, 0.5, 1], cells = [%d, %d] }
fluids = { density = [1, 3], viscosity = 0, surface_tension = 0.02, gravity = [0, -1] }
initial = { shape = "y - 1e-3*cos(6.283185307179586*x)" }
method = { tolerance = 1e-8 }
time = { end = 1.5 }
`

const fingerCase = `
solver = "two-phase"
grid = { bounds = [0, -2, 0.5, 2], cells = [%d, %d] }
fluids = { density = [3, 1], viscosity = 3e-3, gravity = [0, -1] }
initial = { shape = "-y - 0.1*cos(6.283185307179586*x)" }
sides = { y_low = "no-slip", y_high = "no-slip" }
time = { end = %g }
`

// instability has a heavy fluid above a light one. First a small wave without viscosity, whose amplitude grows as
// cosh(nt) with n² = (ρ2-ρ1)/(ρ2+ρ1) gk - σk³/(ρ1+ρ2) (Chandrasekhar, Hydrodynamic and Hydromagnetic Stability, §92).
// Then fingers at Reynolds number 1000, as Tryggvason, J. Comput. Phys. 75, 1988, and Guermond and Quartapelle, J.
// Comput. Phys. 165, 2000, have computed them: their figures have no numbers, so that two meshes are compared.
func instability(ctx context.Context, p *verify.Page) error {
	const k = 2 * math.Pi
	rate := math.Sqrt(.5*k - .02*k*k*k/4)
	t := p.Table("Growth of a small wave of a heavy fluid over a light one", "cells of a wavelength", "steps",
		"amplitude / start at t = 1.5", "theory", "error of the rate")
	for _, c := range []struct {
		n, resolution int
	}{{32, 0}, {64, 0}, {128, 1}} {
		if skipped(p, c.resolution) {
			continue
		}
		last, at := 0.0, 0.0
		j := testRun{text: fmt.Sprintf(growthCase, c.n/2, 2*c.n), each: func(m *moment) (err error) {
			var f []float64
			if f, at, err = m.fractions(); err != nil {
				return err
			}
			last = firstMode(f, c.n)
			return nil
		}}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		grown, want := last/1e-3, math.Cosh(rate*at)
		off := 1 - math.Acosh(grown)/(rate*at)
		v := verify.AtMost(math.Abs(off), .003+.32/float64(c.n))
		t.Row(v, c.n, o.steps, fmt.Sprintf("%.4f", grown), fmt.Sprintf("%.4f", want), fmt.Sprintf("%.2f%%", 100*off))
	}
	t.Flush()
	return fingers(ctx, p)
}

// firstMode is the amplitude of the first mode of half a wavelength of n cells, from the heights of columns.
func firstMode(f []float64, n int) (sum float64) {
	h, wide := 1/float64(n), n/2
	for c, part := range f {
		x := (float64(c%wide) + .5) * h
		sum += part * h * 4 * h * math.Cos(2*math.Pi*x)
	}
	half := math.Pi * h
	return sum * half / math.Sin(half)
}

func fingers(ctx context.Context, p *verify.Page) error {
	t := p.Table("Fingers at density ratio 3, Reynolds number 1000, t = 2.25 √(1/At g)", "cells of a wavelength", "steps",
		"spike", "bubble")
	var last [2]float64
	for _, c := range []struct{ n, resolution int }{{16, 0}, {32, 0}, {64, 1}, {128, 2}} {
		if skipped(p, c.resolution) {
			continue
		}
		p.Progress("fingers, %d cells", c.n)
		wide := c.n / 2
		j := testRun{text: fmt.Sprintf(fingerCase, wide, 4*c.n, 2.25*math.Sqrt2)}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		f, h, now := o.fields["f"], 1/float64(c.n), [2]float64{}
		for row := range 4 * c.n {
			now[0] += h * f[wide*row] // the heavy fluid on the axis of the spike, and the light one on that of the bubble
			now[1] += h * (1 - f[wide*row+wide-1])
		}
		now = [2]float64{2 - now[0], now[1] - 2}
		v := verify.Info
		if c.n > 32 {
			v = verify.AtMost(max(math.Abs(now[0]-last[0]), math.Abs(now[1]-last[1])), 2/float64(c.n))
		}
		t.Row(v, c.n, o.steps, fmt.Sprintf("%.4f", now[0]), fmt.Sprintf("%.4f", now[1]))
		last = now
	}
	t.Flush()
	return nil
}

const damCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 0.2857500, 0.1428750], cells = [%d, %d] }
fluids = { density = [1000, 1.2], viscosity = [1e-3, 1.8e-5], surface_tension = 0.072, gravity = [0, -9.81] }
initial = { shape = "box(-1, -1, 0.05715, 0.1143)" }
sides = { y_high = "outflow" }
time = { end = %g }
`

// damFronts are times √(2g/a) t at which the front of a column of water, a = 2.25 inches wide and 2a high, has reached
// a distance in units of a, and damHeights those √(g/a) t at which its height has fallen to a part: tables 2 and 6 of
// Martin and Moyce, Phil. Trans. R. Soc. A 244, 1952.
var (
	damFronts = [][2]float64{{1.43, 1.67}, {1.63, 1.89}, {1.83, 2.11}, {1.98, 2.33}, {2.20, 2.56}, {2.32, 2.78},
		{2.51, 3.00}, {2.65, 3.22}, {2.83, 3.44}, {2.98, 3.67}, {3.11, 3.89}, {3.33, 4.11}}
	damHeights = [][2]float64{{.56, .94}, {.77, .89}, {.93, .83}, {1.08, .78}, {1.28, .72}, {1.46, .67}, {1.66, .61},
		{1.84, .56}, {2.00, .50}, {2.21, .44}}
)

// dam compares the collapse of a column of water. The gate that held it in the experiment takes a part of the time to
// open, and the floor has friction, so that a computed front is ahead, by the same time everywhere.
func dam(ctx context.Context, p *verify.Page) error {
	const a = .05715
	t := p.Table("A column of water, 2.25 by 4.5 inches", "cells of its width", "steps", "front ahead by (t √(2g/a))",
		"least", "most", "height: largest difference")
	for _, c := range []struct{ n, resolution int }{{16, 0}, {32, 1}, {64, 4}} {
		if skipped(p, c.resolution) {
			continue
		}
		p.Progress("%d cells", c.n)
		wide, tall, h := 5*c.n, 5*c.n/2, 1/float64(c.n)
		var times, fronts, heights []float64
		j := testRun{text: fmt.Sprintf(damCase, wide, tall, 2.36*math.Sqrt(a/9.81)), each: func(m *moment) error {
			f, at, err := m.fractions()
			front, height := 0.0, 0.0
			for i := range wide {
				if part := f[i]; part > .5 {
					front = (float64(i) + .5 + part - .5) * h
				} else if i > 0 && f[i-1] > .5 && part > 0 {
					front += part * h
				}
			}
			for row := range tall {
				height += f[wide*row] * h
			}
			times, fronts, heights = append(times, at*math.Sqrt(9.81/a)), append(fronts, front), append(heights, height/2)
			return err
		}}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		mean, least, most := 0.0, math.Inf(1), math.Inf(-1)
		for _, q := range damFronts {
			ahead := q[0] - math.Sqrt2*timeOf(times, fronts, q[1])
			mean, least, most = mean+ahead/float64(len(damFronts)), min(least, ahead), max(most, ahead)
		}
		off := 0.0
		for _, q := range damHeights {
			off = max(off, math.Abs(valueAt(times, heights, q[0])-q[1]))
		}
		v := verify.AtMost(max(most-mean, mean-least), .15).And(verify.AtMost(off, .05), "height")
		t.Row(v, c.n, o.steps, fmt.Sprintf("%.3f", mean), fmt.Sprintf("%.3f", least), fmt.Sprintf("%.3f", most),
			fmt.Sprintf("%.3f", off))
	}
	t.Flush()
	return nil
}

// timeOf is the first time at which a function of given values reaches v; NaN if it does not.
func timeOf(t, values []float64, v float64) float64 {
	for k := 1; k < len(t); k++ {
		if values[k] >= v {
			return t[k-1] + (t[k]-t[k-1])*(v-values[k-1])/(values[k]-values[k-1])
		}
	}
	return math.NaN()
}

// valueAt is the value at a time of a piecewise linear function; NaN beyond its end.
func valueAt(t, values []float64, at float64) float64 {
	for k := 1; k < len(t); k++ {
		if t[k] >= at {
			return values[k-1] + (values[k]-values[k-1])*(at-t[k-1])/(t[k]-t[k-1])
		}
	}
	return math.NaN()
}
