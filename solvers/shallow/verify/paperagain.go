package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// paperAgain runs the paper's tests at first and second order: no thickness may be negative, and mass must be
// conserved. The reference for extremes of the thicknesses is first order, which creates no new ones, on a symmetric
// part of the basin with triangles about four times as narrow. Second order overshoots at the initial jumps, by at most
// 2.5% of the jump.
func paperAgain(ctx context.Context, p *verify.Page) error {
	n := 90
	if p.Options.Quick {
		n = 22
	}
	m, err := basin.Square(5, n, basin.MeshSeed)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("tests of the paper, %d cells, t = 0.1", len(m.Cells)),
		"test", "scheme", "order", "min h1", "max h1", "min h2", "max h2", "deviation, of the jump", "drift of mass",
		"least thickness")
	for test, initial := range []func(x, y float64) basin.State{paperTest1, paperTest2} {
		fine, err := paperExtremes(ctx, p, test)
		if err != nil {
			return err
		}
		t.Row(verify.Info, test+1, "fine", 1, fine[0], fine[1], fine[2], fine[3], "", "", "")
		for _, scheme := range basin.Schemes {
			for _, order := range []int{1, 2} {
				p.Progress("test %d, %s, order %d", test+1, scheme, order)
				cfg := basin.SecondOrder(scheme, paperRatios[test], 1e-6)
				cfg.Order, cfg.EntropyFix = order, 0
				b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Initial: initial})
				if err != nil {
					return err
				}
				c, err := b.Conserve(ctx, .1)
				b.Close(ctx)
				if err != nil {
					return err
				}
				deviation := 0.0
				for k, v := range []float64{c.End.H1Min, c.End.H1Max, c.End.H2Min, c.End.H2Max} {
					deviation = max(deviation, math.Abs(v-fine[k])/3.5)
				}
				drift := max(c.Drift1, c.Drift2)
				v := verify.AtLeast(c.Least, 0)
				switch {
				case !(drift <= 1e-13):
					v = verify.AtMost(drift, 1e-13)
				case order == 2 && v.OK && !p.Options.Quick:
					v = verify.AtMost(deviation, .025)
				}
				t.Row(v, test+1, scheme, order, c.End.H1Min, c.End.H1Max, c.End.H2Min, c.End.H2Max, deviation, drift,
					c.Least)
			}
		}
	}
	t.Flush()
	return nil
}

var paperRatios = []float64{.5, .98}

// paperExtremes returns the least and the largest h1 and h2 of a test on a fine mesh: of a quarter of the first, as
// far from its centre as waves travel, and of the half y >= 0 of the second, within 3 of the centre of its bed's bump.
func paperExtremes(ctx context.Context, p *verify.Page, test int) (extremes [4]float64, err error) {
	p.Progress("test %d, fine", test+1)
	bounds, cells := [4]float64{0, 0, 2.6, 2.6}, 34000
	initial := paperTest1
	if test == 1 {
		bounds, cells, initial = [4]float64{-3, 0, 3, 3}, 58000, paperTest2
	}
	if p.Options.Quick {
		cells /= 16
	}
	m, err := mesh.Rectangle(bounds[0], bounds[1], bounds[2], bounds[3], cells, basin.MeshSeed)
	if err != nil {
		return extremes, err
	}
	cfg := basin.Settings("pvm-ifcp", paperRatios[test])
	cfg.EntropyFix = 0
	err = basin.Evolve(ctx, p, basin.Flow{Mesh: m, Config: cfg, Initial: initial}, .1, func(b *basin.Basin) error {
		d, err := b.Diagnose(ctx)
		extremes = [4]float64{d.H1Min, d.H1Max, d.H2Min, d.H2Max}
		return err
	})
	return extremes, err
}
