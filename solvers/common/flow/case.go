package flow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/expr"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
)

// FromCase makes the velocity of a case. It evaluates the velocity on all faces of the block, so that errors are
// known to all ranks before the solver starts. *factorErr is set to the first error of the time factor during the run.
func FromCase(ctx context.Context, c *config.Case, v *Section, b *grid.Block, comm dist.Comm, factorErr *error) (
	Flow, error) {
	var failures expr.Failures
	f, err := velocity(c, v, b.Grid, &failures)
	if err != nil {
		err = fmt.Errorf("[velocity] %w", err)
	}
	if err == nil && v.Factor.Program != nil {
		f.Factor, err = factor(&v.Factor, c.Time.End, factorErr)
	}
	if err := solvers.Agree(ctx, comm, err); err != nil || v.Field != "" {
		return f, err
	}
	if v.Period > 0 {
		f.Factor = func(t float64) float64 { return math.Cos(math.Pi * t / v.Period) }
	}
	var through, out float64
	err = f.Each(func(f Flow) error {
		blockThrough, blockOut, err := largestFlows(ctx, f, b)
		through, out = max(through, blockThrough), max(out, blockOut)
		return err
	})
	if err := solvers.Agree(ctx, comm, errors.Join(err, failures.Err())); err != nil {
		return f, err
	}
	largest := []float64{through, out}
	if err := comm.AllreduceFloat64(ctx, dist.Max, largest); err != nil {
		return f, err
	}
	if v.MayHaveDivergence() && largest[1] > v.Divergence*largest[0] {
		return f, &solvers.BadInput{Err: fmt.Errorf("[velocity] the net flow out of a cell is up to %.3g of the flow "+
			"through it, more than divergence = %g: volume would not be conserved; give a stream function psi in the plane, "+
			"a potential ax, ay, az in space, velocities with a smaller discrete divergence, or a larger limit divergence",
			largest[1]/largest[0], v.Divergence)}
	}
	return f, nil
}

// factor returns the time factor of a case's velocity. Its magnitude must not exceed 1, since the step is computed for
// a factor of 1: that is checked here at many times up to the end, and again at each later call.
func factor(f *config.Field, end float64, factorErr *error) (func(t float64) float64, error) {
	eval := func(t float64) (float64, error) {
		v, err := f.Program.Eval(0, 0, 0, t)
		if err == nil && math.Abs(v) > 1 {
			err = fmt.Errorf("it is %g at t = %g, its magnitude must not exceed 1: scale the velocity instead", v, t)
		}
		if err != nil {
			err = fmt.Errorf("[velocity] factor: %w", err)
		}
		return v, err
	}
	const samples = 1000
	for n := range samples + 1 {
		if _, err := eval(end * float64(n) / samples); err != nil {
			return nil, err
		}
	}
	return func(t float64) float64 {
		v, err := eval(t)
		if err != nil && *factorErr == nil {
			*factorErr = err
		}
		return min(1, max(-1, v))
	}, nil
}

// velocity returns the flow of a case for a factor of 1. Errors of expressions during its evaluation are added to
// failures.
func velocity(c *config.Case, v *Section, g *grid.Grid, failures *expr.Failures) (Flow, error) {
	eval := func(f *config.Field, x, y, z float64) float64 {
		value, err := f.Program.Eval(x, y, z, 0)
		if err != nil {
			failures.Add(x, y, z, fmt.Errorf("[velocity] %s: %w", f.Name, err))
			return math.NaN()
		}
		return value
	}
	switch {
	case v.Field != "":
		return Named(v.Field, g, v.Period)
	case len(v.Faces) == 1:
		return FacesFile(g, c.Path(v.Faces[0]))
	case len(v.Faces) > 1:
		paths := make([]string, len(v.Faces))
		for i, file := range v.Faces {
			paths[i] = c.Path(file)
		}
		return FacesFiles(g, paths, v.Times, c.Time.End)
	case len(v.Psi) > 0:
		return Stream(g, func(x, y float64) float64 { return eval(&v.Psi[0], x, y, g.Lo[2]) })
	case len(v.Potential) > 0:
		return Potential(g, func(axis int, x, y, z float64) float64 { return eval(&v.Potential[axis], x, y, z) })
	}
	return Components(g, func(axis int, x, y, z float64) float64 { return eval(&v.Components[axis], x, y, z) }), nil
}

// largestFlows returns the largest flow through a cell of the block, and the largest net flow out of one, divided by
// the volume of the cell, in 1/s.
func largestFlows(ctx context.Context, f Flow, b *grid.Block) (through, out float64, err error) {
	var lock sync.Mutex
	err = parallel.Each(ctx, "check velocities", b.N[1]*b.N[2], facesPerWorker/b.N[0]+1, func(lo, hi int) error {
		rowThrough, rowOut := 0.0, 0.0
		for r := lo; r < hi; r++ {
			for i := range b.N[0] {
				cellThrough, cellOut := cellFlows(f, b.Grid, [3]int{b.Lo[0] + i, b.Lo[1] + r%b.N[1], b.Lo[2] + r/b.N[1]})
				rowThrough, rowOut = max(rowThrough, cellThrough), max(rowOut, cellOut)
			}
		}
		lock.Lock()
		defer lock.Unlock()
		through, out = max(through, rowThrough), max(out, rowOut)
		return nil
	})
	return through, out, err
}

// cellFlows returns the flow through a cell, and the magnitude of the net flow out of it, divided by its volume.
func cellFlows(f Flow, g *grid.Grid, cell [3]int) (through, out float64) {
	for axis := range g.Dim {
		next := cell
		next[axis]++
		h := g.Spacing(axis)
		lo, hi := f.Face(axis, cell[0], cell[1], cell[2])/h, f.Face(axis, next[0], next[1], next[2])/h
		through += max(math.Abs(lo), math.Abs(hi))
		out += hi - lo
	}
	return through, math.Abs(out)
}
