package quality

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/dist"
)

// Diagnostics are measurements of the whole mesh, the same on every rank and for any number of ranks: sums are exact.
type Diagnostics struct {
	Sweeps      int
	QualityMin  float64
	QualityMean float64
	QualityMax  float64
	Worst, Best int64    // cells of the lowest and the highest quality, by lowest id
	Histogram   [5]int64 // cells of quality below 0.2, 0.4, 0.6, 0.8, and of more
	Inverted    int64    // cells whose area or volume is not positive

	EdgeMin, EdgeMean, EdgeMax float64  // lengths in the metric
	EdgeInRange                float64  // fraction of edges whose length is between 1/√2 and √2
	EdgeHistogram              [8]int64 // edges of lengths below 1/8, 1/4, 1/2, 1, 2, 4, 8, and of more
	Objective                  float64  // ½Σ u'Mu over all edges, which the pain smoothers minimize

	Area, AreaDrift           float64 // Σ of areas, or volumes in space, and its relative change since the start
	Perimeter, PerimeterDrift float64 // of the mesh, or the area of its boundary in space
	Moved                     int64   // vertices that are not at their initial positions
	Active                    int64   // vertices that the last sweep visited: all moving ones unless Cull is set
	Limited                   int64   // steps that a guard shortened or rejected, over all sweeps
	Refused                   int64   // steps that were rejected because the worst quality would not rise, over all sweeps
}

// Improved reports whether the mean or the worst quality has risen by at least `by`.
func (d *Diagnostics) Improved(before *Diagnostics, by float64) bool {
	return d.QualityMean-before.QualityMean >= by || d.QualityMin-before.QualityMin >= by
}

// Reduce combines the tallies of all ranks to diagnostics. start is those at the start, zero at the start itself.
func (t *Tally) Reduce(ctx context.Context, comm dist.Comm, sweeps int, start *Diagnostics) (Diagnostics, error) {
	d := Diagnostics{Sweeps: sweeps, Worst: -1, Best: -1}
	if err := dist.AllreduceSum(ctx, comm, &t.quality, &t.lengths, &t.squares, &t.area, &t.Perimeter); err != nil {
		return d, err
	}
	d.QualityMean, d.EdgeMean, d.Objective = t.quality.Float64(), t.lengths.Float64(), t.squares.Float64()
	d.Area, d.Perimeter = t.area.Float64(), t.Perimeter.Float64()
	extremes := []float64{-t.minQuality, t.maxQuality, -t.shortest, t.longest}
	if err := comm.AllreduceFloat64(ctx, dist.Max, extremes); err != nil {
		return d, err
	}
	d.QualityMin, d.QualityMax, d.EdgeMin, d.EdgeMax = -extremes[0], extremes[1], -extremes[2], extremes[3]
	ids := []int64{math.MaxInt64, math.MaxInt64}
	if t.cells > 0 && t.minQuality == d.QualityMin {
		ids[0] = int64(t.worst)
	}
	if t.cells > 0 && t.maxQuality == d.QualityMax {
		ids[1] = int64(t.best)
	}
	if err := comm.AllreduceInt64(ctx, dist.Min, ids); err != nil {
		return d, err
	}
	d.Worst, d.Best = ids[0], ids[1]
	sums := []int64{t.cells, t.edges, t.inverted, t.inRange, t.Moved, t.Limited, t.Refused, t.Active}
	sums = append(append(sums, t.histogram[:]...), t.lengthHistogram[:]...)
	if err := comm.AllreduceInt64(ctx, dist.Sum, sums); err != nil {
		return d, err
	}
	cells, edges := float64(sums[0]), float64(sums[1])
	d.Inverted, d.EdgeInRange, d.Moved, d.Limited, d.Refused = sums[2], float64(sums[3])/edges, sums[4], sums[5], sums[6]
	d.Active = sums[7]
	copy(d.Histogram[:], sums[8:])
	copy(d.EdgeHistogram[:], sums[8+len(d.Histogram):])
	d.QualityMean /= cells
	d.EdgeMean /= edges
	d.Objective /= 2
	if start.Area != 0 {
		d.AreaDrift = (d.Area - start.Area) / start.Area
		d.PerimeterDrift = (d.Perimeter - start.Perimeter) / start.Perimeter
	}
	return d, nil
}
