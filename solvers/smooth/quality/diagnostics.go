// Package quality combines the surveys of a mesh's cells and edges over ranks.
package quality

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/survey"
)

// Diagnostics are measurements of the whole mesh, the same on every rank and for any number of ranks: sums are exact.
type Diagnostics struct {
	Sweeps      int
	QualityMin  float64
	QualityMean float64
	QualityMax  float64
	Worst, Best int64                     // cells of the lowest and the highest quality, by lowest id
	Histogram   [survey.QualityBins]int64 // cells of quality below 0.2, 0.4, 0.6, 0.8, and of more
	Inverted    int64                     // cells whose area or volume is not positive

	EdgeMin, EdgeMean, EdgeMax float64                  // lengths in the metric
	EdgeInRange                float64                  // fraction of edges whose length is between 1/√2 and √2
	EdgeHistogram              [survey.LengthBins]int64 // edges of lengths below 1/8, 1/4, 1/2, 1, 2, 4, 8, and of more
	Objective                  float64                  // ½Σ u'Mu over all edges, which the pain smoothers minimize

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

// Counted is what ranks count without a survey.
type Counted struct{ Cells, Edges, Moved, Active, Limited, Refused int64 }

// Sum returns one of the sums of a survey, such as survey.Qualities.
func Sum(found *survey.Surveyed, first int) (sum dist.Accumulator) {
	sum.AddWords((*[exact.Words]int64)(found.Sums[first:]))
	return sum
}

// Of returns the diagnostics that follow from the survey of all ranks and their counts, without the worst and best
// cell. start is those at the start, zero at the start itself.
func Of(found *survey.Surveyed, n Counted, sweeps int, start *Diagnostics) Diagnostics {
	sum := func(first int) float64 {
		s := Sum(found, first)
		return s.Float64()
	}
	most := func(k int) float64 { return exact.FromOrderedBits(found.Extremes[k]) }
	d := Diagnostics{Sweeps: sweeps, Worst: -1, Best: -1}
	cells, edges := float64(n.Cells), float64(n.Edges)
	d.QualityMean, d.EdgeMean, d.Objective = sum(survey.Qualities)/cells, sum(survey.Lengths)/edges, sum(survey.Squares)/2
	d.Area, d.Perimeter = sum(survey.Sizes), sum(survey.Boundary)
	// 0 - x is 0 where x is 0, and not -0.
	d.QualityMin, d.QualityMax = 0-most(survey.NegMinQuality), most(survey.MaxQuality)
	d.EdgeMin, d.EdgeMax = 0-most(survey.NegMinLength), most(survey.MaxLength)
	d.Moved, d.Limited, d.Refused, d.Active = n.Moved, n.Limited, n.Refused, n.Active
	d.Inverted, d.EdgeInRange = found.Counts[survey.Inverted], float64(found.Counts[survey.InRange])/edges
	copy(d.Histogram[:], found.Counts[:])
	copy(d.EdgeHistogram[:], found.Counts[survey.Histogram:])
	if start.Area != 0 {
		d.AreaDrift = (d.Area - start.Area) / start.Area
		d.PerimeterDrift = (d.Perimeter - start.Perimeter) / start.Perimeter
	}
	return d
}

// FindCells finds the worst and the best cell of all ranks, which all call it; cells is the number of cells of this
// rank.
func (d *Diagnostics) FindCells(ctx context.Context, comm dist.Comm, found *survey.Surveyed, cells int64) error {
	ids := []int64{math.MaxInt64, math.MaxInt64}
	if cells > 0 && exact.FromOrderedBits(found.Extremes[survey.NegMinQuality]) == -d.QualityMin {
		ids[0] = survey.FirstID(found.Worst)
	}
	if cells > 0 && exact.FromOrderedBits(found.Extremes[survey.MaxQuality]) == d.QualityMax {
		ids[1] = survey.FirstID(found.Best)
	}
	err := comm.AllreduceInt64(ctx, dist.Min, ids)
	d.Worst, d.Best = ids[0], ids[1]
	return err
}
