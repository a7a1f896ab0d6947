// Package dryness chooses the thickness below which a layer of water counts as absent.
package dryness

import (
	"context"
	"sync"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
)

// Depth returns the thickness in m below which a layer counts as absent by default: 1e-6 of the mean thickness of
// the water in cells with water, at most 1e-5 m, where the layers have the thicknesses h1 and h2 in m in the cells of a
// part. A larger one delays fronts on dry land. The sums are exact, so the result does not depend on the number of
// ranks. All ranks call it.
func Depth(ctx context.Context, comm dist.Comm, part *mesh.Part, h1, h2 []float64) (float64, error) {
	var water, area dist.Accumulator
	var lock sync.Mutex
	const cellsPerWorker = 5000 // for which a goroutine is worth its cost
	parallel.Ranges(part.Owned, parallel.Parts(part.Owned, cellsPerWorker), func(_, lo, hi int) {
		var w, a dist.Accumulator
		for i := lo; i < hi; i++ {
			if h := h1[i] + h2[i]; h > 0 {
				w.Add(h * part.Area(i))
				a.Add(part.Area(i))
			}
		}
		lock.Lock()
		defer lock.Unlock()
		water.Merge(&w)
		area.Merge(&a)
	})
	if err := dist.AllreduceSum(ctx, comm, &water, &area); err != nil {
		return 0, err
	}
	const most, least = 1e-5, 1e-8 // m: products of thicknesses below least vanish in float32
	if area.Float64() == 0 {
		return most, nil
	}
	return min(most, max(least, 1e-6*water.Float64()/area.Float64())), nil
}
