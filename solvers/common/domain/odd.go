package domain

import (
	"context"

	"github.com/atoll-hpc/atoll/dist"
)

// Within is what can hardly be meant of a body by numbers of each rank's own cells, of which those from inside on are
// of cells within it, and those up to outside of cells without; nil for nothing. All ranks call it.
func Within(ctx context.Context, comm dist.Comm, numbers []float64, outside, inside float64) ([]string, error) {
	ends := []float64{inside, -outside} // of the least and the negative greatest
	for _, v := range numbers {
		ends[0], ends[1] = min(ends[0], v), min(ends[1], -v)
	}
	if err := comm.AllreduceFloat64(ctx, dist.Min, ends); err != nil {
		return nil, err
	}
	switch {
	case -ends[1] <= outside:
		return []string{"[initial] shape: no cell of the grid holds any of it: it lies outside, or is too small to be seen"},
			nil
	case ends[0] >= inside:
		return []string{"[initial] shape: it fills all of the grid, and there is no interface"}, nil
	}
	return nil, nil
}
