package run

import (
	"context"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
)

// imbalance tells for each space how many entities the rank with most of them owns, in terms of the mean over ranks: 1
// is perfect. The state must have been read since the last step, so that spaces whose entities change ranks have been
// counted. One rank has none.
func imbalance(ctx context.Context, comm dist.Comm, fields []solvers.Field) (map[string]float64, error) {
	if comm.Size() == 1 {
		return nil, nil
	}
	ratios := map[string]float64{}
	for _, f := range fields {
		if _, done := ratios[f.On.Name]; done {
			continue
		}
		owned := int64(f.On.Owned)
		most, sum := []int64{owned}, []int64{owned}
		if err := comm.AllreduceInt64(ctx, dist.Max, most); err != nil {
			return nil, err
		}
		if err := comm.AllreduceInt64(ctx, dist.Sum, sum); err != nil {
			return nil, err
		}
		ratios[f.On.Name] = 1
		if sum[0] > 0 {
			ratios[f.On.Name] = float64(most[0]) * float64(comm.Size()) / float64(sum[0])
		}
	}
	return ratios, nil
}
