package smooth

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/dist"
)

// rescale returns what to multiply a metric with so that the mesh's area in it is that of as many equilateral
// triangles of sides 1 as the mesh has: β = (√3/4) n / Σ V √det M. (The thesis that this comes from prints the new
// number where the old one belongs, which makes β 1.)
func rescale(ctx context.Context, comm dist.Comm, part *Part, metric *Metric, x, y []float64) (float64, error) {
	var sum dist.Accumulator
	for _, c := range part.Cells {
		var m11, m12, m22 float64
		for _, v := range c.At {
			a, b, d := metric.At(x[v], y[v])
			m11, m12, m22 = m11+a/3, m12+b/3, m22+d/3
		}
		a, b, d := c.At[0], c.At[1], c.At[2]
		area := ((x[b]-x[a])*(y[d]-y[a]) - (x[d]-x[a])*(y[b]-y[a])) / 2
		sum.Add(area * math.Sqrt(m11*m22-m12*m12))
	}
	n := []int64{int64(len(part.Cells))}
	if err := comm.AllreduceInt64(ctx, dist.Sum, n); err != nil {
		return 0, err
	}
	if err := dist.AllreduceSum(ctx, comm, &sum); err != nil {
		return 0, err
	}
	beta := math.Sqrt(3) / 4 * float64(n[0]) / sum.Float64()
	if !(beta > 0) || math.IsInf(beta, 0) {
		return 0, &Refusal{fmt.Errorf("the metric cannot be scaled to %d triangles: the mesh's area in it is %g", n[0],
			sum.Float64())}
	}
	return beta, nil
}
