package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// linearMode is a standing wave of small amplitude over a flat bed without mean flow: (h1', h2') ~ (1, μ) cos(kx)
// cos(ckt). Linearised, the equations give the two speeds
//
//	2c² = g(h1+h2) [1 ± √(1 - 4(1-r) h1 h2/(h1+h2)²)]  and  μ = (c² - g h1)/(g h1),
//
// the upper sign for the external, the lower for the internal wave.
func linearMode(r, h1, h2 float64, external bool) (c, mu float64) {
	root := math.Sqrt(1 - 4*(1-r)*h1*h2/((h1+h2)*(h1+h2)))
	if !external {
		root = -root
	}
	cc := basin.Gravity * (h1 + h2) / 2 * (1 + root)
	return math.Sqrt(cc), (cc - basin.Gravity*h1) / (basin.Gravity * h1)
}

// modes measures the frequency of standing waves in a closed channel of length 1 with k = π. A scheme of first order
// damps a wave, but the times of its zero crossings remain.
//
// The bound of 0.1% distinguishes the exact speeds from the usual approximation of internal waves by reduced gravity,
// c² = (1-r) g h1 h2/(h1+h2), also in the table, whose error is 0.3 to 1.2%.
func modes(ctx context.Context, p *verify.Page) error {
	// The speeds in the third column were computed to 40 digits from the eigenvalues of the 4×4 system.
	cases := []struct{ r, h1, h2, external, internal float64 }{
		{0.9, 0.6, 0.4, 3.093319, 0.491304},
		{0.98, 1, 1, 4.418303, 0.313999},
		{0.9, 100, 900, 98.594628, 9.439240},
	}
	cells := 100
	if p.Options.Quick {
		cells = 40
	}
	t := p.Table(fmt.Sprintf("standing waves, %d boxes along the channel", cells),
		"r, h1, h2", "wave", "scheme", "steps", "reduced g", "reference", "Atoll", "deviation")
	for i, c := range cases {
		for _, external := range []bool{true, false} {
			for _, scheme := range basin.Schemes {
				if p.Options.Quick && (i > 0 || scheme == "ir-roe") {
					continue
				}
				name, theirs, reduced := "external", c.external, ""
				if !external {
					name, theirs = "internal", c.internal
					reduced = fmt.Sprintf("%.6g", math.Sqrt((1-c.r)*basin.Gravity*c.h1*c.h2/(c.h1+c.h2)))
				}
				p.Progress("r = %g, depths %g and %g, %s, %s", c.r, c.h1, c.h2, name, scheme)
				speed, steps, err := modeSpeed(ctx, p, scheme, c.r, c.h1, c.h2, external, cells)
				if err != nil {
					return err
				}
				t.Row(verify.Near(speed, theirs, 0.001), fmt.Sprintf("%g, %g, %g", c.r, c.h1, c.h2), name, scheme, steps, reduced,
					fmt.Sprintf("%.6f", theirs), fmt.Sprintf("%.6f", speed), verify.Percent(verify.Deviation(speed, theirs)))
			}
		}
	}
	t.Flush()
	return nil
}

// modeSpeed runs a standing wave until its third zero crossing, one period after the first.
func modeSpeed(ctx context.Context, p *verify.Page, scheme string, r, h1, h2 float64, external bool,
	cells int) (speed float64, steps int, err error) {
	m, err := basin.Strip(0, 1, cells, 2)
	if err != nil {
		return 0, 0, err
	}
	const k = math.Pi
	c, mu := linearMode(r, h1, h2, external)
	_, other := linearMode(r, h1, h2, !external)
	small := 1e-6 * min(h1, h2)
	b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: basin.Settings(scheme, r), Initial: func(x,
		_ float64) basin.State {
		wave := small * math.Cos(k*x)
		return basin.State{Depth: h1 + h2, H1: h1 + wave, H2: h2 + mu*wave}
	}})
	if err != nil {
		return 0, 0, err
	}
	defer b.Close(ctx)
	// Orthogonal to the other mode, of which the discrete initial state has a small part.
	amplitude := func() float64 {
		return b.Mean(func(i int, x, _ float64) float64 {
			return (other*(b.Value("h1", i)-h1) - (b.Value("h2", i) - h2)) * math.Cos(k*x)
		})
	}
	var zeros []float64
	last, lastTime := amplitude(), 0.0
	for limit := 2 * 2 / c; len(zeros) < 3; {
		if b.Time() >= limit {
			return 0, 0, fmt.Errorf("the wave passed zero %d times in two periods, want 3", len(zeros))
		}
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		if _, err := b.Step(ctx, limit); err != nil {
			return 0, 0, err
		}
		now := amplitude()
		if (now < 0) != (last < 0) {
			zeros = append(zeros, lastTime+(b.Time()-lastTime)*last/(last-now))
		}
		last, lastTime = now, b.Time()
	}
	return 2 * math.Pi / (zeros[2] - zeros[0]) / k, b.Steps(), nil
}
