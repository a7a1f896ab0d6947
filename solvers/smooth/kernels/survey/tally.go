package survey

import (
	"math"

	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Columns of integers (see exact.Threads) that the threads of AddCells and AddEdges store.
const (
	first    = 0                          // an exact.Wide: the sum of qualities or lengths
	second   = first + exact.WideColumns  // of sizes or squares
	special  = second + exact.WideColumns // number of cells that are inverted, of edges in range
	lowBins  = special + 1                // 16 bits for each of bins 0 to 3; a chunk has fewer than 2^16 cells or edges
	highBins = lowBins + 1                // and of bins 4 to 7
	columns  = (highBins + 1) * exact.Threads
)

// Columns of exact.OrderedBits that they store.
const (
	most     = 0 // of the greatest number
	least    = 1 // of the least, times -1
	extremes = 2 * exact.Threads
)

// orderedNegative returns the ordered bits of -x, the same for 0 and -0.
func orderedNegative(x float64) uint64 { return exact.OrderedBits(0 - x) }

// orderedQuality returns the ordered bits of a quality, the same for 0 and -0; of a NaN, those of -∞.
func orderedQuality(quality float64) uint64 {
	if quality != quality {
		return exact.OrderedBits(math.Inf(-1))
	}
	return exact.OrderedBits(0 + quality)
}

// addCells adds every threads-th cell of the chunk that begins with cell from, beginning with its cell k, for thread k.
func addCells[F num.Float](k, from int32, whole bool, cells []Cell[F], ints []int64, extremes []uint64,
	sums *[Sums]int64) {
	var o bins
	var qualities, sizes exact.Wide
	best, worst, inverted := math.Inf(-1), math.Inf(1), int64(0)
	for n := from + k; n < from+Chunk && n < int32(len(cells)); n += threads {
		c := cells[n]
		quality, size := float64(c.Quality), float64(c.Size)
		if w, fits := exact.WideOf(quality); fits {
			qualities = qualities.Plus(w)
		} else {
			exact.AddTo(sums[Qualities:Sizes], quality)
		}
		if w, fits := exact.WideOf(size); fits {
			sizes = sizes.Plus(w)
		} else {
			exact.AddTo(sums[Sizes:Lengths], size)
		}
		worst = min(worst, quality)
		if quality == quality {
			best = max(best, quality)
		}
		if !(size > 0) {
			inverted++
		}
		if whole {
			o.countQuality(quality)
		}
	}
	qualities.Store(ints, first, k)
	sizes.Store(ints, second, k)
	ints[special*threads+k], ints[lowBins*threads+k], ints[highBins*threads+k] = inverted, o.low, o.high
	extremes[most*threads+k], extremes[least*threads+k] = orderedQuality(best), orderedNegative(worst)
}

// addEdges does so for edges. The length of edge n is lengths[n*each + at].
func addEdges[F num.Float](k, from, edges, each, at int32, whole bool, lengths []F, ints []int64, extremes []uint64,
	sums *[Sums]int64) {
	var o bins
	var total, squares exact.Wide
	longest, shortest, inRange := math.Inf(-1), math.Inf(1), int64(0)
	for n := from + k; n < from+Chunk && n < edges; n += threads {
		length := float64(lengths[int(n)*int(each)+int(at)])
		square := length * length
		if w, fits := exact.WideOf(square); fits {
			squares = squares.Plus(w)
		} else {
			exact.AddTo(sums[Squares:Boundary], square)
		}
		longest, shortest = max(longest, length), min(shortest, length)
		// The bits of positive numbers are in the order of the numbers.
		if math.Float64bits(length)-lowestInRange <= highestInRange-lowestInRange {
			inRange++
		}
		if whole {
			total = plus(total, length, sums[Lengths:Squares])
			o.countLength(length)
		}
	}
	total.Store(ints, first, k)
	squares.Store(ints, second, k)
	ints[special*threads+k], ints[lowBins*threads+k], ints[highBins*threads+k] = inRange, o.low, o.high
	extremes[most*threads+k], extremes[least*threads+k] = exact.OrderedBits(0+longest), orderedNegative(shortest)
}

// plus adds x to a sum, or to words if it does not fit. Where every cell or edge is added, the calls are written out,
// since this function is not inlined.
func plus(sum exact.Wide, x float64, words []int64) exact.Wide {
	if w, fits := exact.WideOf(x); fits {
		return sum.Plus(w)
	}
	exact.AddTo(words, x)
	return sum
}

// The bits of 1/√2 and of √2.
const lowestInRange, highestInRange = 0x3fe6a09e667f3bcd, 0x3ff6a09e667f3bcd

// bins counts cells by quality, or edges by length, as the columns lowBins and highBins do.
type bins struct{ low, high int64 }

// countQuality counts a cell in the bin of its quality.
func (o *bins) countQuality(quality float64) {
	bin := int32(0)
	for k := int32(1); k < QualityBins; k++ {
		if quality >= 0.2*float64(k) {
			bin = k
		}
	}
	o.count(bin)
}

// countLength counts an edge in the bin of its length.
func (o *bins) countLength(length float64) {
	bin := int32(0)
	if length >= 1./8 { // the exponent of 1/8 is 1020
		bin = min(int32(math.Float64bits(length)>>52)-1019, LengthBins-1)
	}
	o.count(bin)
}

// count counts in a bin.
func (o *bins) count(bin int32) {
	if bin < 4 {
		o.low += 1 << (16 * uint64(bin))
	} else {
		o.high += 1 << (16 * uint64(bin-4))
	}
}

// merge merges group k of the columns of a chunk.
func merge(k int32, ints []int64, extremes []uint64) {
	exact.AddGroup(ints, k)
	if k < int32(len(extremes))/exact.Threads*exact.Groups {
		exact.MaxGroup(extremes, k)
	}
}

// addSum adds a sum of a chunk, in the columns that begin with c, to the words that begin with to.
func addSum(s *Surveyed, to int32, ints []int64, c int32) {
	sums := &s.Sums
	exact.WideOfColumns(ints, c).AddTo(sums[to : to+exact.Words])
}

// counted returns how many of a chunk are in bin k of n, or those that are special for k = n.
func counted(ints []int64, k, n int32) int64 {
	if k == n {
		return exact.AddColumn(ints, special)
	}
	return exact.AddColumn(ints, lowBins+k/4) >> (16 * uint64(k%4)) & 0xffff
}
