// Package rescaling computes the factors by which metrics are scaled to the numbers of cells of meshes.
package rescaling

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// Factor returns the factor of a metric for which the mesh's area in it equals that of as many equilateral
// triangles with sides 1 as the mesh has: β = (√3/4) n / Σ V √det M. (Rokos's thesis, 2010, prints the number of
// triangles that the metric requires in place of n, so that β would be 1.)
func Factor(ctx context.Context, comm dist.Comm, part *layout.Part, metric *sizing.Metric, x, y []float64) (float64,
	error) {
	sum := sumOf(part.Cells, func(c kernels.Cell) float64 {
		var m11, m12, m22 float64
		for _, v := range c.At {
			a, b, d := metric.At(x[v], y[v])
			m11, m12, m22 = m11+a/3, m12+b/3, m22+d/3
		}
		a, b, d := c.At[0], c.At[1], c.At[2]
		area := ((x[b]-x[a])*(y[d]-y[a]) - (x[d]-x[a])*(y[b]-y[a])) / 2
		return area * math.Sqrt(m11*m22-m12*m12)
	})
	n, total, err := SumOverRanks(ctx, comm, len(part.Cells), sum)
	if err != nil {
		return 0, err
	}
	beta := math.Sqrt(3) / 4 * float64(n) / total
	if !(beta > 0) || math.IsInf(beta, 0) {
		return 0,
			&faults.Refusal{Err: fmt.Errorf("the metric cannot be scaled to %d triangles: the mesh's area in it is %g, "+
				faults.OutOfRange, n, total)}
	}
	return beta, nil
}

// SolidFactor is the same for tetrahedra: β = (√2/12 n / Σ V √det M)^(2/3).
func SolidFactor(ctx context.Context, comm dist.Comm, part *layout.SolidPart, metric *sizing.SolidMetric,
	positions [][]float64) (
	float64, error) {
	sum := sumOf(part.Cells, func(c solid.Cell) float64 {
		var m sizing.Six
		var p [4]solid.Vertex[float64]
		for i, v := range c.At {
			p[i].X, p[i].Y, p[i].Z = positions[0][v], positions[1][v], positions[2][v]
			for k, x := range metric.At(p[i].X, p[i].Y, p[i].Z) {
				m[k] += x / 4
			}
		}
		for i := range p {
			p[i].M11, p[i].M12, p[i].M13, p[i].M22, p[i].M23, p[i].M33 = m[0], m[1], m[2], m[3], m[4], m[5]
		}
		return solid.InMetric(&p[0], &p[1], &p[2], &p[3])
	})
	n, total, err := SumOverRanks(ctx, comm, len(part.Cells), sum)
	if err != nil {
		return 0, err
	}
	beta := math.Cbrt(math.Sqrt2 / 12 * float64(n) / total)
	if beta *= beta; !(beta > 0) || math.IsInf(beta, 0) {
		return 0,
			&faults.Refusal{Err: fmt.Errorf("the metric cannot be scaled to %d tetrahedra: the mesh's volume in it is %g, "+
				faults.OutOfRange, n, total)}
	}
	return beta, nil
}

// sumOf returns the exact sum of a number of each cell.
func sumOf[C any](cells []C, of func(c C) float64) *dist.Accumulator {
	sums := make([]dist.Accumulator, parallel.Parts(len(cells), 10_000))
	parallel.Ranges(len(cells), len(sums), func(part, lo, hi int) {
		for _, c := range cells[lo:hi] {
			sums[part].Add(of(c))
		}
	})
	for k := range sums[1:] {
		sums[0].Merge(&sums[k+1])
	}
	return &sums[0]
}

// SumOverRanks adds up the numbers of cells and the sums of all ranks.
func SumOverRanks(ctx context.Context, comm dist.Comm, cells int, sum *dist.Accumulator) (int64, float64, error) {
	n := []int64{int64(cells)}
	if err := comm.AllreduceInt64(ctx, dist.Sum, n); err != nil {
		return 0, 0, err
	}
	err := dist.AllreduceSum(ctx, comm, sum)
	return n[0], sum.Float64(), err
}
