package domain

import (
	"context"

	"github.com/atoll-hpc/atoll/dist"
)

// CheckBody returns a warning if a body is probably not as intended, because it covers no cell of the grid or all
// cells. numbers are values in the rank's own cells, such as volume fractions: a cell with a value >= inside is in
// the body, and one with a value <= outside is not. All ranks call it.
func CheckBody(ctx context.Context, comm dist.Comm, numbers []float64, outside, inside float64) ([]string, error) {
	extremes := []float64{inside, -outside} // the least value, and the negative of the greatest
	for _, v := range numbers {
		extremes[0], extremes[1] = min(extremes[0], v), min(extremes[1], -v)
	}
	if err := comm.AllreduceFloat64(ctx, dist.Min, extremes); err != nil {
		return nil, err
	}
	switch {
	case -extremes[1] <= outside:
		return []string{"[initial] shape: no cell of the grid holds any of it: it lies outside the grid or is smaller " +
				"than a cell"},
			nil
	case extremes[0] >= inside:
		return []string{"[initial] shape: it fills the whole grid, so there is no interface"}, nil
	}
	return nil, nil
}
