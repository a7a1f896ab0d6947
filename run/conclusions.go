package run

import (
	"context"
	"maps"

	"github.com/atoll-hpc/atoll/solvers"
)

// conclusions are the metrics that are found at the end of a run alone: what the solver concludes from all steps, and
// how far gauges are off what was measured there. All ranks call it.
func (r *runner) conclusions(ctx context.Context) (map[string]float64, error) {
	found := map[string]float64{}
	if c, ok := r.solver.(solvers.Concluder); ok {
		list, err := c.Conclude(ctx)
		if err != nil {
			return nil, err
		}
		for _, q := range list {
			found[q.Name] = q.Value
		}
	}
	if r.Check || r.Report != nil {
		return found, nil
	}
	of, err := r.misfits(ctx)
	maps.Copy(found, of)
	return found, err
}
