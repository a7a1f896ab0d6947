package basin

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// conserved describes how well a run conserved masses and bounds.
type conserved struct {
	Drift1, Drift2 float64 // |relative change| of the layers' masses
	Least          float64 // of all thicknesses after any step
	Fastest        float64 // of either layer after any step, where it is not dry
	End            shallow.Diagnostics
}

// Conserve steps to time t in s, and measures conservation.
func (b *Basin) Conserve(ctx context.Context, t float64) (conserved, error) {
	var c conserved
	start, err := b.Diagnose(ctx)
	if err != nil {
		return c, err
	}
	var square float64
	c.Least = min(start.H1Min, start.H2Min)
	err = b.Until(ctx, t, func(float64) error {
		for i := range b.Part.Owned {
			c.Least = min(c.Least, b.Value("h1", i), b.Value("h2", i))
			u1, v1, u2, v2 := b.Value("u1", i), b.Value("v1", i), b.Value("u2", i), b.Value("v2", i)
			square = max(square, u1*u1+v1*v1, u2*u2+v2*v2)
		}
		return nil
	})
	if err != nil {
		return c, err
	}
	c.Fastest = math.Sqrt(square)
	c.End, err = b.Diagnose(ctx)
	c.Drift1 = math.Abs(c.End.Mass1-start.Mass1) / start.Mass1
	c.Drift2 = math.Abs(c.End.Mass2-start.Mass2) / start.Mass2
	return c, err
}
