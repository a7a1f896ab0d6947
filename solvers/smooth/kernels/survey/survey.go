// Package survey adds up the measures of the cells, edges and boundary of a mesh: exact sums, extremes and histograms,
// of triangles and of tetrahedra. The kernels that measure them are in packages kernels and solid.
package survey

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Sums, each in words of package exact.
const (
	Qualities = 0                       // of cells
	Sizes     = Qualities + exact.Words // their areas or volumes
	Lengths   = Sizes + exact.Words     // of edges, in the metric
	Squares   = Lengths + exact.Words   // of these lengths
	Boundary  = Squares + exact.Words   // lengths or areas of the boundary, without the metric
	Sums      = Boundary + exact.Words  // how many words there are
)

// Extremes, as exact.OrderedBits. A NaN is the worst quality, and both the shortest and the longest length.
const (
	MaxQuality = iota
	NegMinQuality
	MaxLength
	NegMinLength
	Extremes // how many there are
)

// Counts.
const (
	QualityBins = 5                            // cells of quality below 0.2, 0.4, 0.6 and 0.8, and of more
	LengthBins  = 8                            // edges of lengths below 1/8, 1/4, 1/2, 1, 2, 4 and 8, and of more
	Inverted    = QualityBins                  // cells whose size is not positive
	Histogram   = Inverted + 1                 // the first of LengthBins
	InRange     = Histogram + LengthBins       // edges of lengths between 1/√2 and √2
	Counts      = InRange + 1                  // how many there are
	Words       = Sums + Counts + Extremes + 2 // of a Surveyed
)

// Surveyed is the result of a survey; it begins at 0.
type Surveyed struct {
	Sums     [Sums]int64
	Counts   [Counts]int64
	Extremes [Extremes]uint64
	// Worst and Best are FirstID of the cells of the lowest and the highest quality that have the lowest id; 0 for none.
	Worst, Best int64
}

// FirstID grows as the id of a cell falls, so that a maximum finds the lowest id. It is its own inverse.
func FirstID(id int64) int64 { return math.MaxInt32 + 1 - id }

// Cell holds the measures of a triangle or of a tetrahedron.
type Cell[F num.Float] struct{ Quality, Size F }

const threads = exact.Threads // that share a chunk

// Chunk is the number of cells, edges or faces of a chunk: as many as an exact.Wide has room for.
const Chunk = exact.FixedRoom

// Chunks returns the number of chunks of n cells, edges or faces.
func Chunks(n int) int { return (n + Chunk - 1) / Chunk }

// Clear clears word k of a result.
//
//atoll:kernel
func Clear(k int, s *Surveyed) {
	if k < Sums {
		s.Sums[k] = 0
	}
	if k < Counts {
		s.Counts[k] = 0
	}
	if k < Extremes {
		s.Extremes[k] = 0
	}
	if k == 0 {
		s.Worst, s.Best = 0, 0
	}
}

// AddCells adds the cells of chunk t; if whole is set, it also counts them by quality.
//
//atoll:kernel tile block=128
func AddCells[F num.Float](t int, whole bool, cells []Cell[F], s *Surveyed, ints *[columns]int64,
	most *[extremes]uint64) {
	for k := range int32(threads) {
		addCells(k, int32(t)*Chunk, whole, cells, ints[:], most[:], &s.Sums)
	}
	for k := range int32(columns / threads * exact.Groups) {
		merge(k, ints[:], most[:])
	}
	for k := range int32(2) {
		addSum(s, Qualities+k*exact.Words, ints[:], first+k*exact.WideColumns)
		atomics.Max(&s.Extremes[MaxQuality+k], exact.MaxColumn(most[:], k))
	}
	for k := range int32(QualityBins + 1) {
		atomic.AddInt64(&s.Counts[k], counted(ints[:], k, QualityBins))
	}
}

// AddEdges adds the edges of chunk t. The length of edge k is lengths[k*each + at]. If whole is set, it also adds up
// the lengths and counts the edges by length.
//
//atoll:kernel tile block=128
func AddEdges[F num.Float](t int, edges, each, at int32, whole bool, lengths []F, s *Surveyed, ints *[columns]int64,
	most *[extremes]uint64) {
	for k := range int32(threads) {
		addEdges(k, int32(t)*Chunk, edges, each, at, whole, lengths, ints[:], most[:], &s.Sums)
	}
	for k := range int32(columns / threads * exact.Groups) {
		merge(k, ints[:], most[:])
	}
	for k := range int32(2) {
		addSum(s, Lengths+k*exact.Words, ints[:], first+k*exact.WideColumns)
		atomics.Max(&s.Extremes[MaxLength+k], exact.MaxColumn(most[:], k))
	}
	for k := range int32(LengthBins + 1) {
		atomic.AddInt64(&s.Counts[Histogram+k], counted(ints[:], k, LengthBins))
	}
}

// AddSides adds chunk t of the n sides of the boundary, its edges or faces. The size of side k is sizes[k*each]. listed
// has the indices of those that are added, and is empty if all are.
//
//atoll:kernel tile block=128
func AddSides[F num.Float](t int, n, each int32, listed []int32, sizes []F, s *Surveyed,
	ints *[exact.WideColumns * threads]int64) {
	for k := range int32(threads) {
		var o exact.Wide
		for at := int32(t)*Chunk + k; at < n && at < int32(t+1)*Chunk; at += threads {
			side := at
			if len(listed) > 0 {
				side = listed[at]
			}
			sums := &s.Sums
			o = plus(o, float64(sizes[int(side)*int(each)]), sums[Boundary:Sums])
		}
		o.Store(ints[:], 0, k)
	}
	for k := range int32(exact.WideColumns * exact.Groups) {
		exact.AddGroup(ints[:], k)
	}
	for range 1 {
		addSum(s, Boundary, ints[:], 0)
	}
}

// FindCells finds the cells of lowest id among those of the worst and of the best quality, which are known. Index i is
// that of a cell.
//
//atoll:kernel
func FindCells[F num.Float](i int, ids []int32, cells []Cell[F], s *Surveyed) {
	q := float64(cells[i].Quality)
	if orderedNegative(q) == s.Extremes[NegMinQuality] {
		atomics.Max(&s.Worst, FirstID(int64(ids[i])))
	}
	if orderedQuality(q) == s.Extremes[MaxQuality] {
		atomics.Max(&s.Best, FirstID(int64(ids[i])))
	}
}
