package run

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/run/config"
	"github.com/atoll-hpc/atoll/solvers/vof/flow"
)

// vofFlow makes the velocity of a case. One of expressions is tried on the faces of the block first, so that what is
// wrong with it is known to all ranks before the solver starts.
func vofFlow(ctx context.Context, v *config.VOFVelocity, b *grid.Block, comm dist.Comm) (flow.Flow, error) {
	g := b.Grid
	if v.Field != "" {
		f, err := flow.Named(v.Field, g, v.Period)
		if err != nil {
			err = fmt.Errorf("[velocity] %w", err)
		}
		return f, agree(ctx, comm, err)
	}
	var failed error
	eval := func(f *config.Field, x, y, z float64) float64 {
		value, err := f.Program.Eval(x, y, z, 0)
		if err != nil {
			if failed == nil {
				failed = fmt.Errorf("[velocity] %s: %w", f.Name, err)
			}
			return math.NaN()
		}
		return value
	}
	var f flow.Flow
	if v.Period > 0 {
		f.Factor = func(t float64) float64 { return math.Cos(math.Pi * t / v.Period) }
	}
	if len(v.Psi) > 0 {
		psi := func(i, j int) float64 { return eval(&v.Psi[0], g.Face(0, i), g.Face(1, j), g.Lo[2]) }
		hx, hy := g.Spacing(0), g.Spacing(1)
		f.Face = func(axis, i, j, _ int) float64 {
			if axis == 0 {
				return (psi(i, j) - psi(i, j+1)) / hy
			}
			return (psi(i+1, j) - psi(i, j)) / hx
		}
	} else {
		f.Face = func(axis, i, j, k int) float64 {
			at := [3]float64{g.Centre(0, i), g.Centre(1, j), g.Lo[2]}
			if g.Dim == 3 {
				at[2] = g.Centre(2, k)
			}
			at[axis] = g.Face(axis, [3]int{i, j, k}[axis])
			return eval(&v.Parts[axis], at[0], at[1], at[2])
		}
	}
	through, out := tryFlow(f, b)
	if err := agree(ctx, comm, failed); err != nil {
		return f, err
	}
	most := []float64{through, out}
	if err := comm.AllreduceFloat64(ctx, dist.Max, most); err != nil {
		return f, err
	}
	if len(v.Parts) > 0 && most[1] > v.Divergence*most[0] {
		return f, &BadInput{fmt.Errorf("[velocity] the flow out of a cell is up to %.3g of that through it, more than "+
			"divergence = %g: volume would not be conserved; give a stream function psi in the plane, components without "+
			"divergence over cells, or a larger divergence", most[1]/most[0], v.Divergence)}
	}
	return f, nil
}

// tryFlow gives the largest flow through a cell of the block and the largest out of one, as rates per volume.
func tryFlow(f flow.Flow, b *grid.Block) (through, out float64) {
	for k := range b.N[2] {
		for j := range b.N[1] {
			for i := range b.N[0] {
				at := [3]int{b.Lo[0] + i, b.Lo[1] + j, b.Lo[2] + k}
				sum, div := 0.0, 0.0
				for axis := range b.Grid.Dim {
					next := at
					next[axis]++
					h := b.Grid.Spacing(axis)
					lo, hi := f.Face(axis, at[0], at[1], at[2])/h, f.Face(axis, next[0], next[1], next[2])/h
					sum += max(math.Abs(lo), math.Abs(hi))
					div += hi - lo
				}
				through, out = max(through, sum), max(out, math.Abs(div))
			}
		}
	}
	return through, out
}
