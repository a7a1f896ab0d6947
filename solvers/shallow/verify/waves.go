package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
)

// Simple waves of one layer and of two, at second order: a crest of 1 m runs some 5 km over 100 m of water, in a
// channel of 20 km by 2 km. The error of order 2 is asked for where the wave is smooth everywhere. Theirs is ANUGA 4.1
// (DE1, its scheme of second order), on as many triangles of the same channel.
type pulse struct {
	name   string
	end    float64 // s
	bed    float64 // its depth, m
	rest   lane
	at     func(x, t float64) lane
	ratio  float64
	theirs []float64 // crests left, at the sizes
}

func pulses() []pulse {
	external, internal := newSimple(0.95, 40, 60, 1, false), newSimple(0.95, 40, 60, 1, true)
	rest := lane{h1: 40, h2: 60}
	return []pulse{
		{"one layer", 160, 100, lane{h2: 100}, oneLayer, 1, []float64{.9943, .9985}},
		{"two layers, surface", 160, 100, rest, external.at, .95, nil},
		{"two layers, interface", 1400, 100, rest, internal.at, .95, nil},
	}
}

// oneLayer is the simple wave of one layer: u - 2√(gh) is everywhere that of the water ahead.
func oneLayer(x, t float64) lane {
	pulse := func(x float64) float64 { return math.Exp(-(x - 5000) / 1000 * (x - 5000) / 1000 / 2) }
	velocity := func(z float64) float64 { return 2 * (math.Sqrt(gravity*(100+z)) - math.Sqrt(gravity*100)) }
	from := x
	for range 300 {
		z := pulse(from)
		from = x - t*(velocity(z)+math.Sqrt(gravity*(100+z)))
	}
	z := pulse(from)
	return lane{h2: 100 + z, q2: (100 + z) * velocity(z)}
}

func waves(ctx context.Context, p *verify.Page) error {
	sizes, list := []int{4000, 16000}, pulses()
	if p.Options.Quick {
		sizes, list = []int{1000, 4000}, list[:2]
	}
	t := p.Table("simple waves: shares of the wave", "wave", "cells", "steps", "quantity", "ANUGA", "ours")
	for _, w := range list {
		var coarser [2]float64
		for i, cells := range sizes {
			e, crest, b, err := wave(ctx, p, w, cells)
			if err != nil {
				return err
			}
			theirs := ""
			if !p.Options.Quick && w.theirs != nil {
				theirs = fmt.Sprintf("%.4f", w.theirs[i])
			}
			last := i == len(sizes)-1
			t.Row(finest(p, last, verify.AtLeast(crest, .999)), w.name, cells, b.Steps(), "crest", theirs, crest)
			for layer, name := range []string{"error of h1", "error of h2"} {
				if w.rest.h1 == 0 && layer == 0 {
					continue
				}
				t.Row(finest(p, last, verify.AtMost(e[layer], 4e-4)), w.name, cells, b.Steps(), name, "", e[layer])
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

// finest is a verdict of the finest mesh of a full run, and none of others.
func finest(p *verify.Page, last bool, v verify.Verdict) verify.Verdict {
	if last && !p.Options.Quick {
		return v
	}
	return verify.Info
}

// wave runs a wave and returns the mean errors of both thicknesses as shares of the wave, and the share of its crest
// that is left.
func wave(ctx context.Context, p *verify.Page, w pulse, cells int) (e [2]float64, crest float64, b *basin, err error) {
	m, err := mesh.Rectangle(0, 0, 20000, 2000, cells, meshSeed)
	if err != nil {
		return e, 0, nil, err
	}
	p.Progress("%s, %d cells", w.name, len(m.Cells))
	cfg := settings("pvm-ifcp", w.ratio)
	cfg.Order = 2
	initial := func(x, _ float64) state {
		at := w.at(x, 0)
		s := state{depth: w.bed, h1: at.h1, h2: at.h2, u2: at.q2 / at.h2}
		if at.h1 > 0 {
			s.u1 = at.q1 / at.h1
		}
		return s
	}
	err = evolve(ctx, p, flow{mesh: m, config: cfg, initial: initial}, w.end, func(run *basin) error {
		b = run
		at := func(x, _ float64) lane { return w.at(x, w.end) }
		for k, name := range []string{"h1", "h2"} {
			pick := func(l lane) float64 { return [2]float64{l.h1, l.h2}[k] }
			size := b.mean(func(_ int, x, y float64) float64 { return math.Abs(pick(at(x, y)) - pick(w.rest)) })
			e[k] = b.meanError(name, func(x, y float64) float64 { return pick(at(x, y)) }) / size
		}
		for i := range b.part.Owned {
			crest = max(crest, b.Value("h2", i)-w.rest.h2)
		}
		return nil
	})
	return e, crest, b, err
}
