package ghosts

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels"
)

// Arrays are a list of ghosts on the device.
type Arrays[F num.Float] struct {
	list     List
	from, to *engine.Array[int32]
	a, b     *engine.Array[F]
}

// Declare declares the arrays of a list.
func Declare[F num.Float](t *engine.Table, l List) Arrays[F] {
	n := len(l.To)
	numbers := func(x []float64) func() []F { return func() []F { return InPrecision[F](x) } }
	return Arrays[F]{l, engine.Input(t, "sides", n, func() []int32 { return l.From }),
		engine.Input(t, "sides", n, func() []int32 { return l.To }), engine.Input(t, "sides", n, numbers(l.A)),
		engine.Input(t, "sides", n, numbers(l.B))}
}

// Set computes the addends for a time, unless they are the same at all times and not the first ones.
func (s *Arrays[F]) Set(t float64, first bool) error {
	if !s.list.Given || s.list.Steady && !first {
		return nil
	}
	b, err := s.list.AddendsAt(t)
	if err != nil {
		return err
	}
	return s.b.Set(InPrecision[F](b))
}

// Fill is the task that fills the ghosts of an array.
func (s *Arrays[F]) Fill(a *engine.Array[F]) engine.Task {
	return engine.Whole(kernels.NewFillSidesLoop(s.from.Data, s.to.Data, s.a.Data, s.b.Data, a.Data), len(s.to.Data))
}

// InPrecision returns numbers in the precision of a solver.
func InPrecision[F num.Float](x []float64) []F {
	y := make([]F, len(x))
	for i, v := range x {
		y[i] = F(v)
	}
	return y
}
