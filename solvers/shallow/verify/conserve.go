package verify

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// conserved is what a run kept.
type conserved struct {
	drift1, drift2 float64 // |relative change| of the layers' masses
	least          float64 // of all thicknesses after any step
	fastest        float64 // of either layer after any step, where it is not dry
	end            shallow.Diagnostics
}

// conserve steps to time t.
func (b *basin) conserve(ctx context.Context, t float64) (conserved, error) {
	var c conserved
	start, err := b.Diagnose(ctx)
	if err != nil {
		return c, err
	}
	var square float64
	c.least = min(start.H1Min, start.H2Min)
	err = b.until(ctx, t, func(float64) error {
		for i := range b.part.Owned {
			c.least = min(c.least, b.Value("h1", i), b.Value("h2", i))
			u1, v1, u2, v2 := b.Value("u1", i), b.Value("v1", i), b.Value("u2", i), b.Value("v2", i)
			square = max(square, u1*u1+v1*v1, u2*u2+v2*v2)
		}
		return nil
	})
	if err != nil {
		return c, err
	}
	c.fastest = math.Sqrt(square)
	c.end, err = b.Diagnose(ctx)
	c.drift1 = math.Abs(c.end.Mass1-start.Mass1) / start.Mass1
	c.drift2 = math.Abs(c.end.Mass2-start.Mass2) / start.Mass2
	return c, err
}
