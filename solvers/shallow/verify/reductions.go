package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// In two limits the equations of two layers reduce to those of a single one, so that the full two-layer fluxes can be
// compared with Stoker's dam break of 1 m against 0.5 m in [-5, 5]² at t = 1:
//
//   - r → 1: layers of one density that move as one. The total depth is that of the dam break, and the share f of the
//     upper layer stays what it was everywhere.
//   - r → 0: an upper layer without weight, a lid. The lower layer is the dam break; the lid must not touch it.
//
// The reference errors are those of a C prototype of PVM-IFCP on its own jittered meshes of 2n² cells,
// measured as here. Ours may differ by 10%: the error is concentrated at the shock and at the two ends of the
// rarefaction fan, in few cells of a mesh.
func reductions(ctx context.Context, p *verify.Page) error {
	d := newDam(1, 0.5)
	sizes := []int{30, 60, 120}
	if p.Options.Quick {
		sizes = sizes[:2]
	}
	if err := barotropic(ctx, p, d, sizes, 1, map[int]float64{30: .01674, 60: .01069, 120: .00658}); err != nil {
		return err
	}
	if err := barotropic(ctx, p, d, sizes[:2], 0.9999, nil); err != nil {
		return err
	}
	return weightlessLid(ctx, p, d, sizes, map[int]float64{30: .01795, 60: .01142, 120: .00696})
}

// upperShare is f of the barotropic reduction, a binary fraction so that no thickness is rounded at the start.
const upperShare = 0.375

func barotropic(ctx context.Context, p *verify.Page, d dam, sizes []int, ratio float64, theirs map[int]float64) error {
	depth := func(x float64) float64 {
		if x < 0 {
			return d.left
		}
		return d.right
	}
	initial := func(x, _ float64) basin.State {
		return basin.State{H1: upperShare * depth(x), H2: (1 - upperShare) * depth(x)}
	}
	// At r = 1 nothing but rounding moves f; at 0.9999 the internal waves, of speed ~0.01, do so by 1 - r at most.
	drift := 1e-15
	if ratio < 1 {
		drift = 1 - ratio
	}
	t := p.Table(fmt.Sprintf("layers that move as one, r = %g", ratio),
		"scheme", "cells", "quantity", "reference", "Atoll", "deviation")
	for _, scheme := range basin.Schemes {
		var coarser float64
		for i, n := range sizes {
			err := runReduction(ctx, p, basin.Flow{Config: basin.Settings(scheme, ratio), Initial: initial}, n, scheme,
				func(b *basin.Basin) error {
					h := func(i int) float64 { return b.Value("h1", i) + b.Value("h2", i) }
					e := b.Mean(func(i int, x, _ float64) float64 {
						exact, _ := d.at(x, 1)
						return math.Abs(h(i) - exact)
					})
					var difference float64
					for i := range b.Part.Owned {
						difference = max(difference, math.Abs(b.Value("h1", i)/h(i)-upperShare))
					}
					errorRow(t, scheme, n, e, theirs[n])
					if i > 0 {
						o := verify.Order(coarser, e)
						t.Row(verify.Between(o, lowestOrder, highestOrder), scheme, 2*n*n, "order", "", o, "")
					}
					t.Row(verify.AtMost(difference, drift), scheme, 2*n*n, "max |f - f0|", "", difference, "")
					coarser = e
					return nil
				})
			if err != nil {
				return err
			}
		}
	}
	t.Flush()
	return nil
}

func weightlessLid(ctx context.Context, p *verify.Page, d dam, sizes []int, theirs map[int]float64) error {
	initial := func(x, _ float64) basin.State {
		if x < 0 {
			return basin.State{H1: lidThickness, H2: d.left}
		}
		return basin.State{H1: lidThickness, H2: d.right}
	}
	t := p.Table("a lid without weight, r = 1e-12", "scheme", "cells", "quantity", "reference", "Atoll", "deviation")
	for _, scheme := range basin.Schemes {
		var coarser float64
		for i, n := range sizes {
			err := runReduction(ctx, p, basin.Flow{Config: basin.Settings(scheme, 1e-12), Initial: initial}, n, scheme,
				func(b *basin.Basin) error {
					e := b.MeanError("h2", func(x, _ float64) float64 {
						h, _ := d.at(x, 1)
						return h
					})
					errorRow(t, scheme, n, e, theirs[n])
					if i > 0 {
						o := verify.Order(coarser, e)
						t.Row(verify.Between(o, lowestOrder, highestOrder), scheme, 2*n*n, "order", "", o, "")
					}
					coarser = e
					return nil
				})
			if err != nil {
				return err
			}
		}
	}
	t.Flush()
	return nil
}

const lidThickness = 1.0

// runReduction runs a flow in [-5, 5]², on a mesh of 2n² cells, to t = 1, and then calls measure.
func runReduction(ctx context.Context, p *verify.Page, f basin.Flow, n int, scheme string,
	measure func(b *basin.Basin) error) error {
	var err error
	if f.Mesh, err = basin.Square(5, n, basin.MeshSeed); err != nil {
		return err
	}
	p.Progress("r = %g, %d cells, %s", f.Config.DensityRatio, len(f.Mesh.Cells), scheme)
	return basin.Evolve(ctx, p, f, 1, measure)
}

// errorRow compares the mean error of a depth with that of the C prototype; theirs is 0 if there is none.
func errorRow(t *verify.Table, scheme string, n int, ours, theirs float64) {
	if theirs == 0 {
		t.Row(verify.Info, scheme, 2*n*n, "mean error of h", "", ours, "")
		return
	}
	t.Row(verify.Near(ours, theirs, 0.1), scheme, 2*n*n, "mean error of h", theirs, ours,
		verify.Percent(verify.Deviation(ours, theirs)))
}
